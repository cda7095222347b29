import type { Bundle } from "../../artefacts/bundle.ts";
import type { Cheat } from "../../artefacts/cheat.ts";
import type { Grading } from "../../artefacts/grading.ts";
import type { Check, CheckTools, Finding } from "../check.ts";
import { cheatRoom } from "../cheat-room.ts";
import { describeGrading } from "../describe-grading.ts";
import { type Standing, standingOf } from "../judged.ts";

/** Described in full to the author; the others by their names. */
const mostDescribed = 3;

type Tried = { readonly cheat: Cheat; readonly grading: Grading; readonly standing: Standing };

/** What an agent might do instead of the task must fail: by an assertion, or by a judges' NO. */
export const cheatsFail: Check = {
  name: "cheats-fail",
  needs: ["reference-passes", "untouched-fails"],
  prove: async (bundle, tools) => {
    const files = cheatRoom(bundle, await tools.gradeReferenceOnce());
    const tried = await Promise.all(tools.cheats.map((cheat) => tryCheat(cheat, bundle, files, tools)));
    const faults = [...withStanding(tried, "passed"), ...withStanding(tried, "error")];
    return {
      passed: faults.length === 0,
      words: faults.length === 0 ? passedWords(tried) : refusedWords(tried, faults),
      warnings: tried.length === 0 ? ["No cheat was tried: the pack is empty."] : [],
      evidence: tried.map(evidenceOf),
    };
  },
};

async function tryCheat(
  cheat: Cheat,
  { fixtures }: Bundle,
  files: Readonly<Record<string, string>>,
  tools: CheckTools,
): Promise<Tried> {
  const left = await tools.actAsAgent({ workspace: fixtures, files, script: cheat.script });
  const grading = await tools.grade(left);
  return { cheat, grading, standing: standingOf(grading) };
}

function withStanding(tried: readonly Tried[], wanted: Standing): readonly Tried[] {
  return tried.filter(({ standing }) => standing === wanted);
}

function passedWords(tried: readonly Tried[]): string {
  const named = tried.length === 0 ? "" : `: ${namesOf(tried)}`;
  return `All of ${tried.length} cheats fail${named}.`;
}

function refusedWords(tried: readonly Tried[], faults: readonly Tried[]): string {
  const sums = [
    ["pass, although nothing was solved by them", withStanding(faults, "passed")],
    ["make the grader break its contract", withStanding(faults, "error")],
  ] as const;
  return [
    ...sums
      .filter(([, some]) => some.length > 0)
      .map(([what, some]) => `${some.length} of ${tried.length} cheats ${what}: ${namesOf(some)}.`),
    ...faults.slice(0, mostDescribed).map(describe),
  ].join("\n");
}

function describe({ cheat, grading, standing }: Tried): string {
  const became =
    standing === "passed"
      ? "the grader passes it"
      : "the grader must end with exit code 1 and at least one failed assertion, and does not";
  return `\n${cheat.name}: ${cheat.words}; ${became}. ${cureOf(cheat)}\n${describeGrading(grading)}`;
}

/** What a grader does against it stands in the script, beside what the script does. */
function cureOf({ script }: Cheat): string {
  return /^# cure: (.+)$/m.exec(script)?.[1] ?? "";
}

function namesOf(tried: readonly Tried[]): string {
  return tried.map(({ cheat }) => cheat.name).join(", ");
}

/** By name, so that the record is the same whichever ended first. */
function evidenceOf({ cheat, grading, standing }: Tried): Finding["evidence"] {
  const { outcome } = grading;
  return {
    cheat: cheat.name,
    standing,
    outcome: outcome.kind,
    reason: outcome.kind === "error" ? outcome.reason : null,
    assertions: outcome.assertions.length,
    failed: outcome.assertions.filter(({ passed }) => !passed).length,
  };
}
