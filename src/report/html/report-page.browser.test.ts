import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { openBrowser } from "../../testing/browser.ts";
import { type PageCampaign, pageCampaign } from "../../testing/page-campaign.ts";
import { endedTrial, verdictOf } from "../../testing/trials.ts";
import { renderReportPage } from "./report-page.ts";

let browser: Browser;
let folder: string;

beforeAll(async () => {
  browser = await openBrowser();
  folder = await mkdtemp(join(tmpdir(), "report-page-"));
});

afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
});

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

type Opened = {
  readonly page: Page;
  readonly console: readonly string[];
  readonly requests: readonly string[];
};

/** From a file, as a reader opens it. What it wrote to the console and asked for is kept. */
async function opened(text: string, colorScheme: "light" | "dark" = "light", width = 1200): Promise<Opened> {
  const path = join(await mkdtemp(join(folder, "page-")), "index.html");
  await writeFile(path, text);
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height: 900 },
    bypassCSP: false,
  });
  const page = await context.newPage();
  const console: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => console.push(message.text()));
  page.on("pageerror", (error) => console.push(error.message));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(path).href);
  return { page, console, requests };
}

const textOf = ({ report, timings, trials }: PageCampaign): string =>
  renderReportPage(report, timings, trials);

const usual = pageCampaign({ arms: ["without_skill", "with_skill", "placebo"] });
const hostile = `</title><script>document.title="owned"</script><img src=x onerror=alert(1)>\u001b[31m\u202e"'&`;

const campaigns: readonly (readonly [string, PageCampaign])[] = [
  ["an ordinary campaign", usual],
  ["one arm only", pageCampaign({ arms: ["with_skill"], comparisons: null })],
  ["an empty campaign", pageCampaign({ benchmarks: [], comparisons: null })],
  ["one that has just begun", pageCampaign({ entryOf: () => ({}) })],
  [
    "a campaign without a verdict",
    pageCampaign({
      entryOf: (planned) => ({ trial: endedTrial(planned), verdict: verdictOf("ungraded", "no judge") }),
    }),
  ],
  [
    "more rows than are shown at once",
    pageCampaign({
      skills: ["s1", "s2", "s3"],
      benchmarks: Array.from({ length: 30 }, (_, at) => `b${at}`),
      trials: 1,
      over: { standIn: true, replay: "r" },
    }),
  ],
  [
    "hostile names and reasons",
    pageCampaign({
      skills: [hostile],
      benchmarks: [hostile, `${hostile}2`],
      models: [hostile],
      entryOf: () => ({ voids: 1, torn: `${hostile}${"x".repeat(20_000_000)}` }),
    }),
  ],
];

test.each(campaigns)("%s: opens from a file, quiet and without a request", async (_name, campaign) => {
  const { page, console, requests } = await opened(textOf(campaign));
  expect(await page.locator("h1").count()).toBe(1);
  expect(await page.title()).toContain("skillproof");
  expect(console).toEqual([]);
  expect(requests).toEqual([page.url()]);
  expect(await page.locator("script").count()).toBe(0);
  expect(await page.locator("main img").count()).toBe(0);
  await page.context().close();
});

const schemes = ["light", "dark"] as const;

