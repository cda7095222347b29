import { expect, test } from "vitest";
import type { Cheat } from "../../artefacts/cheat.ts";
import type { Grading } from "../../artefacts/grading.ts";
import { InfrastructureError } from "../../errors.ts";
import { answerBundle } from "../../testing/benchmark.ts";
import { gateTools } from "../../testing/gate-tools.ts";
import { answerOf, gradingOf } from "../../testing/gradings.ts";
import type { Archive, CheckTools, Finding } from "../check.ts";
import { cheatsFail } from "./cheats-fail.ts";

const fails = gradingOf(1, ["there", "!right"]);
const passes = gradingOf(0, ["there", "right"], { log: "all is well" });
const breaks = gradingOf(2, ["there"], { log: "Traceback" });
const asks = (answer: boolean | null): Grading =>
  gradingOf(3, ["there"], { answers: [answerOf("tone", answer)] });

type Acted = Parameters<CheckTools["actAsAgent"]>[0];

/** The check on cheats of these names, each graded as told. */
async function prove(
  told: Readonly<Record<string, Grading>>,
  acted: Acted[] = [],
  turnsOf: (name: string) => number = () => 0,
): Promise<Finding> {
  const cheats: Cheat[] = Object.keys(told).map((name) => ({
    name,
    words: `it tries ${name}`,
    script: `# cheat: it tries ${name}\n# cure: do something against ${name}.\n`,
  }));
  const left = new Map<Archive, string>();
  const tools: CheckTools = {
    ...gateTools(() => passes),
    cheats,
    seen: [],
    gradeReferenceOnce: () => Promise.resolve(passes),
    actAsAgent: (request) => {
      acted.push(request);
      const archive: Archive = () => {
        throw new Error("not read here");
      };
      left.set(archive, cheats.find(({ script }) => script === request.script)?.name ?? "");
      return Promise.resolve(archive);
    },
    grade: async (workspace) => {
      const name = typeof workspace === "function" ? (left.get(workspace) ?? "") : "";
      for (let turns = turnsOf(name); turns > 0; turns--) await Promise.resolve();
      const grading = told[name];
      if (grading === undefined) throw new Error("graded what no cheat left");
      return grading;
    },
  };
  return cheatsFail.prove(answerBundle(), tools);
}

test("every cheat acts on the fixtures, knows the room, and must fail", async () => {
  const acted: Acted[] = [];
  const finding = await prove({ claim: fails, hooks: asks(false) }, acted);
  expect(finding).toEqual({
    passed: true,
    words: "All of 2 cheats fail: claim, hooks.",
    warnings: [],
    evidence: [
      { cheat: "claim", standing: "failed", outcome: "failed", reason: null, assertions: 2, failed: 1 },
      { cheat: "hooks", standing: "failed", outcome: "asks", reason: null, assertions: 1, failed: 0 },
    ],
  });
  const { fixtures } = answerBundle();
  expect(acted.map(({ workspace }) => workspace)).toEqual([fixtures, fixtures]);
  expect(acted[0]?.files["/tmp/cheat/assertions"]).toBe(
    '{"assertion":"there","passed":true}\n{"assertion":"right","passed":true}\n',
  );
});

test("a cheat that passes is refused, with its name, what it did, the cure and what the grader said", async () => {
  const finding = await prove({ claim: fails, hooks: passes });
  expect(finding.passed).toBe(false);
  expect(finding.words).toContain("1 of 2 cheats pass, although nothing was solved by them: hooks.");
  expect(finding.words).toContain("hooks: it tries hooks; the grader passes it. do something against hooks.");
  expect(finding.words).toContain("all is well");
  expect(finding.words).not.toContain("claim");
});

test("judges that say YES to a cheat refuse the bundle too", async () => {
  expect(await prove({ claim: asks(true) })).toMatchObject({
    passed: false,
    evidence: [{ cheat: "claim", standing: "passed", outcome: "asks" }],
  });
});

test("a grader that breaks its contract on a cheat is refused, with the reason", async () => {
  const finding = await prove({ claim: fails, folder: breaks });
  expect(finding.passed).toBe(false);
  expect(finding.words).toContain("1 of 2 cheats make the grader break its contract: folder.");
  expect(finding.words).toContain("must end with exit code 1 and at least one failed assertion");
  expect(finding.words).toContain("Traceback");
  expect(finding.evidence).toContainEqual({
    cheat: "folder",
    standing: "error",
    outcome: "error",
    reason: "exit code 2",
    assertions: 1,
    failed: 0,
  });
});

test("of many that pass all are named and three described", async () => {
  const names = ["a", "b", "c", "d", "e"];
  const finding = await prove(Object.fromEntries(names.map((name) => [name, passes])));
  expect(finding.words).toContain("5 of 5 cheats pass, although nothing was solved by them: a, b, c, d, e.");
  expect(finding.words.match(/it tries \w/g)).toEqual(["it tries a", "it tries b", "it tries c"]);
});

test("the record is the same whichever cheat ends first", async () => {
  const told = { a: fails, b: passes, c: breaks };
  const slowFirst = await prove(told, [], (name) => (name === "a" ? 50 : 0));
  expect(slowFirst).toEqual(await prove(told, [], (name) => (name === "c" ? 50 : 0)));
});

test("judges that gave no decision are infrastructure", async () => {
  await expect(prove({ claim: asks(null) })).rejects.toThrow(InfrastructureError);
});

test("an empty pack is told", async () => {
  const finding = await prove({});
  expect(finding).toMatchObject({
    passed: true,
    warnings: ["No cheat was tried: the pack is empty."],
    evidence: [],
  });
});
