import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AxeResults } from "axe-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../../testing/browser.ts";
import { cellOf, keptOf, sectionedSkill } from "../../testing/sectioned-skill.ts";
import { annotatedPage } from "./annotated-page.ts";
import { mapSections } from "./map-sections.ts";

const markdown = `---
name: tide
---
# Tide

## Read

See [winds](references/winds.md). <script>document.title = "taken"</script> <img src="http://127.0.0.1:9/x">

## Write \u202eevil | <b>

\u001b[31mWrite\u001b[0m it </pre><script>document.title = "taken"</script>

${"long".repeat(2000)}
`;
const winds = "# Winds\n\nWest.\n";

let browser: Browser;
let folder: string;
beforeAll(async () => {
  browser = await openBrowser();
  folder = await mkdtemp(join(tmpdir(), "skillproof-section-page-"));
  const sectioned = sectionedSkill(
    { "SKILL.md": markdown, "references/winds.md": winds },
    { read: ["Tide > Read", "Winds"] },
  );
  const kept = keptOf(sectioned, ["read"]);
  const cells = [cellOf("read", { with_skill: [10, 10], without_skill: [1, 10] })];
  const [map] = mapSections([{ skill: "tide", kept, missing: null }], cells, { analysis: null });
  if (map === undefined) throw new Error("no map");
  await writeFile(join(folder, "tide.html"), annotatedPage(map, kept));
}, 60_000);
afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
});

test.each(["light", "dark"] as const)(
  "the page opens narrow and %s: nothing runs, nothing is fetched, every link leads somewhere",
  async (colorScheme) => {
    const context = await browser.newContext({
      colorScheme,
      bypassCSP: true,
      viewport: { width: 360, height: 800 },
    });
    const page = await context.newPage();
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(error.message));
    page.on("request", (request) => {
      if (!/^(?:file|data):/.test(request.url())) said.push(request.url());
    });
    await page.goto(pathToFileURL(join(folder, "tide.html")).href);
    expect(await page.title()).toBe("Section map of tide");
    const lost = await page
      .locator('a[href^="#"]')
      .evaluateAll((links) =>
        links
          .map((link) => link.getAttribute("href") ?? "")
          .filter((to) => document.getElementById(to.slice(1)) === null),
      );
    expect(lost).toEqual([]);
    expect(await page.locator("h3").count()).toBe(3);
    expect(await page.locator("pre").count()).toBe(5);
    expect(await page.locator("pre").nth(3).innerText()).toContain("</pre><script>");
    const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    expect(content).toBeLessThanOrEqual(window);
    await page.addScriptTag({ path: createRequire(import.meta.url).resolve("axe-core") });
    const found = await page.evaluate<AxeResults>("axe.run()");
    expect(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(found.passes.length).toBeGreaterThan(0);
    expect(said).toEqual([]);
    await context.close();
  },
  60_000,
);
