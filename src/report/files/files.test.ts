import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import xmlbuilder from "xmlbuilder2";
import { z } from "zod";
import { analysisSettingsSchema } from "../../artefacts/analysis.ts";
import type { Conclusions } from "../../artefacts/conclusion.ts";
import { concludeCampaign } from "../../campaign-analysis.ts";
import { trialEntries, type TrialTable } from "../../testing/trial-entries.ts";
import { endedTrial } from "../../testing/trials.ts";
import type { TrialOnDisk } from "../outcome.ts";
import { cellsOf } from "../uplift.ts";
import { badgeOf } from "./badge.ts";
import { junitPieces } from "./junit.ts";
import { oneLine } from "./one-line.ts";
import { csvPieces } from "./trials-csv.ts";

const junitOf = (...told: Parameters<typeof junitPieces>): string => [...junitPieces(...told)].join("");
const trialsCsv = (...told: Parameters<typeof csvPieces>): string => [...csvPieces(...told)].join("");

const table: TrialTable = {
  one: { with_skill: "++-", without_skill: "-?!" },
  two: { with_skill: "+.", without_skill: "--" },
};
const used = { inputTokens: 90, outputTokens: 10, costUsd: 0.000_001, modelCalls: 2 };

/** What a hostile grader, agent or author may write. */
const hostile: readonly (readonly [string, string])[] = [
  ["markup", `]]> <b>"'&amp; <?xml?> <!--`],
  ["entities", "&nobody; &#0; &amp; &#x1b;"],
  ["controls", "\u0000\u001b[2J\u0007\u009b31m red"],
  ["half characters", "\ud800 and \udfff, \ufffe, \uffff"],
  ["directional marks", "\u202egnp.exe\u2066"],
  ["lines", "one\r\ntwo\u2028three\u0085four"],
  ["a formula", '=HYPERLINK("http://x")'],
  ["a formula behind a tab", "\t=1+1"],
  ["long", "x".repeat(20_000_000)],
];

describe("junit.xml", () => {
  const suiteSchema = z.object({ "@name": z.string() }).loose();
  const text = junitOf("sample-0123", trialEntries(table, { reason: "because" }));
  const root = z
    .object({ testsuites: z.object({ testsuite: z.array(suiteSchema) }).loose() })
    .parse(xmlbuilder.create(text).end({ format: "object" })).testsuites;

  test("has a case per planned trial, and an error is no failure", () => {
    expect(text.split("\n")[0]).toBe('<?xml version="1.0" encoding="UTF-8"?>');
    expect(root).toMatchObject({ "@tests": "10", "@failures": "4", "@errors": "2", "@skipped": "1" });
    expect(root.testsuite).toMatchObject([
      { "@name": "sample/one a/x", "@tests": "6", "@failures": "2", "@errors": "2", "@skipped": "0" },
      { "@name": "sample/two a/x", "@tests": "4", "@failures": "2", "@errors": "0", "@skipped": "1" },
    ]);
    for (const [tag, count] of Object.entries({ testcase: 10, failure: 4, error: 2, skipped: 1 }))
      expect(text.split(`<${tag} `).length - 1, tag).toBe(count);
    expect(text.trimEnd()).toMatch(/<\/testsuite>\n<\/testsuites>$/);
  });

  test("says why", () => {
    expect(text).toContain('<error message="undecided: because" type="ungraded">undecided: because</error>');
    expect(text).toContain('<error message="missing: void 3 time(s)" type="ungraded">');
    expect(text).toContain('<skipped message="missing: not done yet"/>');
    expect(text).toContain('<failure message="because" type="failed">because</failure>');
    const silent = junitOf("c", trialEntries({ one: { with_skill: "-" } }));
    expect(silent).toContain("verdict.json of sample/one/a/x/with_skill/1 says which assertions");
    const broken = junitOf(
      "c",
      trialEntries({ one: { with_skill: "-" } }, { reason: "grader_error: exit 7" }),
    );
    expect(broken).toContain('type="grader_error"');
  });

  test.each(hostile)("stays legal XML 1.0 with %s in it", (_name, reason) => {
    const made = junitOf(
      reason,
      trialEntries({ one: { with_skill: "-" } }, { reason, model: reason.slice(0, 99) }),
    );
    expectLegal(made);
    expect(made.length).toBeLessThan(20_000);
    const [, inside = ""] = /<failure [^>]*>([^<]*)<\/failure>/.exec(made) ?? [];
    expect(inside).toBe(escaped(oneLine(reason)));
  });

  test("a cause that its reason begins with is said once", () => {
    const [planned] = trialEntries({ one: { with_skill: "." } });
    if (planned === undefined) throw new Error("no trial");
    const trial = endedTrial(planned.planned);
    const blocked = { ...trial, outcome: { kind: "blocked", reason: "an input filter" } } as const;
    expect(junitOf("c", [{ ...planned, trial: blocked }])).toContain(
      '<error message="blocked: an input filter" type="ungraded">blocked: an input filter</error>',
    );
  });

  test("a trial that looks did not call for is skipped, whatever lies in its place", () => {
    const entries = trialEntries({ one: { with_skill: "+-", without_skill: ".." } });
    const made = junitOf("c", entries, new Set(entries.slice(0, 1)));
    expect(made).toContain('tests="4" failures="0" errors="0" skipped="3"');
    expect(made).toContain('<skipped message="the plan\'s looks have not called for it"/>');
  });

  test("nothing planned is a document all the same", () => {
    expect(junitOf("c", [])).toContain('<testsuites name="c" tests="0" failures="0" errors="0" skipped="0">');
  });
});

