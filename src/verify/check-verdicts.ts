import { enough } from "../artefacts/ballot-kind.ts";
import { type Answer, type Verdict } from "../artefacts/verdict.ts";
import { type PlannedTrial, type SnapshotRef, trialName } from "../artefacts/trial.ts";
import { type MeasuredSnapshot, type TrialFound, valueOf } from "./found.ts";
import type { Difference } from "../artefacts/verification.ts";
import { short } from "./look.ts";
import type { Check, Observer } from "./observer.ts";

/** Every stored workspace is the one that its trial left, and that its verdict is about. */
export const checkSnapshots: Check = () => {
  const differences: Difference[] = [];
  let left = 0;
  return {
    see: (one) => {
      const outcome = valueOf(one.trial)?.outcome;
      if (outcome?.kind !== "ended") return;
      left++;
      differences.push(...snapshotOf(one, outcome.snapshot));
    },
    look: () => ({ differences, words: `${left} workspaces against their trials and verdicts` }),
  };
};

function snapshotOf(one: TrialFound, ref: SnapshotRef): readonly Difference[] {
  const { snapshot } = one;
  const verdict = valueOf(one.verdict);
  const isAbout = verdict === null || verdict.snapshot === ref.sha256;
  const isSame = snapshot.kind === "there" && snapshot.sha256 === ref.sha256 && snapshot.bytes === ref.bytes;
  if (isAbout && isSame) return [];
  const place = `trials/${trialName(one.planned)}`;
  const graded: readonly Difference[] = isAbout
    ? []
    : [
        {
          place: `${place}/verdict.json: snapshot`,
          expected: short(ref.sha256),
          came: `${short(verdict.snapshot)}: it is about another workspace`,
        },
      ];
  if (isSame) return graded;
  const expected = `${short(ref.sha256)} of ${ref.bytes} bytes, as trial.json says`;
  return [...graded, { place: `${place}/workspace.tar.gz`, expected, came: measuredWords(snapshot) }];
}

function measuredWords(snapshot: MeasuredSnapshot): string {
  switch (snapshot.kind) {
    case "absent":
      return "nothing: it was taken away";
    case "unreadable":
      return snapshot.words;
    case "there":
      return `${short(snapshot.sha256)} of ${snapshot.bytes} bytes`;
  }
}

/** Every verdict is the one that its assertions, exit code and ballots give. */
export const checkVerdicts: Check = () =>
  ofVerdicts(
    (verdict, place) => {
      const expected = expectedOf(verdict);
      const answers = verdict.answers.flatMap((answer) => ballotsOf(answer, place));
      if (expected === verdict.verdict) return answers;
      const words = `${expected}, by ${grounds(verdict)}`;
      return [{ place: `${place}: verdict`, expected: words, came: verdict.verdict }, ...answers];
    },
    (verdicts) => `${verdicts} verdicts against their exit codes, assertions and ballots`,
  );

/** Graded by the grader that was planned, questions to the panel that was planned. */
export const checkRubric: Check = ({ plan }) => {
  const hashes = new Map(
    plan.inputs.skills.flatMap(({ id, benchmarks }) =>
      benchmarks.map((one) => [`${id}/${one.id}`, one.bundleHash] as const),
    ),
  );
  return ofVerdicts(
    (verdict, place, { skill, benchmark }) => {
      const hash = hashes.get(`${skill}/${benchmark}`) ?? null;
      const judges = new Set(verdict.answers.flatMap(({ ballots }) => ballots.map(({ judge }) => judge)));
      const strangers = [...judges].filter((judge) => !plan.inputs.judges.includes(judge));
      const others = strangers.map((judge) => ({
        place: `${place}: ballots`,
        expected: `judges of the plan (${plan.inputs.judges.join(", ")})`,
        came: judge,
      }));
      if (verdict.bundleHash === hash) return others;
      const expected = `${short(hash)}, as planned`;
      return [{ place: `${place}: bundleHash`, expected, came: short(verdict.bundleHash) }, ...others];
    },
    (verdicts) => `bundle and judges of ${verdicts} verdicts against the plan`,
  );
};

function ofVerdicts(
  differencesIn: (verdict: Verdict, place: string, planned: PlannedTrial) => readonly Difference[],
  words: (verdicts: number) => string,
): Observer {
  const differences: Difference[] = [];
  let verdicts = 0;
  return {
    see: ({ planned, verdict }) => {
      const value = valueOf(verdict);
      if (value === null) return;
      verdicts++;
      differences.push(...differencesIn(value, `trials/${trialName(planned)}/verdict.json`, planned));
    },
    look: () => ({ differences, words: words(verdicts) }),
  };
}

/** The table of DESIGN §8, read from the record alone. A grader that broke its contract once leaves ungraded. */
function expectedOf({ grader, assertions, answers, reason }: Verdict): Verdict["verdict"] {
  const failed = assertions.filter(({ passed }) => !passed).length;
  const ungraded = reason?.startsWith("the grader broke its contract once") === true;
  if (ungraded) return "ungraded";
  if (reason?.startsWith("grader_error") === true) return "failed";
  if (grader.timedOut) return "failed";
  if (grader.exitCode === 0) return assertions.length > 0 && failed === 0 ? "passed" : "failed";
  if (grader.exitCode !== 3 || answers.length === 0 || failed > 0) return "failed";
  const isWrong = ({ answer, question }: Answer): boolean => answer !== null && answer !== question.expect;
  if (answers.some(isWrong)) return "failed";
  return answers.some(({ answer }) => answer === null) ? "ungraded" : "passed";
}

function grounds({ grader, assertions, answers }: Verdict): string {
  const failed = assertions.filter(({ passed }) => !passed).length;
  const wrong = answers.filter(({ answer, question }) => answer !== question.expect).length;
  const judged = answers.length === 0 ? "" : `, ${wrong} of ${answers.length} answers not as expected`;
  return `exit code ${grader.exitCode ?? "none"}, ${failed} of ${assertions.length} assertions failed${judged}`;
}

/** Two equal votes decide; an absent judge has none. */
function ballotsOf({ question, ballots, answer }: Answer, place: string): readonly Difference[] {
  const votes = (of: "yes" | "no"): number => ballots.filter((ballot) => ballot.answer === of).length;
  const [yes, no] = [votes("yes"), votes("no")];
  const expected = yes >= enough ? true : no >= enough ? false : null;
  if (answer === expected) return [];
  return [
    {
      place: `${place}: answer to ${question.id}`,
      expected: `${String(expected)}, by ${yes} yes and ${no} no`,
      came: String(answer),
    },
  ];
}
