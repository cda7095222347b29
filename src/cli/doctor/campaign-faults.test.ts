import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, test, vi } from "vitest";
import { writeBenchmark } from "../../store/benchmarks.ts";
import { letterBundle, passedGate } from "../../testing/benchmark.ts";
import {
  DoctorRig,
  expectFault,
  type Fault,
  judges,
  soundScenario,
  tested,
} from "../../testing/doctor-command.ts";

vi.setConfig({ testTimeout: 60_000 });

let rig: DoctorRig;
beforeAll(async () => {
  rig = await DoctorRig.open();
});
afterAll(() => rig.close());
beforeEach(() => rig.begin());

const faults: readonly Fault[] = [
  {
    what: "no skill named",
    change: { skills: [] },
    row: { check: "skills", state: "fail", found: /none named/, mend: /^skills: / },
    code: 2,
  },
  {
    what: "no such skill",
    change: { skills: ["skills/nowhere"] },
    row: {
      check: "skill nowhere",
      state: "fail",
      found: /skills\/nowhere/,
      mend: /^skills: \[.*\] {3}# correct this in the campaign's file$/,
    },
    code: 2,
  },
  {
    what: "a campaign inside its skill",
    change: { skills: ["."] },
    prepare: (rig) => rig.write("SKILL.md", "# X\n"),
    row: {
      check: "skill ",
      state: "fail",
      found: /out lie\(s\) in its folder and is given to agents/,
      mend: /^mkdir .*-campaign/,
    },
    code: 2,
  },
  {
    what: "no benchmark yet",
    prepare: ({ folder }) => rm(join(folder, "benchmarks"), { recursive: true }),
    row: {
      check: "benchmarks of sample",
      state: "warn",
      found: /none yet/,
      mend: /^skillproof build skills\/sample$/,
    },
    code: 0,
  },
  {
    what: "a benchmark that changed after its gate",
    prepare: (rig) => rig.write("benchmarks/sample/answer/fixtures/notes.txt", "other notes\n"),
    row: {
      check: "benchmark answer",
      state: "fail",
      found: /its files changed since the gate/,
      mend: /^skillproof validate benchmarks\/sample\/answer$/,
    },
    code: 2,
  },
  {
    what: "a benchmark that was never put through the gate",
    prepare: ({ folder }) => rm(join(folder, "benchmarks/sample/answer/gate.json")),
    row: {
      check: "benchmark answer",
      state: "fail",
      found: /no gate\.json/,
      mend: /^skillproof validate benchmarks\/sample\/answer$/,
    },
    code: 2,
  },
  {
    what: "an arm at a ref that git does not know",
    change: { evaluation: { arms: ["without_skill", { version: "v9" }] } },
    row: {
      check: "arm version-v9",
      state: "fail",
      found: /not in a git work tree/,
      mend: /^git -C skills\/sample log/,
    },
    code: 2,
  },
  {
    what: "a pack that is none",
    change: { evaluation: { arms: ["without_skill", { pack: "skills/none" }] } },
    row: { check: "arm pack-none", state: "fail", found: /skills\/none/, mend: /^ls skills\/none$/ },
    code: 2,
  },
  {
    what: "no budget",
    change: { evaluation: { budgetUsd: undefined } },
    row: { check: "budget", state: "warn", found: /none set/, mend: /^evaluation\.budgetUsd: 20$/ },
    code: 0,
  },
  {
    what: "two judges, which nothing asks",
    change: { judge: { models: judges.slice(1) } },
    row: { check: "judges", state: "warn", found: /2 of 3 named/, mend: /^judge\.models: / },
    code: 0,
  },
  {
    what: "two judges for a judged benchmark",
    change: { judge: { models: judges.slice(1) } },
    prepare: async ({ folder }) => {
      const letter = letterBundle();
      await writeBenchmark(join(folder, "benchmarks/sample/letter"), letter, passedGate(letter));
    },
    row: {
      check: "judges",
      state: "fail",
      found: /2 of 3 named; 1 benchmark\(s\) ask them/,
      mend: /^judge\.models: /,
    },
    code: 2,
  },
  {
    what: "a judge of a tested model's family",
    change: { evaluation: { models: ["acme/coder"] } },
    row: {
      check: "judges",
      state: "warn",
      found: /acme\/judge-a is of the same family as acme\/coder/,
      mend: /^judge\.models/,
    },
    code: 0,
  },
  {
    what: "a judge that is under test, and two of one vendor",
    change: { judge: { models: [tested, "delta/judge", "bravo/judge-b"] } },
    scenario: { models: { ...soundScenario.models, "delta/judge": {} } },
    row: {
      check: "judges",
      state: "warn",
      found: /judges its own work.*come from one vendor \(delta\)/,
      mend: /^judge\.models/,
    },
    code: 0,
  },
];

test.each(faults)("$what", (fault) => expectFault(fault, rig));
