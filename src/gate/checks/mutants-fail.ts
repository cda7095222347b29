import type { Bundle } from "../../artefacts/bundle.ts";
import type { GateSettings } from "../../artefacts/gate.ts";
import type { Grading } from "../../artefacts/grading.ts";
import type { Check, CheckTools, Finding } from "../check.ts";
import { unlistedAssertions, unlistedWords } from "../claims.ts";
import { isKill, type KillTally, tallyOf, type TriedMutant } from "../kills.ts";
import { mutateCode } from "../mutants/code.ts";
import { mutateImage } from "../mutants/image.ts";
import { type Mutant, type Mutator, wholeFileKinds } from "../mutants/mutant.ts";
import { mutateOffice } from "../mutants/office.ts";
import { dataMutators, mutantWorkspace, planMutants } from "../mutants/plan-mutants.ts";
import { mutateScript } from "../mutants/script.ts";
import {
  brokenWords,
  excuseWarnings,
  noneCountsWords,
  survivorsWords,
  warningsOf,
} from "./mutants-fail-words.ts";

/** Broken variants of a bundle's reference: the same for the same bundle and settings. */
export type PlanMutants = (
  bundle: Bundle,
  settings: Pick<GateSettings, "mutants" | "seed">,
) => Promise<readonly Mutant[]>;

/** A mutant may make a program loop; its grader gets so many times what it took for the reference. */
const timesReference = 10;
const leastSeconds = 20;

const mutators: readonly Mutator[] = [...dataMutators, mutateCode, mutateScript, mutateOffice, mutateImage];

export const mutantsFail = mutantsFailBy((bundle, { mutants, seed }) =>
  planMutants(bundle, { limit: mutants, seed, mutators }),
);

/** Broken variants of the reference must fail: a grader that passes them does not see what it claims to check. */
export function mutantsFailBy(plan: PlanMutants): Check {
  return {
    name: "mutants-fail",
    needs: ["reference-passes"],
    prove: async (bundle, tools) => {
      const reference = await tools.gradeReferenceOnce();
      const mutants = await plan(bundle, tools.settings);
      const tried = await Promise.all(
        mutants.map(async (mutant) => ({
          mutant,
          grading: await tryMutant(bundle, mutant, reference, tools),
        })),
      );
      return judge(bundle, tried, reference, tools);
    },
  };
}

function tryMutant(
  bundle: Bundle,
  mutant: Mutant,
  reference: Grading,
  { grade }: CheckTools,
): Promise<Grading> {
  const seconds = Math.max(leastSeconds, timesReference * reference.grader.seconds);
  return grade(mutantWorkspace(bundle, mutant), {
    timeoutMs: Math.ceil(seconds * 1000),
    // A changed word is not for judges to find, and each would cost their answers.
    askJudges: bundle.spec.judged && wholeFileKinds.includes(mutant.kind),
  });
}

function judge(
  bundle: Bundle,
  tried: readonly TriedMutant[],
  reference: Grading,
  { seen, settings }: CheckTools,
): Finding {
  const { claims, spec } = bundle;
  const tally = tallyOf(tried, { claims, judged: spec.judged, reference });
  const gradings = [...seen, ...tried.map(({ grading }) => grading)];
  const unlisted = claims === null ? [] : unlistedAssertions(claims, gradings);
  const fault = faultOf(tally, unlisted, spec.judged, settings);
  return {
    passed: fault === null,
    words: fault ?? passedWords(tally),
    warnings: [...warningsOf(tally), ...excuseWarnings(tally, claims)],
    evidence: evidenceOf(tally, unlisted),
    facts: { killRate: tally.killRate },
  };
}

function faultOf(
  tally: KillTally,
  unlisted: readonly string[],
  judged: boolean,
  settings: GateSettings,
): string | null {
  const broken = tally.tried.filter(({ fate }) => fate === "broken");
  if (broken.length > 0) return brokenWords(broken);
  if (unlisted.length > 0) return unlisted.slice(0, 20).map(unlistedWords).join("\n");
  if (tally.killRate === null) {
    const onlyLeft = tally.tried.length > 0 && tally.tried.every(({ fate }) => fate === "left");
    return judged && onlyLeft ? null : noneCountsWords(tally);
  }
  return tally.killRate < settings.killRate ? survivorsWords(tally, settings.killRate) : null;
}

function passedWords({ killed, survived, excused, tried }: KillTally): string {
  const left = tried.filter(({ fate }) => fate === "left").length;
  const more = [
    ...(excused.length > 0 ? [`${excused.length} excused`] : []),
    ...(left > 0 ? [`${left} left to the judges`] : []),
  ];
  const apart = more.length > 0 ? ` (not counted: ${more.join(", ")})` : "";
  return `${killed.length} of ${killed.length + survived.length} broken variants of the reference fail${apart}.`;
}

function evidenceOf(tally: KillTally, unlisted: readonly string[]): Finding["evidence"] {
  const { tried, excused, survived } = tally;
  const idsBy = (wanted: string): string[] =>
    tried.filter(({ fate }) => fate === wanted).map(({ mutant }) => mutant.id);
  return {
    planned: tried.length,
    kinds: kindsOf(tally),
    killed: tally.killed.length,
    survived: survived.map(({ mutant: { id, words, diff } }) => ({ mutant: id, words, diff })),
    excused: excused.map(({ mutant: { id, words }, reason }) => ({ mutant: id, words, reason })),
    leftToJudges: idsBy("left"),
    byTime: idsBy("by-time"),
    byJudges: idsBy("by-judges"),
    broken: idsBy("broken"),
    kills: tally.kills.map(({ assertion, mutants }) => ({ assertion, mutants: [...mutants] })),
    idle: [...tally.idle],
    unlisted: [...unlisted],
  };
}

function kindsOf({ tried }: KillTally): { kind: string; planned: number; killed: number }[] {
  const kinds = [...new Set(tried.map(({ mutant }) => mutant.kind))].sort();
  return kinds.map((kind) => {
    const own = tried.filter(({ mutant }) => mutant.kind === kind);
    return { kind, planned: own.length, killed: own.filter(({ fate }) => isKill(fate)).length };
  });
}
