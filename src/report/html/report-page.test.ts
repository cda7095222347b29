import { expect, test } from "vitest";
import { pageCampaign } from "../../testing/page-campaign.ts";
import { endedTrial, verdictOf } from "../../testing/trials.ts";
import { cellNames } from "./cell-name.ts";
import { chosenRows } from "./chosen-rows.ts";
import { ofGraded, pointsInterval, signedPoints, times, usd } from "./figures.ts";
import { foreign } from "./foreign.ts";
import { funnelOf } from "./funnel-section.ts";
import { documentOf, html } from "./markup.ts";
import { page } from "./page.ts";
import { renderReportPage } from "./report-page.ts";
import type { ChartRow } from "./row-chart.ts";
import { toldSection } from "./told.ts";

const written = (parts: Parameters<typeof pageCampaign>[0]): string => {
  const { report, timings, trials } = pageCampaign(parts);
  return renderReportPage(report, timings, trials);
};

const nobody = { passed: 0, graded: 0, planned: 0 };
const noUplift = { uplift: null, cells: 0, completeCells: 0, with: nobody, without: nobody };

const notices: readonly (readonly [string, Parameters<typeof pageCampaign>[0], string])[] = [
  ["a stand-in", { over: { standIn: true } }, "Stand-in, not a model."],
  ["a replay", { over: { replay: "r" } }, "Replayed from a recording."],
  [
    "a campaign that has begun",
    { entryOf: () => ({}) },
    "0 of 24 planned trials have finished and 0 are graded",
  ],
  ["an empty campaign", { benchmarks: [], comparisons: null }, "The plan has no trial"],
  [
    "a campaign without a verdict",
    { entryOf: (planned) => ({ trial: endedTrial(planned), verdict: verdictOf("ungraded", "no judge") }) },
    "All 24 trials have finished and none could be graded",
  ],
];

test.each(notices)("%s is told before any number, and in no other campaign", (_name, parts, words) => {
  const text = written(parts);
  expect(text.indexOf(words)).toBeGreaterThan(0);
  expect(text.indexOf(words)).toBeLessThan(text.indexOf('class="lead"'));
  expect(written({})).not.toContain(words);
});

test("equal arms have a section of their own, with what they differ by and its denominators", () => {
  const text = written({ arms: ["without_skill", "without_skill@again"], comparisons: null });
  expect(text).toContain('id="equal-arms"');
  expect(text).toMatch(/without_skill@again against without_skill/);
  expect(text).toContain("analysis.noiseFloor:");
  expect(written({})).not.toContain('id="equal-arms"');
});

test("what cannot be said is said not to be known, never 0", () => {
  const text = written({ entryOf: () => ({}) });
  expect(text).toContain("no verdict in an arm");
  expect(text).toContain("none of 3 graded");
  expect(text).toContain("Unavailable: no arm has both a graded trial");
  expect(text).not.toContain("NaN");
  expect(text).not.toContain("undefined");
});

test("one arm alone has pass rates and no uplift", () => {
  const text = written({ arms: ["with_skill"], comparisons: null });
  expect(text).toContain("No uplift can be shown");
  expect(text).toContain("No conclusion: the plan has no hypothesis");
  expect(text).toContain('id="grid"');
});

test.each([
  ["between looks", { ended: false }, "nothing is concluded between them", "the plan has no hypothesis"],
  ["after the last look", { ended: true }, "this report counts by another rule", "between them"],
  ["without looks", null, "this report counts by another rule", "between them"],
] as const)("without a conclusion both places say why: %s", (_name, looks, words, not) => {
  const { report, timings, trials } = pageCampaign();
  const taken = {
    settings: { count: 2, boundary: "obrien-fleming", settle: null, trials: report.settings.trials } as const,
    ...{
      taken: [],
      atMost: report.trials.planned,
      notReleased: 0,
      settledCells: 0,
      cells: report.cells.length,
    },
  };
  const seen = looks === null ? null : { ...taken, ...looks };
  const text = renderReportPage({ ...report, conclusions: null, looks: seen }, timings, trials);
  expect(text.split(words)).toHaveLength(3);
  expect(text).not.toContain(not);
});

