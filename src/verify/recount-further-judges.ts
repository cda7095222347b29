import { ballotKind, type BallotKind } from "../artefacts/ballot-kind.ts";
import type { JudgeTrials } from "../artefacts/judges.ts";
import type { Answer, Ballot } from "../artefacts/verdict.ts";
import { sha256 } from "../hash.ts";
import type { Counted } from "./counted.ts";

type Share = { agreed: number; of: number };
type Pair = Share & { readonly judges: readonly [string, string] };

/** Over questions with two votes or more: `unlike` is Σ yes · no ÷ (votes − 1), `yesShare` and `agreement` sums of shares. */
type Votes = Record<"questions" | "yes" | "no" | "yesShare" | "agreement" | "unlike", number>;

/** More refusals than one in so many ballots are said to be many. */
const oneIn = 20;

/** What judges answered, counted as verdicts come; an answer that several trials share is counted once. */
export class JudgeCounts {
  private readonly seen = new Set<string>();
  private decided = 0;
  private readonly kinds = new Map<string, Map<BallotKind, number>>();
  private readonly unanimous: Share = { agreed: 0, of: 0 };
  private readonly pairs = new Map<string, Pair>();
  private readonly votes: Votes = { questions: 0, yes: 0, no: 0, yesShare: 0, agreement: 0, unlike: 0 };

  see({ verdict }: Counted): void {
    for (const answer of verdict?.answers ?? []) {
      const identity = identityOf(answer);
      if (this.seen.has(identity)) continue;
      this.seen.add(identity);
      this.count(answer);
    }
  }

  private count({ answer, ballots }: Answer): void {
    if (answer !== null) this.decided += 1;
    for (const ballot of ballots) {
      const kinds = this.kinds.get(ballot.judge) ?? new Map<BallotKind, number>();
      this.kinds.set(ballot.judge, kinds);
      const kind = ballotKind(ballot);
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    const votes = ballots.filter((ballot) => ballot.answer !== "absent");
    const yes = votes.filter((vote) => vote.answer === "yes").length;
    if (ballots.length > 1 && votes.length === ballots.length) {
      this.unanimous.of += 1;
      if (yes === 0 || yes === votes.length) this.unanimous.agreed += 1;
    }
    if (votes.length > 1) this.weigh(yes, votes.length - yes);
    for (let first = 0; first < votes.length; first++)
      for (let second = first + 1; second < votes.length; second++) this.pair(votes[first], votes[second]);
  }

  private weigh(yes: number, no: number): void {
    const unlike = (yes * no) / (yes + no - 1);
    this.votes.questions += 1;
    this.votes.yes += yes;
    this.votes.no += no;
    this.votes.yesShare += yes / (yes + no);
    this.votes.unlike += unlike;
    this.votes.agreement += 1 - (2 * unlike) / (yes + no);
  }

  private pair(a: Ballot | undefined, b: Ballot | undefined): void {
    if (a === undefined || b === undefined) return;
    const name = JSON.stringify([a.judge, b.judge]);
    const pair = this.pairs.get(name) ?? { judges: [a.judge, b.judge] as const, agreed: 0, of: 0 };
    this.pairs.set(name, pair);
    pair.of += 1;
    pair.agreed += a.answer === b.answer ? 1 : 0;
  }

  /** As a report has it; `tried` are the sentinels' records. */
  figures(tried: readonly JudgeTrials[]): Readonly<Record<string, unknown>> {
    const pairs = [...this.pairs.values()];
    return {
      ...{ questions: this.seen.size, decided: this.decided, unanimous: this.unanimous, pairs },
      beyondChance: beyondChance(this.votes),
      judges: [...this.kinds].map(([judge, kinds]) => rowOf(judge, kinds)),
      pairwise: {
        agreed: pairs.reduce((sum, { agreed }) => sum + agreed, 0),
        of: pairs.reduce((sum, pair) => sum + pair.of, 0),
      },
      tried: tried.flatMap(({ skill, benchmark, unusable, trials }) => {
        const passed = trials.filter(({ outcome }) => outcome === "passed").length;
        return unusable === null ? [{ skill, benchmark, passed, judges: trials.length }] : [];
      }),
    };
  }
}

/**
 * Of two kinds of votes, from sums over questions: what is left of the disagreement that chance would give (Fleiss by
 * the mean shares of questions, Gwet by what an even guess leaves of them, Krippendorff by pairs of all votes).
 */
function beyondChance({ questions, yes, no, yesShare, agreement, unlike }: Votes): unknown {
  const all = yes + no;
  if (questions === 0) return { of: 0, fleissKappa: null, gwetAC1: null, krippendorffAlpha: null };
  const missed = 1 - agreement / questions;
  const share = yesShare / questions;
  const byChance = yes * no === 0 ? 0 : 2 * share * (1 - share);
  return {
    of: questions,
    fleissKappa: byChance === 0 ? null : 1 - missed / byChance,
    gwetAC1: 1 - missed / (1 - byChance),
    krippendorffAlpha: byChance === 0 ? null : 1 - ((all - 1) * unlike) / (yes * no),
  };
}

function rowOf(judge: string, kinds: ReadonlyMap<BallotKind, number>): unknown {
  const of = (kind: BallotKind): number => kinds.get(kind) ?? 0;
  const [yes, no, unparsed, refused] = [of("yes"), of("no"), of("unparsed"), of("refused")];
  const absent = of("cut_off") + of("too_long") + of("unreached");
  const ballots = yes + no + unparsed + refused + absent;
  return {
    ...{ judge, ballots, yes, no, unparsed, refused, absent },
    notAsked: of("not_asked"),
    refusesOften: refused * oneIn > ballots,
  };
}

/** The same question about the same bytes with the same ballots; 16 characters, since there may be very many. */
function identityOf({ key, ballots }: Answer): string {
  const said = ballots.map(({ judge, answer, reason, reply }) => ({ judge, answer, reason, reply }));
  return sha256(JSON.stringify({ key, said })).slice(0, 16);
}