describe("trials.csv", () => {
  const rowsOf = (entries: readonly TrialOnDisk[]): readonly Readonly<Record<string, string>>[] =>
    z.array(z.record(z.string(), z.string())).parse(parse(trialsCsv(entries), { columns: true }));

  test("has a row per planned trial, and what is unavailable is empty", () => {
    const rows = rowsOf(trialEntries(table, { usage: ({ n }) => (n === 1 ? used : {}), reason: "because" }));
    expect(rows.map(({ benchmark, arm, n, verdict }) => [benchmark, arm, n, verdict].join(" "))).toEqual([
      ...["one with_skill 1 passed", "one with_skill 2 passed", "one with_skill 3 failed"],
      ...["one without_skill 1 failed", "one without_skill 2 ungraded", "one without_skill 3 ungraded"],
      ...["two with_skill 1 passed", "two with_skill 2 ungraded"],
      ...["two without_skill 1 failed", "two without_skill 2 failed"],
    ]);
    const [told, untold] = rows;
    const calls = { model_calls: "2", tool_calls: "1" };
    expect(told).toMatchObject({ input_tokens: "90", output_tokens: "10", cost_usd: "0.000001", ...calls });
    expect(told).toMatchObject({
      skill: "sample",
      model: "a/x",
      block: "1",
      cause: "",
      reason: "",
      voids: "0",
    });
    expect(untold).toMatchObject({ input_tokens: "", uncached_input_tokens: "", cost_usd: "" });
    expect(rows[4]).toMatchObject({ cause: "undecided", reason: "because", stop: "finished" });
    expect(rows[5]).toMatchObject({
      cause: "missing",
      reason: "void 3 time(s)",
      stop: "",
      model_calls: "",
      voids: "3",
    });
  });

  test("a trial that looks did not call for has a row that says so", () => {
    const entries = trialEntries({ one: { with_skill: "+-", without_skill: "." } });
    const rows = z
      .array(z.record(z.string(), z.string()))
      .parse(parse(trialsCsv(entries, new Set(entries.slice(0, 1))), { columns: true }));
    expect(rows.map(({ verdict }) => verdict)).toEqual(["passed", "not_counted", "not_counted"]);
  });

  test.each<[number, string]>([
    [0.0021279999999999997, "0.002128"],
    [0.1 + 0.2, "0.3"],
    [0.000_000_1, "0.0000001"],
    [0.000_000_000_4, "0"],
    [0, "0"],
    [12, "12"],
  ])("a cost of %d dollars is told to a billionth", (costUsd, words) => {
    const rows = rowsOf(trialEntries({ one: { with_skill: "+" } }, { usage: () => ({ costUsd }) }));
    expect(rows.map(({ cost_usd: told }) => told)).toEqual([words]);
  });

  test("nothing planned leaves the header, and many rows are all there, in order", () => {
    expect(trialsCsv([])).toMatch(/^skill,benchmark,model,arm,n,block,verdict,.*tool_calls\n$/);
    const many = trialEntries({ one: { with_skill: "+".repeat(12_345) } });
    expect(rowsOf(many).map(({ n }) => Number(n))).toEqual(many.map(({ planned }) => planned.n));
  });

  test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\u200e=1", "\uff1d1"])(
    "%j is no formula",
    (text) => {
      const entries = trialEntries({ [text]: { with_skill: "-" } }, { reason: text, model: text });
      for (const name of ["benchmark", "model", "reason"])
        expect(rowsOf(entries)[0]?.[name], name).toBe(`'${text.replace(/^[\s\u200e]/, "")}`);
    },
  );

  test.each(hostile)("one trial is one line with %s in it", (_name, reason) => {
    const text = trialsCsv(trialEntries({ one: { with_skill: "-" } }, { reason }));
    expectLegal(text);
    expect(text.split("\n")).toHaveLength(3);
    expect(
      rowsOf(trialEntries({ one: { with_skill: "-" } }, { reason }))[0]?.["reason"]?.replace(/^'/, ""),
    ).toBe(oneLine(reason));
  });
});

