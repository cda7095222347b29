import { type Claims, claimsPath } from "../../artefacts/claims.ts";
import { describeGrading } from "../describe-grading.ts";
import type { KillTally, TriedMutant } from "../kills.ts";
import { enumerated, shorten } from "../shorten.ts";

const shown = 10;
const brokenShown = 3;
const idsShown = 40;
const wordsSaid = 300;
const diffSaid = 1000;
const gradingSaid = 2000;

export function survivorsWords({ killed, survived, killRate }: KillTally, demanded: number): string {
  const counted = killed.length + survived.length;
  const rest = survived.slice(shown).map(({ mutant }) => mutant.id);
  return [
    `The grader fails only ${killed.length} of ${counted} broken variants of the reference: a kill rate of ${rounded(killRate)}, and ${demanded} is demanded. Those below pass although something in them is broken. Where task.md asks for what is broken, add or sharpen an assertion that checks it. Where it leaves that open, name the variant in ${claimsPath} with the reason: {"survivors": [{"mutant": "…", "reason": "…"}]}.`,
    ...survived.slice(0, shown).map(described),
    ...(rest.length === 0 ? [] : [`And: ${enumerated(rest, idsShown)}`]),
  ].join("\n");
}

export function brokenWords(broken: readonly TriedMutant[]): string {
  const rest = broken.slice(brokenShown).map(({ mutant }) => mutant.id);
  return [
    `The grader broke its contract on broken variants of the reference (${broken.length}). It must end with exit code 1 and at least one failed assertion there: a missing or malformed output is a failed assertion, never a crash. Catch whatever reading or parsing it can raise.`,
    ...broken
      .slice(0, brokenShown)
      .map((one) => `${described(one)}\n${shorten(describeGrading(one.grading), gradingSaid)}`),
    ...(rest.length === 0 ? [] : [`And: ${enumerated(rest, idsShown)}`]),
  ].join("\n");
}

/** Nothing was killed and nothing counts as survived. */
export function noneCountsWords({ tried, excused }: KillTally): string {
  if (tried.length === 0)
    return "Nothing of the reference can be broken, so nothing shows that the grader sees a mistake. Let the task ask for files with content.";
  if (excused.length > 0) {
    return `Every broken variant of the reference passes, and ${claimsPath} excuses each of them (${excused.length}), so nothing shows that the grader sees a mistake. Add assertions on what task.md asks for.`;
  }
  return "No broken variant of the reference is decided by the grader, so nothing shows that it sees a mistake. Add assertions on what task.md asks for.";
}

/** What a look at a grader that passed the check may be worth. */
export function warningsOf({ survived, excused, tried, idle, killRate }: KillTally): readonly string[] {
  const left = tried.filter(({ fate }) => fate === "left").map(({ mutant }) => mutant.id);
  const late = tried.filter(({ fate }) => fate === "by-time").map(({ mutant }) => mutant.id);
  const passing = survived.map(({ mutant }) => `${mutant.id} (${shorten(mutant.words, wordsSaid)})`);
  return [
    ...said(passing, "pass although something in them is broken"),
    ...said(
      excused.map(({ mutant, reason }) => `${mutant.id} (${shorten(reason, wordsSaid)})`),
      "pass, and the author says why they may",
    ),
    ...said(late, "did not end within their time and count as failed"),
    ...(killRate === null ? said(left, "only judges could tell, and that is all there was to try") : []),
    ...(idle.length === 0
      ? []
      : [
          `Assertions that failed on no broken variant: ${enumerated(
            idle.map((assertion) => shorten(assertion, wordsSaid)),
            shown,
          )}.`,
        ]),
  ];
}

/** Excuses that excuse nothing. No faults: another sample may need them. */
export function excuseWarnings({ tried, killed }: KillTally, claims: Claims | null): readonly string[] {
  const planned = new Set(tried.map(({ mutant }) => mutant.id));
  const dead = new Set(killed.map(({ mutant }) => mutant.id));
  const named = claims?.survivors.map(({ mutant }) => mutant) ?? [];
  return [
    ...said(named.filter((id) => dead.has(id)).map(cut), `are survivors in ${claimsPath}, but fail`),
    ...said(
      named.filter((id) => !planned.has(id)).map(cut),
      `are survivors in ${claimsPath}, but were not tried`,
    ),
  ];
}

function said(names: readonly string[], what: string): readonly string[] {
  if (names.length === 0) return [];
  return [`Broken variants of the reference that ${what} (${names.length}): ${enumerated(names, shown)}.`];
}

function described({ mutant }: TriedMutant): string {
  const diff = mutant.diff === null ? "" : `\n${shorten(mutant.diff.trimEnd(), diffSaid)}`;
  return `- ${mutant.id}: ${shorten(mutant.words, wordsSaid)}${diff}`;
}

function cut(id: string): string {
  return shorten(id, wordsSaid);
}

/** Down, so that what is below a threshold does not look as if it reached it. */
function rounded(killRate: number | null): string {
  return (Math.floor((killRate ?? 0) * 100) / 100).toFixed(2);
}
