import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TranscriptLine } from "./artefacts/transcript.ts";
import { trialHref, trialPageFile } from "./report/html/links.ts";
import { treeOf } from "./testing/benchmark.ts";
import { openBrowser } from "./testing/browser.ts";
import { viewIn } from "./testing/view-command.ts";
import { usualLines, viewedCampaign } from "./testing/viewed-campaign.ts";
import { bundlesInMemory, writeTrialPages } from "./trial-pages.ts";

const attack =
  "</pre></li></ol><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">" +
  "<meta http-equiv=refresh content='0;url=http://evil.example'><a href='javascript:document.title=1'>x</a>" +
  "\u202etxt.exe\x1b[2J\x1b]0;taken\x07\0";

const hostileLines: readonly TranscriptLine[] = [
  ...usualLines,
  {
    kind: "assistant",
    text: attack,
    toolCalls: [{ id: "2", name: attack, arguments: JSON.stringify({ command: attack }) }],
    finish: attack,
  },
  { kind: "tool", toolCallId: "2", name: "bash", text: `${attack}\n${"w".repeat(300_000)}`, seconds: 1 },
];
const hostileWorkspace = treeOf({
  "notes.txt": `${attack}\n`,
  "answer.txt": "right\n",
  "<script>document.title='taken'</script>": "x\n",
});

let browser: Browser;
let laid: Awaited<ReturnType<typeof viewedCampaign>>;
beforeAll(async () => {
  laid = await viewedCampaign(({ n }) =>
    n === 1 ? { lines: hostileLines, workspace: hostileWorkspace, log: attack } : {},
  );
  await writeTrialPages(laid.folder, bundlesInMemory([{ skill: "sample", bundle: laid.bundle }]));
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await rm(dirname(laid.folder), { recursive: true });
});

/** A page with what it tried and said. */
async function opened(url: string, colorScheme: "light" | "dark", width = 1280) {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
  const page = await context.newPage();
  const said: string[] = [];
  const asked: string[] = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(error.message));
  page.on("dialog", (dialog) => said.push(dialog.message()));
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(url);
  return { page, said, asked, close: () => context.close() };
}

async function unfold(page: Page): Promise<void> {
  for (const summary of await page.locator("summary").all()) await summary.click();
}

const first = () => {
  const [planned] = laid.plan.trials;
  if (planned === undefined) throw new Error("nothing was planned");
  return planned;
};
const onDisk = () => pathToFileURL(join(laid.folder, "report", trialPageFile(first()))).href;

test.each(["light", "dark"] as const)(
  "a hostile trial's page opens from a file and executes nothing (%s)",
  async (scheme) => {
    const { page, said, asked, close } = await opened(onDisk(), scheme);
    await unfold(page);
    expect(await page.title()).toMatch(/^passed: sample\/answer\//);
    expect(said).toEqual([]);
    expect(asked).toEqual([onDisk()]);
    expect(await page.locator("script, img, iframe, a[href^=javascript]").count()).toBe(0);
    expect(await page.locator("pre", { hasText: "document.title='taken'" }).count()).toBeGreaterThan(3);
    const check = await browser.newContext({ colorScheme: scheme, bypassCSP: true });
    const checked = await check.newPage();
    await checked.goto(onDisk());
    await unfold(checked);
    await checked.addScriptTag({ content: axe.source });
    const found = await checked.evaluate("axe.run()");
    await check.close();
    await close();
    expect((found as axe.AxeResults).violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
  },
);

test("a narrow window scrolls down only, and keys reach every link and fold", async () => {
  const { page, close } = await opened(onDisk(), "light", 360);
  await unfold(page);
  const width = await page.evaluate("document.documentElement.scrollWidth");
  expect(width).toBeLessThanOrEqual(360);
  const wanted = await page.locator("a[href], summary").count();
  const reached = new Set<string>();
  await page.evaluate("window.scrollTo(0, 0); document.body.focus()");
  for (let press = 0; press < wanted + 30; press++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(
      "[...document.querySelectorAll('a[href], summary')].indexOf(document.activeElement)",
    );
    if (Number(at) >= 0) reached.add(String(at));
  }
  await close();
  expect(reached.size).toBe(wanted);
});

test("served by view it is the same page, under a strict policy, and a link leads to the twin", async () => {
  const viewing = await viewIn(dirname(laid.folder), laid.folder);
  const { page, said, asked, close } = await opened(`${viewing.url}${trialHref(first())}`, "light");
  expect(said).toEqual([]);
  expect(asked.every((url) => url.startsWith(viewing.url))).toBe(true);
  await page.getByRole("link", { name: /^The same block in arm/ }).click();
  expect(await page.locator("h1").innerText()).toContain("trial 1");
  expect(page.url()).not.toContain(trialHref(first()));
  await page.getByRole("link", { name: "Back to the report" }).click();
  expect(await page.locator("h1").innerText()).not.toBe("");
  expect(said).toEqual([]);
  await close();
  expect(await viewing.end()).toBe(0);
});
