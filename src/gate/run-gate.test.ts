import { expect, test } from "vitest";
import type { Bundle } from "../artefacts/bundle.ts";
import { type GateRecord, gateRecordSchema } from "../artefacts/gate.ts";
import type { Grading } from "../artefacts/grading.ts";
import { type FileTree, hashTree, textOf } from "../artefacts/tree.ts";
import { InfrastructureError } from "../errors.ts";
import { SandboxError } from "../sandbox/port.ts";
import { answerBundle, treeOf } from "../testing/benchmark.ts";
import { gateTools } from "../testing/gate-tools.ts";
import { answerOf, gradingOf } from "../testing/gradings.ts";
import type { Check } from "./check.ts";
import { checks, type GateOptions, runGate } from "./run-gate.ts";

const image = { id: "sha256:1", recipe: "r", base: "packages" } as const;
const bundle = answerBundle();
const judged: Bundle = { ...bundle, spec: { ...bundle.spec, judged: true } };
const sound = (workspace: FileTree): Grading =>
  textOf(workspace, "answer.txt") === "right\n"
    ? gradingOf(0, ["right"])
    : gradingOf(1, ["!right"], { log: "no answer" });

/** Those that told gradings suffice for; the others have tests of their own. */
const chosen = checks.filter(({ name }) =>
  ["structure", "reference-passes", "untouched-fails", "empty-fails"].includes(name),
);

function gate(
  grade: (workspace: FileTree) => Grading,
  tried: Bundle = bundle,
  options: GateOptions = {},
): Promise<GateRecord> {
  return runGate(tried, null, gateTools(grade), { checks: chosen, ...options });
}

/** What a workspace is, by its files. */
function nameOf(workspace: FileTree): "reference" | "untouched" | "empty" {
  if (workspace.length === 0) return "empty";
  return workspace.some((entry) => entry.path === "answer.txt") ? "reference" : "untouched";
}

/** A grader that does as told per workspace; a list is worked off, its last entry repeats. */
function told(
  by: Partial<Record<ReturnType<typeof nameOf>, Grading | readonly Grading[]>>,
): (w: FileTree) => Grading {
  const calls = new Map<string, number>();
  return (workspace) => {
    const name = nameOf(workspace);
    const at = calls.get(name) ?? 0;
    calls.set(name, at + 1);
    const all = [by[name] ?? sound(workspace)].flat();
    return all[Math.min(at, all.length - 1)]!;
  };
}

test("a sound bundle passes, and its reference is graded once", async () => {
  const graded: string[] = [];
  const record = await gate((workspace) => {
    graded.push(nameOf(workspace));
    return sound(workspace);
  });
  expect(record).toMatchObject({
    passed: true,
    benchmark: "answer",
    bundleHash: bundle.hash,
    image,
    answers: [],
  });
  expect(record.checks.map(({ check, passed }) => [check, passed])).toEqual([
    ["structure", true],
    ["reference-passes", true],
    ["untouched-fails", true],
    ["empty-fails", true],
  ]);
  expect(graded).toEqual(["reference", "untouched", "empty"]);
  expect(gateRecordSchema.parse(JSON.parse(JSON.stringify(record)))).toEqual(record);
});

test("the record of a bundle does not change with the time its grader takes", async () => {
  const slow = (workspace: FileTree): Grading => ({
    ...sound(workspace),
    grader: { ...sound(workspace).grader, seconds: 9 },
  });
  expect(await gate(slow)).toEqual(await gate(sound));
});

test("the reference is laid over the fixtures, and what it removes is gone", async () => {
  const removing: Bundle = {
    ...bundle,
    fixtures: treeOf({ "notes.txt": "old", "data/in.csv": "1" }),
    spec: { ...bundle.spec, outputs: ["answer.txt", "notes.txt"], removes: ["notes.txt"] },
  };
  const seen: string[][] = [];
  await gate((workspace) => {
    seen.push(workspace.map((entry) => entry.path));
    return sound(workspace);
  }, removing);
  expect(seen[0]).toEqual(["answer.txt", "data/in.csv"]);
  expect(seen[1]).toEqual(["data/in.csv", "notes.txt"]);
});

const asking = (answer: boolean | null): Grading => gradingOf(3, [], { answers: [answerOf("tone", answer)] });