test.each(
  campaigns.flatMap(([name, campaign]) => schemes.map((scheme) => [name, scheme, campaign] as const)),
)("%s, %s: the accessibility check finds nothing", async (_name, scheme, campaign) => {
  const path = join(await mkdtemp(join(folder, "axe-")), "index.html");
  await writeFile(path, textOf(campaign));
  const context = await browser.newContext({ colorScheme: scheme, bypassCSP: true });
  const page = await context.newPage();
  await page.goto(pathToFileURL(path).href);
  await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })");
  await page.addScriptTag({ path: axe });
  const found = z
    .array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }))
    .parse(await page.evaluate("axe.run().then(({ violations }) => violations)"));
  expect(found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`)).toEqual([]);
  await context.close();
});

const marksSchema = z.array(z.object({ title: z.string(), x: z.number() }));

/** Title and middle of each mark of a figure, in pixels. */
async function marksOf(page: Page, figure: string, kind: string): Promise<z.infer<typeof marksSchema>> {
  return marksSchema.parse(
    await page.evaluate(`[...document.querySelectorAll("#${figure} .${kind} path, #${figure} .${kind} circle")].map((mark) => {
      const { x, width } = mark.getBoundingClientRect();
      return { title: mark.querySelector("title").textContent, x: x + width / 2 };
    })`),
  );
}

/** Where the axis has its ticks, by their words. */
async function ticksOf(page: Page, figure: string): Promise<ReadonlyMap<string, number>> {
  const found = z.array(z.tuple([z.string(), z.number()])).parse(
    await page.evaluate(`[...document.querySelectorAll("#${figure} .ticks text")].map((tick) => {
      const { x, width } = tick.getBoundingClientRect();
      return [tick.textContent, x + width / 2];
    })`),
  );
  return new Map(found);
}

test("the forest plot has a mark for each value of report.json, at its place", async () => {
  const { page } = await opened(textOf(usual));
  const cells = usual.report.further.cells.filter(({ difference }) => difference !== null);
  const marks = await marksOf(page, "forest-0", "value.cell");
  expect(marks).toHaveLength(cells.length);
  expect(await marksOf(page, "forest-0", "value.whole")).toHaveLength(usual.report.perSkill.length);
  expect(await page.locator("#forest-0 .span path").count()).toBe(
    cells.filter(({ interval }) => interval !== null).length + usual.report.perSkill.length,
  );
  const ticks = [...(await ticksOf(page, "forest-0"))];
  const [from, to] = [ticks[0], ticks.at(-1)];
  const bound = Number(to?.[0].replace("+", ""));
  const middle = ((from?.[1] ?? 0) + (to?.[1] ?? 0)) / 2;
  const perPoint = ((to?.[1] ?? 0) - (from?.[1] ?? 0)) / (2 * bound);
  for (const [nth, { difference, treated, control }] of cells.entries()) {
    const mark = marks[nth];
    const points = (difference ?? Number.NaN) * 100;
    expect(Math.abs((mark?.x ?? 0) - (middle + points * perPoint)), mark?.title).toBeLessThan(2);
    expect(mark?.title).toContain(`${treated.passed}/${treated.graded} passed with`);
    expect(mark?.title).toContain(`${control.passed}/${control.graded} without`);
    expect(mark?.title).toContain(Math.abs(points).toFixed(1));
  }
  await page.context().close();
});

test("tokens and costs have a mark for each value", async () => {
  const { page } = await opened(textOf(usual));
  const known = usual.report.further.cells.filter(({ tokens }) => tokens.ratio !== null);
  expect(await marksOf(page, "tokens-0", "value.cell")).toHaveLength(known.length);
  const priced = usual.report.usage.filter(({ costUsd }) => costUsd.mean !== null);
  const points = await marksOf(page, "scatter", "value");
  expect(points).toHaveLength(priced.length);
  expect(new Set(points.map(({ title }) => title)).size).toBe(priced.length);
  await page.context().close();
});

test("every link leads to a place of the page or to a trial's page", async () => {
  const { page } = await opened(textOf(usual));
  const hrefs = z
    .array(z.string())
    .parse(await page.evaluate("[...document.querySelectorAll('a')].map((a) => a.getAttribute('href'))"));
  const ids = new Set(
    z
      .array(z.string())
      .parse(await page.evaluate("[...document.querySelectorAll('[id]')].map(({ id }) => id)")),
  );
  const places = hrefs.filter((href) => href.startsWith("#"));
  expect(places.filter((href) => !ids.has(href.slice(1)))).toEqual([]);
  const trials = new Set(usual.trials.map(({ href }) => href));
  const others = hrefs.filter((href) => !href.startsWith("#"));
  expect(others.filter((href) => !trials.has(href))).toEqual([]);
  expect(new Set(others)).toEqual(trials);
  expect(places.length).toBeGreaterThan(usual.report.cells.length);
  await page.context().close();
});

test("a trial's link leads to its file, whatever its model is called", async () => {
  const [first] = usual.trials;
  const href = first?.href ?? "";
  const { page } = await opened(textOf(usual));
  const target = new URL(href, page.url());
  await mkdir(new URL(".", target), { recursive: true });
  await writeFile(target, "<!doctype html><title>its page</title>");
  await page.locator(`a[href="${href}"]`).first().click();
  await page.waitForURL(target.href);
  expect(await page.title()).toBe("its page");
  await page.context().close();
});

test("Tab reaches every link, summary and scrolling region in order", async () => {
  const { page } = await opened(textOf(usual));
  await page.evaluate(
    `window.reached = []; document.addEventListener("focusin", ({ target }) => reached.push(target))`,
  );
  const wanted = z
    .number()
    .parse(
      await page.evaluate(
        `(window.wanted = [...document.querySelectorAll("a, summary, [tabindex='0']")].filter((one) => one.checkVisibility())).length`,
      ),
    );
  for (let pressed = 0; pressed < wanted; pressed++) await page.keyboard.press("Tab");
  const missed = await page.evaluate(
    "wanted.filter((one) => !reached.includes(one)).map(({ outerHTML }) => outerHTML.slice(0, 120))",
  );
  expect(missed).toEqual([]);
  await page.context().close();
});

test.each([360, 1200])("nothing of a page %i pixels wide stands beside it", async (width) => {
  const { page } = await opened(textOf(usual), "light", width);
  await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })");
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  await page.context().close();
});

test("a page of 3,000 trials stays small enough to be painted at once", async () => {
  const many = pageCampaign({
    skills: Array.from({ length: 10 }, (_, at) => `skill-${at}`),
    benchmarks: Array.from({ length: 25 }, (_, at) => `benchmark-${at}`),
    trials: 3,
  });
  expect(many.trials).toHaveLength(3000);
  const text = textOf(many);
  const { page } = await opened(text);
  const painted = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime");
  process.stdout.write(`3,000 trials: ${text.length} characters, first paint after ${String(painted)} ms\n`);
  expect(text.length).toBeLessThan(2_500_000);
  expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(40_000);
  const marks = await marksOf(page, "forest-0", "value");
  expect(marks.length).toBeLessThanOrEqual(60);
  expect(await page.locator("#forest-0 figcaption").textContent()).toContain(
    `of ${many.report.further.cells.length + many.report.perSkill.length} rows shown`,
  );
  expect(await page.locator("#trials ~ details li a").count()).toBe(3000);
  await page.context().close();
});

test("a picture of the whole page has no stretch without anything in it", async () => {
  const { page } = await opened(textOf(usual));
  const heights = z.tuple([z.number(), z.number()]).parse(
    await page.evaluate(`(() => {
      const before = document.documentElement.scrollHeight;
      for (const one of document.querySelectorAll("*")) one.style.contentVisibility = "visible";
      return [before, document.documentElement.scrollHeight];
    })()`),
  );
  expect(heights[0]).toBe(heights[1]);
  await page.context().close();
});

test("printed, everything that stands folded is shown", async () => {
  const { page } = await opened(textOf(usual));
  const hidden =
    "[...document.querySelectorAll('details td')].filter((one) => !one.checkVisibility({ contentVisibilityAuto: true })).length";
  expect(await page.evaluate(hidden)).toBeGreaterThan(0);
  expect(await page.locator(".folded").isVisible()).toBe(false);
  await page.emulateMedia({ media: "print" });
  await expect.poll(() => page.evaluate(hidden)).toBe(0);
  expect(await page.evaluate("document.querySelectorAll('details td').length")).toBeGreaterThan(0);
  // This browser can unfold them by style alone.
  expect(await page.locator(".folded").isVisible()).toBe(false);
  expect(await page.locator(".folded").textContent()).toContain("before printing");
  await page.context().close();
});
