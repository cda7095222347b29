import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PlannedTrial } from "./artefacts/trial.ts";
import { renderReportPage } from "./report/html/report-page.ts";
import type { TrialOnDisk } from "./report/outcome.ts";
import { openBrowser } from "./testing/browser.ts";
import { invented, pageCampaign } from "./testing/page-campaign.ts";
import { endedTrial, verdictOf } from "./testing/trials.ts";

// `UPDATE_SCREENSHOTS=1 npx vitest run src/docs-screenshots.test.ts` takes them anew; look at them then.

const images = join(import.meta.dirname, "../docs/images");
const size = { width: 1100, height: 1400 };

/** Of three trials each: how many pass without the skill, with it, and with a placebo. */
const passes: Readonly<Record<string, readonly [number, number, number]>> = {
  "configuration-layers": [3, 3, 3],
  "crate-tags": [0, 3, 0],
  "failure-in-packages": [0, 3, 1],
  "ledger-export": [0, 2, 0],
  letters: [1, 3, 1],
  "shift-log": [1, 2, 1],
  "stock-count": [2, 1, 2],
  "weekly-rollup": [0, 3, 0],
};
const arms = ["without_skill", "with_skill", "placebo"];

function ended(planned: PlannedTrial): Partial<TrialOnDisk> {
  const { trial } = invented(planned);
  const passing = passes[planned.benchmark]?.[arms.indexOf(planned.arm)] ?? 0;
  return {
    trial: { ...(trial ?? endedTrial(planned)), opened: null },
    verdict: verdictOf(planned.n <= passing ? "passed" : "failed"),
  };
}

const campaign = pageCampaign({
  skills: ["house-style"],
  benchmarks: Object.keys(passes),
  models: ["acme/coder", "bravo/mini"],
  arms,
  trials: 3,
  comparisons: [{ arm: "with_skill", against: "without_skill" }],
  entryOf: ended,
  over: { campaign: "house-style-0a1b2c3d4e5f" },
});

let browser: Browser;
let folder: string;
beforeAll(async () => {
  browser = await openBrowser();
  folder = await mkdtemp(join(tmpdir(), "screenshots-"));
});
afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true });
});

/** Width and height of a PNG, by its first chunk. */
function sizeOf(png: Buffer): { readonly width: number; readonly height: number } {
  expect(png.subarray(1, 4).toString("latin1")).toBe("PNG");
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}

test.each(["light", "dark"] as const)(
  "the report in the %s is what the page about it shows",
  async (scheme) => {
    const page = join(folder, `${scheme}.html`);
    await writeFile(page, renderReportPage(campaign.report, campaign.timings, campaign.trials));
    const context = await browser.newContext({ colorScheme: scheme, viewport: size });
    const opened = await context.newPage();
    await opened.goto(pathToFileURL(page).href);
    // What the picture is there to show is on its first screen.
    for (const words of ["helps", "with the skill", "Decision: accept."])
      expect(await opened.locator("main").innerText()).toContain(words);
    const chart = await opened.locator("#uplift").boundingBox();
    expect(chart?.y).toBeLessThan(size.height);
    const taken = await opened.screenshot();
    await context.close();
    expect(sizeOf(taken)).toEqual(size);
    const file = join(images, `report-${scheme}.png`);
    if (process.env["UPDATE_SCREENSHOTS"] === "1") await writeFile(file, taken);
    expect(sizeOf(await readFile(file))).toEqual(size);
  },
);

test("the two pictures differ", async () => {
  const [light, dark] = await Promise.all(
    ["light", "dark"].map((scheme) => readFile(join(images, `report-${scheme}.png`))),
  );
  expect(dark?.equals(light ?? Buffer.alloc(0))).toBe(false);
});
