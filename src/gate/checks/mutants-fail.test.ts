import { expect, test } from "vitest";
import type { Bundle } from "../../artefacts/bundle.ts";
import type { Claims } from "../../artefacts/claims.ts";
import type { Grading } from "../../artefacts/grading.ts";
import { textOf } from "../../artefacts/tree.ts";
import { answerBundle, letterBundle } from "../../testing/benchmark.ts";
import { toldTools } from "../../testing/check-tools.ts";
import { answerOf, gradingOf } from "../../testing/gradings.ts";
import type { Finding, GradeOptions } from "../check.ts";
import { type Mutant, wholeFileKinds } from "../mutants/mutant.ts";
import { defaultGateSettings } from "../run-gate.ts";
import { mutantsFailBy } from "./mutants-fail.ts";

const assertion = "answer.txt holds the answer";
const bundle = answerBundle();
const reference = gradingOf(0, [assertion]);
const killed = gradingOf(1, [`!${assertion}`]);
const late: Grading = {
  ...gradingOf(2, []),
  grader: { exitCode: null, signal: "SIGKILL", timedOut: true, seconds: 20 },
};

function mutantOf(kind: string, text: string | null, path = "answer.txt"): Mutant {
  return {
    id: `${kind}:${path}:${(text ?? "missing").slice(0, 8)}`,
    kind,
    path,
    words: `it became ${text ?? "nothing"}`,
    bytes: text === null ? null : new TextEncoder().encode(text),
    diff: text === null ? null : `--- a\n+++ b\n-right\n+${text}`,
  };
}

/** Mutants by what they hold, each graded as told. */
type Plan = Readonly<Record<string, Grading>>;

function prove(
  plan: Plan,
  over: {
    readonly bundle?: Bundle;
    readonly reference?: Grading;
    readonly seen?: readonly Grading[];
    readonly killRate?: number;
    readonly kind?: string;
    readonly asked?: GradeOptions[];
  } = {},
): Promise<Finding> {
  const tried = over.bundle ?? bundle;
  const path = tried.spec.judged ? "letter.md" : "answer.txt";
  const mutants = Object.keys(plan).map((text) => mutantOf(over.kind ?? "text-changed", text, path));
  const tools = toldTools(
    (workspace, options) => {
      over.asked?.push(options);
      return plan[textOf(workspace, path) ?? ""] ?? Object.values(plan)[0]!;
    },
    over.reference ?? reference,
    {
      settings: { ...defaultGateSettings, killRate: over.killRate ?? defaultGateSettings.killRate },
      ...(over.seen === undefined ? {} : { seen: over.seen }),
    },
  );
  return mutantsFailBy(() => Promise.resolve(mutants)).prove(tried, tools);
}

function excusing(survivors: Claims["survivors"]): Bundle {
  return { ...bundle, claims: { ...bundle.claims!, survivors } };
}

const idOf = (text: string): string => `text-changed:answer.txt:${text}`;
const plan = (kills: number, survivors: number): Plan => ({
  ...Object.fromEntries(Array.from({ length: kills }, (_, at) => [`k${at}`, killed])),
  ...Object.fromEntries(Array.from({ length: survivors }, (_, at) => [`s${at}`, reference])),
});

test("a grader that fails all of them passes, and it is kept what killed what", async () => {
  const asked: GradeOptions[] = [];
  const found = await prove({ wrong: killed, "": killed }, { asked });
  expect(found).toEqual({
    passed: true,
    words: "2 of 2 broken variants of the reference fail.",
    warnings: [],
    evidence: {
      planned: 2,
      kinds: [{ kind: "text-changed", planned: 2, killed: 2 }],
      killed: 2,
      survived: [],
      excused: [],
      leftToJudges: [],
      byTime: [],
      byJudges: [],
      broken: [],
      kills: [{ assertion, mutants: [idOf("wrong"), idOf("")] }],
      idle: [],
      unlisted: [],
    },
    facts: { killRate: 1 },
  });
  expect(asked.map(({ askJudges }) => askJudges)).toEqual([false, false]);
});

test.each<[string, number, number]>([
  ["at least twenty seconds", 0.5, 20_000],
  ["ten times the reference's", 6.25, 62_500],
])("a mutant's grader gets %s", async (_what, seconds, timeoutMs) => {
  const asked: GradeOptions[] = [];
  await prove(
    { wrong: killed },
    { asked, reference: { ...reference, grader: { ...reference.grader, seconds } } },
  );
  expect(asked.map((options) => options.timeoutMs)).toEqual([timeoutMs]);
});