/** Title and colour of every mark and interval of the first forest plot. */
function colours(text: string): readonly (readonly [string, string])[] {
  const from = text.indexOf('id="forest-0"');
  const figure = text.slice(from, text.indexOf("</svg>", from));
  const marks = figure.matchAll(
    /<(?:path|circle)[^>]* (?:fill|stroke)="(var\(--(?:up|down|flat)\))"[^>]*><title>([^<]*)</gi,
  );
  return [...marks].map(([, colour = "", title = ""]) => [title, colour]);
}

test.each([
  ["better", "with_skill", "var(--up)"],
  ["worse", "without_skill", "var(--down)"],
])("a cell is never coloured, a skill that is %s is", (_name, passing, colour) => {
  const all = pageCampaign({
    ...{ benchmarks: Array.from({ length: 8 }, (_, at) => `b${at}`), models: ["a/x"], trials: 8 },
    entryOf: (planned) => ({
      trial: endedTrial(planned),
      // Where all tasks differ alike no interval can be drawn.
      verdict: verdictOf(
        planned.arm === passing && planned.n > Number(planned.benchmark.slice(1)) / 4 ? "passed" : "failed",
      ),
    }),
  });
  const found = colours(renderReportPage(all.report, all.timings, all.trials));
  const coloursOf = (name: RegExp): readonly string[] =>
    found.filter(([title]) => name.test(title)).map(([, own]) => own);
  // A mark and an interval each.
  expect(coloursOf(/^b\d:/)).toEqual(Array.from({ length: 2 * 8 }, () => "var(--flat)"));
  expect(coloursOf(/^sample:/)).toEqual([colour, colour]);
});

test.each<[string, readonly string[], string, string, string]>([
  ["one model is not named", ["a/x"], "one", "a/x", "one"],
  ["a provider says nothing here", ["a/x", "b/y"], "one", "b/y", "one · y"],
  ["a provider tells two apart", ["a/x", "b/x"], "one", "b/x", "one · b/x"],
  ["a name without a provider", ["x", "b/y"], "one", "x", "one · x"],
  ["a name like another without its provider", ["x", "b/x"], "one", "b/x", "one · b/x"],
  ["nothing behind the provider", ["a/", "b/y"], "one", "a/", "one · a/"],
  [
    "a long benchmark keeps both its ends, and the model is whole",
    ["acme/coder-large", "bravo/mini"],
    "quarterly-ledger-export-with-tags",
    "acme/coder-large",
    "quarterly-…with-tags · coder-large",
  ],
])("in a chart: %s", (_name, models, benchmark, model, shown) => {
  const names = cellNames({ perModel: models.map((one) => ({ ...noUplift, model: one })) });
  expect(names({ benchmark, model }).shown).toMatch(
    new RegExp(`^${shown.replaceAll("…", "[^ ]*…[^ ]*").replaceAll("/", "\\/")}$`),
  );
  expect(names({ benchmark, model }).whole).toContain(benchmark);
});

test.each(["x".repeat(1000), "\ud83d\ude00".repeat(500), `${"x".repeat(400)}\u202e`])(
  "two long names fit into a chart and none is cut away: %#",
  (name) => {
    const models = [`a/${name}1`, `b/${name}2`];
    const names = cellNames({ perModel: models.map((model) => ({ ...noUplift, model })) });
    for (const model of models) {
      const { shown } = names({ benchmark: name, model });
      expect(Array.from(shown).length).toBeLessThanOrEqual(36);
      expect(shown).toMatch(/^[^ ]+…[^ ]+ · [^ ]+…[^ ]+$/u);
      expect(shown.at(-1)).toBe(model.at(-1));
      expect(shown).not.toMatch(/[\ud800-\udfff\u202e]/u);
    }
  },
);

test("text from outside cannot become markup, in charts and titles neither", () => {
  const name = `<b onclick="x">&"'`;
  const text = written({ skills: [name], benchmarks: [name], models: [name] });
  expect(text).not.toContain("<b onclick");
  expect(text).toContain("&lt;b onclick=&quot;x&quot;>&amp;&quot;'");
});

test("every trial is listed with its verdict and its page", () => {
  const { report, timings, trials } = pageCampaign({ models: ["a/x y%"] });
  const text = renderReportPage(report, timings, trials);
  for (const { href } of trials) expect(text).toContain(`<a href="${href ?? ""}">`);
  expect(text).toContain(`${trials.length} of ${report.trials.planned} planned trials listed`);
  expect(renderReportPage(report, timings, [])).not.toContain('href="#c0');
});

