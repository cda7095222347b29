import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../../testing/browser.ts";
import { type PageCampaign, pageCampaign } from "../../testing/page-campaign.ts";
import { renderReportPage } from "./report-page.ts";

let browser: Browser;
let folder: string;

beforeAll(async () => {
  browser = await openBrowser();
  folder = await mkdtemp(join(tmpdir(), "report-tables-"));
});

afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
});

/** From a file, on a screen of an ordinary width. */
async function opened({ report, timings, trials }: PageCampaign, width = 1280): Promise<Page> {
  const path = join(folder, "index.html");
  await writeFile(path, renderReportPage(report, timings, trials));
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  await page.goto(pathToFileURL(path).href);
  return page;
}

test("every row of figures leads to trials, and a link to a folded list unfolds it", async () => {
  const page = await opened(
    pageCampaign({ benchmarks: ["one", "two", "three"], models: ["a/x"], trials: 40 }),
  );
  const rowsOf = (id: string): string =>
    `[...document.querySelectorAll("section[aria-labelledby=${id}] tbody tr")]`;
  for (const id of [
    "answer",
    "uplift",
    "grid",
    "tokens",
    "cost",
    "funnel",
    "further",
    "deviations",
    "seconds",
  ]) {
    expect(await page.evaluate(`${rowsOf(id)}.length`), id).toBeGreaterThan(0);
    const bare = `${rowsOf(id)}.filter((row) => row.querySelector("a") === null).map((row) => row.textContent)`;
    expect(await page.evaluate(bare), id).toEqual([]);
  }
  const open = "document.querySelector('#trials ~ details').open";
  expect(await page.evaluate(open)).toBe(false);
  await page.locator("section[aria-labelledby=answer] tbody a").first().click();
  expect(await page.evaluate(open)).toBe(true);
  await page.close();
});

test("the conclusions show their denominators on an ordinary screen without scrolling", async () => {
  const models = ["anthropic/claude-sonnet-4.5", "moonshotai/kimi-k2"];
  const benchmarks = ["one", "two", "three", "four", "five", "six"];
  const campaign = pageCampaign({ skills: ["house-style"], benchmarks, models });
  const page = await opened(campaign);
  const region = `document.querySelector("[aria-label='Every conclusion with its figures']")`;
  expect(await page.evaluate(`${region}.scrollWidth - ${region}.clientWidth`)).toBe(0);
  await page.close();
});