test("the missing file is missing in the workspace", async () => {
  const paths: string[][] = [];
  const tools = toldTools((workspace) => {
    paths.push(workspace.map(({ path }) => path));
    return killed;
  }, reference);
  const check = mutantsFailBy(() => Promise.resolve([mutantOf("missing", null)]));
  expect(await check.prove(bundle, tools)).toMatchObject({ passed: true });
  expect(paths).toEqual([["notes.txt"]]);
});

test.each<[string, number, number, number, boolean]>([
  ["at the threshold", 8, 2, 0.8, true],
  ["below it", 7, 2, 0.8, false],
  ["at a threshold of none", 0, 2, 0, true],
])("a kill rate %s", async (_what, kills, survivors, killRate, passed) => {
  const found = await prove(plan(kills, survivors), { killRate });
  expect(found.passed).toBe(passed);
  expect(found.facts?.killRate).toBe(kills / (kills + survivors));
  expect(found.warnings?.[0]).toContain(
    `Broken variants of the reference that pass although something in them is broken (${survivors}): ${idOf("s0")}`,
  );
});

test("the author is shown what survived, ten with diffs and the rest by id, and told the way out", async () => {
  const { words } = await prove(plan(27, 13));
  expect(words).toContain(
    "fails only 27 of 40 broken variants of the reference: a kill rate of 0.67, and 0.8 is demanded",
  );
  expect(words).toContain(
    'name the variant in grader/claims.json with the reason: {"survivors": [{"mutant": "…"',
  );
  expect(words).toContain(`- ${idOf("s0")}: it became s0\n--- a\n+++ b\n-right\n+s0`);
  expect(words.match(/^\+\+\+ b$/gm)).toHaveLength(10);
  expect(words).toContain(`And: ${["s10", "s11", "s12"].map(idOf).join(", ")}`);
});

test("a rate just below the threshold is not shown as if it reached it", async () => {
  const { words } = await prove(plan(399, 101), { killRate: 0.8 });
  expect(words).toContain("a kill rate of 0.79, and 0.8 is demanded");
});

test("what the author excuses leaves the rate and is kept with the reason", async () => {
  const excuses = [{ mutant: idOf("s0"), reason: "the task leaves the label open" }];
  const found = await prove(plan(4, 2), { bundle: excusing(excuses) });
  expect(found).toMatchObject({
    passed: true,
    words: "4 of 5 broken variants of the reference fail (not counted: 1 excused).",
    facts: { killRate: 4 / 5 },
    evidence: {
      excused: [{ mutant: idOf("s0"), words: "it became s0", reason: "the task leaves the label open" }],
      survived: [{ mutant: idOf("s1"), words: "it became s1", diff: "--- a\n+++ b\n-right\n+s1" }],
    },
  });
  expect(found.warnings?.join("\n")).toContain(`${idOf("s0")} (the task leaves the label open)`);
});

test("excuses for killed and for unknown mutants are warnings", async () => {
  const excuses = ["k0", "gone"].map((text) => ({ mutant: idOf(text), reason: "open" }));
  const found = await prove(plan(1, 0), { bundle: excusing(excuses) });
  expect(found.passed).toBe(true);
  expect(found.warnings).toEqual([
    `Broken variants of the reference that are survivors in grader/claims.json, but fail (1): ${idOf("k0")}.`,
    `Broken variants of the reference that are survivors in grader/claims.json, but were not tried (1): ${idOf("gone")}.`,
  ]);
});

test("a grader that runs out of time has not passed, and it is said", async () => {
  const found = await prove({ loops: late, wrong: killed });
  expect(found).toMatchObject({
    passed: true,
    evidence: { byTime: [idOf("loops")], killed: 2 },
    facts: { killRate: 1 },
  });
  expect(found.warnings).toEqual([
    `Broken variants of the reference that did not end within their time and count as failed (1): ${idOf("loops")}.`,
  ]);
});

test("an assertion that fails on nothing is a warning", async () => {
  const both = {
    ...bundle,
    claims: { ...bundle.claims!, claims: [...bundle.claims!.claims, { assertion: "idle", sentence: "x" }] },
  };
  const found = await prove(
    { wrong: killed },
    { bundle: both, reference: gradingOf(0, [assertion, "idle"]) },
  );
  expect(found.passed).toBe(true);
  expect(found.warnings).toEqual(["Assertions that failed on no broken variant: idle."]);
});

