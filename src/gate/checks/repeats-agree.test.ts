import { describe, expect, test } from "vitest";
import type { Grading } from "../../artefacts/grading.ts";
import type { FileTree } from "../../artefacts/tree.ts";
import { SandboxError } from "../../sandbox/port.ts";
import { packTree } from "../../sandbox/tar.ts";
import { answerBundle, treeOf } from "../../testing/benchmark.ts";
import { toldTools } from "../../testing/check-tools.ts";
import { answerOf, gradingOf } from "../../testing/gradings.ts";
import type { CheckTools, Finding, GradeOptions } from "../check.ts";
import { repeatsAgree } from "./repeats-agree.ts";

const bundle = answerBundle();
const passed = gradingOf(0, ["right"]);
const failed = gradingOf(1, ["!right"]);

type Setting = { readonly gradings?: number; readonly lacks?: RegExp; readonly first?: Grading };

/** The check with a grader that does as told; an agent's container has all that the scripts ask but `lacks`. */
async function prove(
  grade: (options: GradeOptions, call: number) => Grading,
  { gradings = 5, lacks = /$^/, first = passed }: Setting = {},
): Promise<{ readonly finding: Finding; readonly asked: readonly GradeOptions[] }> {
  const asked: GradeOptions[] = [];
  const told = (_: FileTree, options: GradeOptions): Grading => grade(options, asked.push(options) - 1);
  const tools: CheckTools = {
    ...toldTools(told, first),
    settings: { seed: 7, gradings, mutants: 40, killRate: 0.8, leaks: "warn" },
    actAsAgent: ({ script }) => {
      const traces = script.split("\n").filter((line) => !lacks.test(line));
      const names = traces.map((line) => /touch (\S+)$/.exec(line)?.[1] ?? "");
      return Promise.resolve(() => packTree(treeOf(Object.fromEntries(names.map((name) => [name, ""])))));
    },
  };
  return { finding: await repeatsAgree.prove(bundle, tools), asked };
}

const env = ({ conditions }: GradeOptions): Readonly<Record<string, string>> => conditions?.env ?? {};
const isPlain = ({ conditions, load, packing }: GradeOptions): boolean =>
  conditions === undefined && load === undefined && packing === undefined;
const when =
  (notices: (options: GradeOptions) => boolean): ((options: GradeOptions) => Grading) =>
  (options) =>
    notices(options) ? failed : passed;

test("a sound grader agrees under every change, and is asked no more than that", async () => {
  const { finding, asked } = await prove(() => passed);
  expect(finding).toMatchObject({ passed: true, warnings: [] });
  expect(finding.words).toMatch(/^5 independent gradings of the reference agree\. Changed between them: /);
  expect(asked).toHaveLength(4);
  expect(asked.every(({ askJudges }) => askJudges === false)).toBe(true);
});

test.each<[string, (options: GradeOptions) => boolean, RegExp]>([
  ["the clock", (options) => env(options)["FAKETIME"] !== undefined, /from the task and its files/],
  ["the time zone", (options) => env(options)["TZ"] !== undefined, /TZ=UTC/],
  ["the locale", (options) => env(options)["LC_ALL"] !== undefined, /LC_ALL=C\.UTF-8/],
  ["the hash seed", (options) => Number(env(options)["PYTHONHASHSEED"]) > 0, /Sort what comes out of a set/],
  ["the order of files", ({ packing }) => packing?.reversed === true, /Sort what lists a folder/],
  ["the number of cores", ({ conditions }) => conditions?.cores === 1, /how many cores/],
  ["the load of the machine", ({ load = 0 }) => load > 0, /Wait for a condition/],
  ["the times of files", ({ packing }) => packing?.mtimeMs !== undefined, /what files hold/],
])("%s is named alone, whatever else was changed with it", async (name, notices, cure) => {
  for (const gradings of [2, 5, 9]) {
    const { finding } = await prove(when(notices), { gradings });
    expect(finding.passed).toBe(false);
    expect(finding.words).toMatch(/^Independent gradings of the reference differ in: outcome, assertions\./);
    expect(finding.words.match(/^It depends on .*$/gm)).toHaveLength(1);
    expect(finding.words).toContain(`It depends on ${name} (`);
    expect(finding.words).toMatch(cure);
    expect(finding.words).toContain("failed: right");
    expect(finding.evidence).toMatchObject({ causes: [expect.stringContaining(name)] });
  }
});

