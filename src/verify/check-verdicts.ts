import { enough } from "../artefacts/ballot-kind.ts";
import { type Answer, type Verdict } from "../artefacts/verdict.ts";
import { trialName } from "../artefacts/trial.ts";
import type { CampaignFound, TrialFound } from "./found.ts";
import { valueOf } from "./found.ts";
import type { Difference } from "../artefacts/verification.ts";
import { type Look, short } from "./look.ts";

/** Every stored workspace is the one that its trial left, and that its verdict is about. */
export function checkSnapshots({ trials }: CampaignFound): Look {
  const left = trials.flatMap((one) => {
    const outcome = valueOf(one.trial)?.outcome;
    return outcome?.kind === "ended" ? [{ one, ref: outcome.snapshot }] : [];
  });
  const differences = left.flatMap(({ one, ref }): readonly Difference[] => {
    const place = `trials/${trialName(one.planned)}`;
    const expected = `${short(ref.sha256)} of ${ref.bytes} bytes, as trial.json says`;
    const verdict = valueOf(one.verdict);
    const graded: readonly Difference[] =
      verdict === null || verdict.snapshot === ref.sha256
        ? []
        : [
            {
              place: `${place}/verdict.json: snapshot`,
              expected: short(ref.sha256),
              came: `${short(verdict.snapshot)}: it is about another workspace`,
            },
          ];
    const { snapshot } = one;
    if (snapshot.kind !== "there") {
      const came = snapshot.kind === "absent" ? "nothing: it was taken away" : snapshot.words;
      return [...graded, { place: `${place}/workspace.tar.gz`, expected, came }];
    }
    if (snapshot.sha256 === ref.sha256 && snapshot.bytes === ref.bytes) return graded;
    const came = `${short(snapshot.sha256)} of ${snapshot.bytes} bytes`;
    return [...graded, { place: `${place}/workspace.tar.gz`, expected, came }];
  });
  return { differences, words: `${left.length} workspaces against their trials and verdicts` };
}

/** Every verdict is the one that its assertions, exit code and ballots give. */
export function checkVerdicts({ trials }: CampaignFound): Look {
  const verdicts = verdictsOf(trials);
  const differences = verdicts.flatMap(({ place, verdict }): readonly Difference[] => {
    const expected = expectedOf(verdict);
    return [
      ...(expected === verdict.verdict
        ? []
        : [
            {
              place: `${place}: verdict`,
              expected: `${expected}, by ${grounds(verdict)}`,
              came: verdict.verdict,
            },
          ]),
      ...verdict.answers.flatMap((answer) => ballotsOf(answer, place)),
    ];
  });
  return {
    differences,
    words: `${verdicts.length} verdicts against their exit codes, assertions and ballots`,
  };
}

/** Graded by the grader that was planned, questions to the panel that was planned. */
export function checkRubric({ plan, trials }: CampaignFound): Look {
  const planned = new Map(
    plan.inputs.skills.flatMap(({ id, benchmarks }) =>
      benchmarks.map((one) => [`${id}/${one.id}`, one.bundleHash] as const),
    ),
  );
  const verdicts = verdictsOf(trials);
  const differences = verdicts.flatMap(({ one, place, verdict }): readonly Difference[] => {
    const hash = planned.get(`${one.planned.skill}/${one.planned.benchmark}`) ?? null;
    const judges = new Set(verdict.answers.flatMap(({ ballots }) => ballots.map(({ judge }) => judge)));
    const strangers = [...judges].filter((judge) => !plan.inputs.judges.includes(judge));
    return [
      ...(verdict.bundleHash === hash
        ? []
        : [
            {
              place: `${place}: bundleHash`,
              expected: `${short(hash)}, as planned`,
              came: short(verdict.bundleHash),
            },
          ]),
      ...strangers.map((judge) => ({
        place: `${place}: ballots`,
        expected: `judges of the plan (${plan.inputs.judges.join(", ")})`,
        came: judge,
      })),
    ];
  });
  return { differences, words: `bundle and judges of ${verdicts.length} verdicts against the plan` };
}

function verdictsOf(
  trials: readonly TrialFound[],
): readonly { readonly one: TrialFound; readonly place: string; readonly verdict: Verdict }[] {
  return trials.flatMap((one) => {
    const verdict = valueOf(one.verdict);
    return verdict === null ? [] : [{ one, place: `trials/${trialName(one.planned)}/verdict.json`, verdict }];
  });
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