test("each stage of the funnel is part of the one before it", () => {
  const { report } = pageCampaign();
  const funnel = funnelOf(report);
  expect(funnel.map(({ arm }) => arm)).toEqual(["without_skill", "with_skill"]);
  for (const { planned, finished, graded, passed } of funnel) {
    expect([planned, finished, graded, passed]).toEqual(
      [planned, finished, graded, passed].toSorted((a, b) => b - a),
    );
    expect(passed).toBeGreaterThan(0);
  }
  expect(funnel.reduce((sum, { finished }) => sum + finished, 0)).toBe(report.trials.finished);
});

test("a page executes nothing, loads nothing and leads back from a depth", () => {
  const text = page({ title: "</title><script>", body: html`<p>text</p>`, depth: 3, refreshSeconds: 5 });
  expect(text).toContain("default-src 'none'");
  expect(text).not.toContain("<script");
  expect(text).toContain('href="../../../index.html"');
  expect(text).toContain('http-equiv="refresh" content="5"');
  expect(page({ title: "t", body: html`<p>text</p>`, depth: 0 })).not.toContain("Back to the report");
});

const figures: readonly (readonly [string, string])[] = [
  [signedPoints(1 / 3), "+33.3"],
  [signedPoints(-0.5), "−50.0"],
  [signedPoints(-0.0001), "0.0"],
  [signedPoints(null), "unavailable"],
  [pointsInterval([-0.1, 0.2]), "−10.0 to +20.0"],
  [ofGraded({ passed: 2, graded: 3, planned: 3 }), "2 of 3"],
  [ofGraded({ passed: 2, graded: 3, planned: 4 }), "2 of 3 (4 planned)"],
  [ofGraded({ passed: 0, graded: 0, planned: 4 }), "none of 4 graded"],
  [ofGraded({ passed: 0, graded: 0, planned: 0 }), "not planned"],
  [times(1.456), "1.46×"],
  [usd(0.01234), "$0.0123"],
  [usd(null), "unavailable"],
];

test.each(figures)("%s is written as %s", (told, expected) => {
  expect(told).toBe(expected);
});

const texts: readonly (readonly [string, string, string])[] = [
  ["a turn of direction", "a\u202eb", "aU+202Eb"],
  ["an escape of a terminal", "\u001b[31mred\u001b[0m", "red"],
  ["a bell", "a\u0007b", "a\u2407b"],
  ["half of a character", "a\ud800b", "a\ufffdb"],
  ["lines", "one\ntwo", "one two"],
  ["20 MB", "x".repeat(20_000_000), `${"x".repeat(300)} … (300 of 20000000 characters shown)`],
];

test.each(texts)("%s is shown and not obeyed", (_name, text, expected) => {
  expect(foreign(text)).toBe(expected);
});

const chartRow = (name: string): ChartRow => ({
  ...{ name, kind: "cell", counts: [], value: 0, interval: null, told: "", title: name },
});

test("a chart without room keeps what is furthest from no difference, and says how much that is", () => {
  const parts = [0.1, -0.9, 0.5].map((difference, at) => ({
    ...{ skill: "s", weight: Math.abs(difference), row: chartRow(`b${at}`) },
  }));
  const wholes = [{ skill: "s", row: chartRow("s") }];
  const few = chosenRows(wholes, parts, 3);
  expect(few.shown.map(({ name }) => name)).toEqual(["s", "b1", "b2"]);
  expect(few.words).toContain("3 of 4 rows shown");
  const all = chosenRows(wholes, parts, 4);
  expect(all.shown.map(({ name }) => name)).toEqual(["s", "b0", "b1", "b2"]);
  expect(all.words).toBe("");
});

test("a section of report.md becomes markup without its text becoming any", () => {
  const section = toldSection("x", ({ table, plain }) =>
    [
      "## Title",
      `**bold** ${plain("<i>\n\n- no list")}`,
      "### Part",
      `- ${plain("one")}\n- two`,
      table(["a"], [["<td>"]]),
    ].join("\n\n"),
  );
  const text = documentOf(section ?? []);
  expect(text).toContain('<h2 id="x">Title</h2>');
  expect(text).toContain("<strong>bold</strong> &lt;i> - no list");
  expect(text).toContain("<h3><span>Part</span></h3>");
  expect(text.match(/<li>/g)).toHaveLength(2);
  expect(text).toContain(">&lt;td></th>");
  expect(toldSection("x", () => "")).toBeNull();
});
