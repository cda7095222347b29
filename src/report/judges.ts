import { ballotKind } from "../artefacts/ballot-kind.ts";
import type { JudgeCounts, JudgeStatistics, JudgeTrials, Share } from "../artefacts/judges.ts";
import type { Answer, Ballot, Verdict } from "../artefacts/verdict.ts";
import { hashJson } from "../hash.ts";
import { groupBy } from "./group-by.ts";

/** A judge that refuses more than this share of its ballots is named. */
const mostRefused = 0.05;

/** What the judges of a campaign did: counts per judge, how far they agree, who was set aside. */
export function judgesOf(verdicts: readonly Verdict[], tried: readonly JudgeTrials[]): JudgeStatistics {
  const answers = differentAnswers(verdicts);
  const pairs = answers.flatMap(({ ballots }) => pairsOf(ballots.filter(isVote)));
  const whole = answers.filter(({ ballots }) => ballots.length > 1 && ballots.every(isVote));
  return {
    questions: answers.length,
    decided: answers.filter(({ answer }) => answer !== null).length,
    judges: groupBy(
      answers.flatMap(({ ballots }) => ballots),
      ({ judge }) => judge,
    ).map(countsOf),
    unanimous: share(whole, ({ ballots }) => new Set(ballots.map(({ answer }) => answer)).size === 1),
    pairwise: share(pairs, isEqual),
    pairs: groupBy(pairs, ([a, b]) => JSON.stringify([a.judge, b.judge])).map((group) => ({
      judges: [group[0][0].judge, group[0][1].judge],
      ...share(group, isEqual),
    })),
    setAside: tried.flatMap(({ skill, benchmark, trials }) =>
      trials
        .filter(({ outcome }) => outcome !== "passed")
        .map(({ judge, outcome, words }) => ({
          skill,
          benchmark,
          judge,
          words: outcome === "missed" ? words : `could not be tried (${words})`,
        })),
    ),
    tried: tried
      .filter(({ unusable }) => unusable === null)
      .map(({ skill, benchmark, trials }) => ({
        skill,
        benchmark,
        passed: trials.filter(({ outcome }) => outcome === "passed").length,
        judges: trials.length,
      })),
    unusable: tried.flatMap(({ skill, benchmark, unusable }) =>
      unusable === null ? [] : [{ skill, benchmark, reason: unusable }],
    ),
  };
}

/** An answer kept by content comes back in other verdicts with the very same ballots, under whatever id. */
function differentAnswers(verdicts: readonly Verdict[]): readonly Answer[] {
  const answers = verdicts.flatMap((verdict) => verdict.answers);
  return groupBy(answers, ({ key, ballots }) =>
    hashJson([key, ballots.map(({ judge, answer, reason, reply }) => [judge, answer, reason, reply])]),
  ).map(([first]) => first);
}

function countsOf(ballots: readonly [Ballot, ...Ballot[]]): JudgeCounts {
  const kinds = ballots.map(ballotKind);
  const of = (...wanted: readonly (typeof kinds)[number][]): number =>
    kinds.filter((kind) => wanted.includes(kind)).length;
  const notAsked = of("not_asked");
  const cast = ballots.length - notAsked;
  const refused = of("refused");
  return {
    judge: ballots[0].judge,
    ballots: cast,
    yes: of("yes"),
    no: of("no"),
    unparsed: of("unparsed"),
    refused,
    absent: of("cut_off", "too_long", "unreached"),
    notAsked,
    refusesOften: refused > mostRefused * cast,
  };
}

function isVote({ answer }: Ballot): boolean {
  return answer !== "absent";
}

function isEqual([a, b]: readonly [Ballot, Ballot]): boolean {
  return a.answer === b.answer;
}

function pairsOf(votes: readonly Ballot[]): (readonly [Ballot, Ballot])[] {
  return votes.flatMap((a, at) => votes.slice(at + 1).map((b) => [a, b] as const));
}

function share<T>(values: readonly T[], agrees: (value: T) => boolean): Share {
  return { agreed: values.filter(agrees).length, of: values.length };
}