test.each<[string, Promise<Finding>, readonly string[]]>([
  [
    "crashes",
    prove({ wrong: gradingOf(2, [], { log: "KeyError: total" }), fine: killed }),
    [
      "broke its contract on broken variants of the reference (1)",
      "a missing or malformed output is a failed assertion, never a crash",
      `- ${idOf("wrong")}: it became wrong`,
      "+wrong",
      "exit code 2",
      "KeyError: total",
    ],
  ],
  [
    "asks judges that no one announced",
    prove({ wrong: gradingOf(3, [], { answers: [answerOf("tone", true)] }) }),
    ["broke its contract", "asked the judges 1 questions"],
  ],
  [
    "writes an assertion that is not listed",
    prove({ wrong: gradingOf(1, ["!answer.txt is text"]) }),
    ['The grader writes "answer.txt is text" on descriptor 3, which claims does not list.'],
  ],
  [
    "wrote an assertion that is not listed for an earlier check",
    prove({ wrong: killed }, { seen: [reference, gradingOf(1, ["!no output"])] }),
    ['The grader writes "no output"'],
  ],
  ["has nothing to break", prove({}), ["Nothing of the reference can be broken"]],
  [
    "passes all, each of them excused",
    prove(plan(0, 1), { bundle: excusing([{ mutant: idOf("s0"), reason: "open" }]) }),
    ["grader/claims.json excuses each of them (1)", "Add assertions"],
  ],
])("a grader that %s is refused", async (_what, proven, words) => {
  const found = await proven;
  expect(found.passed).toBe(false);
  for (const part of words) expect(found.words).toContain(part);
});

const letter = letterBundle();
const there = "there is a letter";
const asking = (tone: boolean): Grading => gradingOf(3, [there], { answers: [answerOf("tone", tone)] });
const unasked: Grading = { ...asking(true), answers: [] };
test.each<[string, boolean]>([
  ...wholeFileKinds.map((kind): [string, boolean] => [kind, true]),
  ["text-changed", false],
])("whether judges are asked about a mutant of kind %s: %s", async (kind, askJudges) => {
  const asked: GradeOptions[] = [];
  await prove({ "You again\n": asking(false) }, { bundle: letter, reference: asking(true), kind, asked });
  expect(asked.map((options) => options.askJudges)).toEqual([askJudges]);
});

test("judges may kill, and what was left to them counts nowhere", async () => {
  const found = await prove(
    { angry: asking(false), fine: asking(true), later: unasked, none: gradingOf(1, [`!${there}`]) },
    { bundle: letter, reference: asking(true), killRate: 0.5 },
  );
  expect(found).toMatchObject({
    passed: true,
    words: "2 of 3 broken variants of the reference fail (not counted: 1 left to the judges).",
    evidence: {
      byJudges: ["text-changed:letter.md:angry"],
      leftToJudges: ["text-changed:letter.md:later"],
      survived: [{ mutant: "text-changed:letter.md:fine" }],
    },
    facts: { killRate: 2 / 3 },
  });
});

test("a judged bundle of which all is left to the judges passes with a warning and without a rate", async () => {
  const found = await prove({ a: unasked, b: unasked }, { bundle: letter, reference: asking(true) });
  expect(found).toMatchObject({ passed: true, facts: { killRate: null } });
  expect(found.warnings?.join("\n")).toContain(
    "only judges could tell, and that is all there was to try (2)",
  );
});

test("the words stay short whatever grader and mutants hold", async () => {
  const long = (at: number): string => `${at} ${"x".repeat(100_000)}`;
  const flood = gradingOf(
    2,
    Array.from({ length: 300 }, (_, at) => `!${long(at)}`),
    { log: long(0).repeat(10) },
  );
  const texts = Array.from({ length: 40 }, (_, at) => long(at));
  for (const grading of [flood, reference, gradingOf(1, [`!${long(1)}`])]) {
    const {
      passed,
      words,
      warnings = [],
    } = await prove(Object.fromEntries(texts.map((text) => [text, grading])));
    expect(passed).toBe(false);
    expect(Math.max(words.length, warnings.join("\n").length)).toBeLessThan(30_000);
  }
});