describe("badge.svg", () => {
  const settings = analysisSettingsSchema.parse({ bootstrap: { resamples: 0 } });
  const eight = (treated: string, control: string): TrialTable =>
    Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => [`t${at}`, { with_skill: treated, without_skill: control }]),
    );
  const concluded = (skills: Readonly<Record<string, TrialTable>>): Conclusions =>
    concludeCampaign(
      cellsOf(Object.entries(skills).flatMap(([skill, of]) => trialEntries(of, { skill }))),
      [],
      settings,
    );
  const report = { campaign: "sample-0123", standIn: false, probe: null, conclusions: null };
  const told = (badge: string): string => /<title>([^<]*)<\/title>/.exec(badge)?.[1] ?? "";
  const [good, bad, same] = [eight("++++", "----"), eight("----", "++++"), eight("++--", "++--")];

  test.each<[string, Readonly<Record<string, TrialTable>>, string, string]>([
    ["helps", { house: good }, "house: helps vs none +100", "#2e7d32"],
    ["hurts", { house: bad }, "house: hurts −100", "#b71c1c"],
    [
      "cannot tell",
      { house: { one: { with_skill: "+", without_skill: "-" } } },
      "house: cannot tell",
      "#757575",
    ],
    ["several", { a: good, b: bad, c: good }, "sample-0123: hurts 1, helps 2 of 3 skills", "#b71c1c"],
    ["a skill named as markup", { "<script>&": good }, "&lt;script&gt;&amp;: helps vs none +100", "#2e7d32"],
  ])("%s", (_name, skills, words, color) => {
    const badge = badgeOf({ ...report, conclusions: concluded(skills) });
    expect(told(badge)).toBe(words);
    expect(badge).toContain(`fill="${color}"`);
    expectLegal(badge);
    expect(badge).not.toContain("<script");
  });

  test("no difference within the margin is told without a figure", () => {
    const conclusions = concluded({ house: same });
    const badge = badgeOf({ ...report, conclusions });
    const [row] = conclusions.rows.filter(({ level }) => level === "skill");
    expect(told(badge)).toBe(`house: ${(row?.tasks ?? row?.set)?.label}`);
  });

  test.each<[string, Partial<Parameters<typeof badgeOf>[0]>, string]>([
    [
      "a stand-in says so whatever came out",
      { standIn: true, conclusions: concluded({ house: good }) },
      "house: stand-in, not a model",
    ],
    ["a probe", { probe: { ceiling: "c", floor: "f" } }, "sample-0123: probe"],
    ["no hypothesis", {}, "sample-0123: no conclusion"],
  ])("%s", (_name, over, words) => {
    const badge = badgeOf({ ...report, ...over });
    expect(told(badge)).toBe(words);
    expect(badge).toContain('fill="#757575"');
  });
});

/** Every character is one that XML 1.0 allows, and none is half of one. */
function expectLegal(text: string): void {
  expect(text.length).toBeGreaterThan(0);
  expect(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.exec(text)?.index ?? null).toBeNull();
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
