import { ballotKind } from "../artefacts/ballot-kind.ts";
import type { JudgeCounts, JudgeStatistics, JudgeTrials, Share } from "../artefacts/judges.ts";
import { sha256 } from "../hash.ts";
import { agreement } from "../statistics/agreement.ts";
import { groupBy } from "./group-by.ts";
import type { CountedAnswer, CountedVerdict } from "./outcome.ts";

type Ballot = CountedAnswer["ballots"][number];

/** A judge that refuses more than this share of its ballots is named. */
const mostRefused = 0.05;

/** What the judges of a campaign did: counts per judge, how far they agree, who was set aside. */
export function judgesOf(
  verdicts: readonly Pick<CountedVerdict, "answers">[],
  tried: readonly JudgeTrials[],
): JudgeStatistics {
  const answers = differentAnswers(verdicts);
  const pairs = pairsOf(answers);
  const whole = answers.filter(({ ballots }) => ballots.length > 1 && ballots.every(isVote));
  return {
    questions: answers.length,
    decided: answers.filter(({ answer }) => answer !== null).length,
    judges: groupBy(
      answers.flatMap(({ ballots }) => ballots),
      ({ judge }) => judge,
    ).map(countsOf),
    unanimous: share(whole, ({ ballots }) => new Set(ballots.map(({ answer }) => answer)).size === 1),
    pairwise: {
      agreed: pairs.reduce((sum, { agreed }) => sum + agreed, 0),
      of: pairs.reduce((sum, pair) => sum + pair.of, 0),
    },
    beyondChance: beyondChance(answers),
    pairs,
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
function differentAnswers(verdicts: readonly Pick<CountedVerdict, "answers">[]): readonly CountedAnswer[] {
  const different = new Map<string, CountedAnswer>();
  for (const { answers } of verdicts) {
    for (const answer of answers) {
      const identity = answerIdentity(answer);
      if (!different.has(identity)) different.set(identity, answer);
    }
  }
  return [...different.values()];
}

/** The same for the same question about the same bytes with the very same ballots, and for nothing else. */
export function answerIdentity({ key, ballots }: CountedAnswer): string {
  return sha256(
    JSON.stringify([key, ballots.map(({ judge, answer, reason, reply }) => [judge, answer, reason, reply])]),
  );
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

/** How often two judges that both voted said the same; pairs in the order in which they first appear. */
function pairsOf(answers: readonly CountedAnswer[]): JudgeStatistics["pairs"] {
  const pairs = new Map<string, JudgeStatistics["pairs"][number]>();
  for (const { ballots } of answers) {
    const votes = ballots.filter(isVote);
    votes.forEach((a, at) => {
      for (const b of votes.slice(at + 1)) {
        const key = JSON.stringify([a.judge, b.judge]);
        const pair = pairs.get(key) ?? { judges: [a.judge, b.judge], agreed: 0, of: 0 };
        const agreed = pair.agreed + (a.answer === b.answer ? 1 : 0);
        pairs.set(key, { ...pair, agreed, of: pair.of + 1 });
      }
    });
  }
  return [...pairs.values()];
}

function beyondChance(answers: readonly CountedAnswer[]): JudgeStatistics["beyondChance"] {
  const counts = answers
    .map(({ ballots }) => ballots.filter(isVote))
    .filter((votes) => votes.length > 1)
    .map((votes) => {
      const yes = votes.filter(({ answer }) => answer === "yes").length;
      return [yes, votes.length - yes];
    });
  const { fleissKappa, gwetAC1, krippendorffAlphaNominal: krippendorffAlpha } = agreement(counts);
  return { of: counts.length, fleissKappa, gwetAC1, krippendorffAlpha };
}

function share<T>(values: readonly T[], agrees: (value: T) => boolean): Share {
  return { agreed: values.filter(agrees).length, of: values.length };
}