test("two causes are both named", async () => {
  const { finding } = await prove(
    when((options) => env(options)["TZ"] !== undefined || env(options)["LC_ALL"] !== undefined),
  );
  expect(finding.words.match(/^It depends on .*$/gm)).toHaveLength(2);
});

test("what only a combination does is said so", async () => {
  const both = (options: GradeOptions): boolean =>
    env(options)["TZ"] !== undefined && options.load !== undefined;
  const { finding } = await prove(when(both), { gradings: 2 });
  expect(finding.passed).toBe(false);
  expect(finding.words).toMatch(/No single change does it, but these together do: .*the time zone/);
  expect(finding.words).not.toContain("It depends on");
});

describe("a grader that wavers by itself", () => {
  test("is told so, whatever was changed", async () => {
    const { finding } = await prove((_, call) => gradingOf(0, [`took ${call} ms`]));
    expect(finding.passed).toBe(false);
    expect(finding.words).toContain("differ in: assertions.");
    expect(finding.words).toContain("It wavers by itself");
    expect(finding.words).not.toContain("It depends on");
  });

  test("is told of the hash seed when holding that steadies it", async () => {
    const { finding } = await prove((options, call) =>
      env(options)["PYTHONHASHSEED"] === "0" ? passed : gradingOf(0, [`order ${call}`]),
    );
    expect(finding.words).toContain("It depends on the hash seed");
    expect(finding.words).not.toContain("by itself");
  });

  test("is told so when nothing shows it again", async () => {
    const { finding } = await prove((_, call) => (call === 0 ? failed : passed));
    expect(finding.passed).toBe(false);
    expect(finding.words).toContain("It wavers by itself");
  });
});

test.each<[string, Grading, Grading, string]>([
  ["outcomes", passed, gradingOf(2, ["right"]), "outcome."],
  ["assertions in another order", gradingOf(0, ["a", "b"]), gradingOf(0, ["b", "a"]), "assertions."],
  [
    "questions",
    gradingOf(3, [], { answers: [answerOf("tone", true)] }),
    gradingOf(3, [], { answers: [answerOf("length", true)] }),
    "questions.",
  ],
])("%s are compared", async (_what, first, other, parts) => {
  const { finding } = await prove((options) => (isPlain(options) ? first : other), { first });
  expect(finding.words).toContain(`differ in: ${parts}`);
});

test("a grading that ran out of time under load is a difference, and the load is named", async () => {
  const late: Grading = {
    ...gradingOf(2, ["right"]),
    grader: { exitCode: null, signal: "SIGKILL", timedOut: true, seconds: 120 },
  };
  const { finding } = await prove(({ load = 0 }) => (load > 0 ? late : passed));
  expect(finding.words).toContain("It depends on the load of the machine");
  expect(JSON.stringify(finding.evidence)).toContain('"timedOut":true');
});

test("what the image lacks is not changed, and said not to be tried", async () => {
  const { finding, asked } = await prove(() => passed, { lacks: /FAKETIME|LC_ALL/ });
  expect(finding.passed).toBe(true);
  const warnings = finding.warnings ?? [];
  expect(warnings.map((words) => /^not tried: (the \w+)/.exec(words)?.[1]).sort()).toEqual([
    "the clock",
    "the locale",
  ]);
  expect(finding.words).not.toMatch(/the clock|the locale/);
  expect(asked.some((options) => "FAKETIME" in env(options) || "LC_ALL" in env(options))).toBe(false);
});

test("the evidence says which changes each grading had, and holds no times", async () => {
  const slow = (seconds: number): Grading => ({ ...passed, grader: { ...passed.grader, seconds } });
  const [one, other] = await Promise.all([prove(() => slow(1)), prove(() => slow(2), { first: slow(3) })]);
  expect(one.finding).toEqual(other.finding);
  const { evidence } = one.finding;
  expect(evidence).toMatchObject({ causes: [], repeats: Array(4).fill({ agrees: true }) });
});

test("a broken container is no finding", async () => {
  const broken = prove(() => {
    throw new SandboxError("gone");
  });
  await expect(broken).rejects.toThrow(SandboxError);
});