test.each<[string, string, (workspace: FileTree) => Grading, Bundle, readonly string[]]>([
  [
    "a reference that fails",
    "reference-passes",
    told({ reference: gradingOf(1, ["kept", "!total is 12"], { log: "got 13\n" }) }),
    bundle,
    ["The reference does not pass.", "exit code 1", "failed: total is 12", "1 passed, 1 failed", "got 13"],
  ],
  [
    "a grader that crashes on the reference",
    "reference-passes",
    told({ reference: gradingOf(2, [], { log: "Traceback: no module named x" }) }),
    bundle,
    ["broke its contract on the reference", "exit code 2", "no module named x"],
  ],
  [
    "judges that no one announced",
    "reference-passes",
    told({ reference: asking(true) }),
    bundle,
    ["`judged: true`. Add it"],
  ],
  ["judges that were announced and not asked", "reference-passes", sound, judged, ["without asking"]],
  [
    "judges that refuse the reference",
    "reference-passes",
    told({ reference: asking(false) }),
    judged,
    ["The judges did not give the expected answers", "question tone: NO, expected YES: Is tone so?"],
  ],
  [
    "an untouched workspace that passes",
    "untouched-fails",
    told({ untouched: gradingOf(0, ["exists"]) }),
    bundle,
    ["The untouched workspace (fixtures only) passes, although nothing was solved"],
  ],
  [
    "a grader that crashes on the untouched workspace",
    "untouched-fails",
    told({ untouched: gradingOf(2, [], { log: "FileNotFoundError: answer.txt" }) }),
    bundle,
    [
      "broke its contract on the untouched workspace",
      "a failed assertion, never a crash",
      "FileNotFoundError",
    ],
  ],
  [
    "an empty workspace that passes",
    "empty-fails",
    told({ empty: gradingOf(0, ["x"]) }),
    bundle,
    ["The empty workspace passes"],
  ],
  [
    "judges that like the empty workspace",
    "empty-fails",
    told({ reference: asking(true), empty: asking(true) }),
    judged,
    ["The empty workspace passes"],
  ],
])("%s is refused by %s", async (_what, refusedBy, grade, tried, words) => {
  const record = await gate(grade, tried);
  const last = record.checks.at(-1)!;
  expect(record.passed).toBe(false);
  expect(last).toMatchObject({ check: refusedBy, passed: false });
  expect(record.checks.slice(0, -1).every((check) => check.passed)).toBe(true);
  for (const part of words) expect(last.words).toContain(part);
  const names = chosen.map(({ name }) => name);
  const notTried = names.slice(names.indexOf(refusedBy) + 1);
  expect(last.evidence).toMatchObject({ notTried });
  if (notTried.length > 0) expect(last.words).toContain(`Not tried yet: ${notTried.join(", ")}.`);
});

const changed = (over: Partial<Bundle>): Bundle => ({ ...bundle, ...over });

test.each<[string, Bundle, string]>([
  [
    "a reference outside the outputs",
    changed({ spec: { ...bundle.spec, outputs: ["out/*"] } }),
    "reference/answer.txt: changed by the reference, but no glob of benchmark.yaml's outputs matches it.",
  ],
  [
    "a reference that changes nothing",
    changed({ reference: bundle.fixtures, spec: { ...bundle.spec, outputs: ["**"] } }),
    "reference/: laid over the fixtures it changes nothing",
  ],
  [
    "files that changed meanwhile",
    changed({ hash: hashTree([]) }),
    "The files changed while the bundle was read.",
  ],
])("structure refuses %s", async (_what, tried, words) => {
  const record = await gate(() => {
    throw new Error("nothing may be graded");
  }, tried);
  expect(record.checks).toHaveLength(1);
  expect(record.checks[0]?.words).toContain(words);
});

test("a judged bundle keeps its decided answers, one per key", async () => {
  const record = await gate(
    told({ reference: asking(true), untouched: asking(false), empty: gradingOf(1, ["!x"]) }),
    judged,
  );
  expect(record.passed).toBe(true);
  expect(record.answers.map(({ key }) => key)).toEqual(["key-tone-false", "key-tone-true"]);
});

test("absent judges are infrastructure, unless another answer decides", async () => {
  await expect(gate(told({ reference: asking(null) }), judged)).rejects.toThrow(InfrastructureError);
  const decided = gradingOf(3, [], { answers: [answerOf("tone", null), answerOf("length", false)] });
  const record = await gate(
    told({ reference: asking(true), untouched: decided, empty: asking(false) }),
    judged,
  );
  expect(record.passed).toBe(true);
});

test("with `all`, checks go on after one that failed, but not those that build on it", async () => {
  const needing: Check = {
    name: "needing",
    needs: ["reference-passes"],
    prove: () => Promise.reject(new Error("not to be tried")),
  };
  const told: (readonly [string, boolean])[] = [];
  const record = await gate(() => gradingOf(1, ["!right"]), bundle, {
    all: true,
    checks: [...chosen, needing],
    onCheck: ({ check }, ms) => told.push([check, ms !== null]),
  });
  expect(record.checks.map(({ check, passed }) => [check, passed])).toEqual([
    ["structure", true],
    ["reference-passes", false],
    ["untouched-fails", true],
    ["empty-fails", true],
    ["needing", false],
  ]);
  expect(record.checks.at(-1)?.words).toBe("Not tried: it says nothing before reference-passes passes.");
  expect(told.filter(([, tried]) => !tried)).toEqual([["needing", false]]);
});

test("what a check knows besides goes into the record", async () => {
  const leak = { kind: "how", from: "task.md", to: "SKILL.md", passage: "as we do" } as const;
  const check: Check = {
    name: "knowing",
    prove: () =>
      Promise.resolve({
        passed: true,
        words: "seen",
        warnings: ["look"],
        evidence: null,
        facts: { killRate: 0.5, leaks: [leak] },
      }),
  };
  const record = await gate(sound, bundle, { checks: [check] });
  expect(record).toMatchObject({ passed: true, killRate: 0.5, leaks: [leak] });
  expect(record.checks).toEqual([
    { check: "knowing", passed: true, words: "seen", warnings: ["look"], evidence: null },
  ]);
});

test("a broken container is no finding", async () => {
  const broken = runGate(
    bundle,
    null,
    gateTools(() => Promise.reject(new SandboxError("gone"))),
  );
  await expect(broken).rejects.toThrow(SandboxError);
});
