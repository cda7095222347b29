import type { Endpoint } from "../artefacts/endpoint.ts";
import type { AttemptLine, LedgerLine, SettledLine } from "../artefacts/ledger.ts";
import { dollars, priceOf } from "../artefacts/nano-usd.ts";
import { trialName } from "../artefacts/trial.ts";
import type { Difference } from "../artefacts/verification.ts";
import { type Answered, type CampaignFound, valueOf } from "./found.ts";
import type { Look } from "./look.ts";
import { type Check, withoutTrials } from "./observer.ts";
import type { TrialIndex } from "./trial-index.ts";

/** What the walk over the ledger saw (`PriceWalk`). */
export function checkPrices({ ledger }: CampaignFound): Look {
  if (ledger.kind === "unreadable") return unreadable(ledger.words);
  return valueOf(ledger)?.prices ?? new PriceWalk([], new Map()).look(0);
}

/** Every request was for the plan, went to its endpoint, and every estimated cost is its price × the tokens counted. */
export class PriceWalk {
  private readonly endpoints: ReadonlyMap<string, Endpoint>;
  private readonly planned: TrialIndex;
  private readonly told: { readonly at: number; readonly difference: Difference }[] = [];
  private estimates = 0;

  constructor(endpoints: readonly Endpoint[], planned: TrialIndex) {
    this.endpoints = new Map(endpoints.map((endpoint) => [endpoint.model, endpoint]));
    this.planned = planned;
  }

  /** `attempt`: the line itself, or the attempt that something was found out about; none is known of an id that never was. */
  see(line: LedgerLine, at: number, attempt: Exclude<LedgerLine, SettledLine> | undefined): void {
    const difference = attempt === undefined ? null : this.unlike(line, `ledger.jsonl:${at}`, attempt);
    if (difference !== null) this.told.push({ at, difference });
  }

  /** `attempts`: how many different ones there were. */
  look(attempts: number): Look {
    const differences = this.told.toSorted((a, b) => a.at - b.at).map(({ difference }) => difference);
    const words = `${attempts} request attempts against the plan's endpoints; ${this.estimates} estimated cost(s) against its prices`;
    return { differences, words };
  }

  private unlike(
    line: LedgerLine,
    place: string,
    attempt: Exclude<LedgerLine, SettledLine>,
  ): Difference | null {
    const endpoint = this.endpoints.get(attempt.model);
    if (endpoint === undefined || endpoint.tag !== attempt.tag) return elsewhere(place, attempt, endpoint);
    const subject = line.kind === "attempt" && line.role === "agent" ? line.subject : null;
    if (subject !== null && !this.planned.has(subject))
      return { place, expected: "a request for a planned trial", came: subject };
    if (line.kind === "begun" || attempt.kind === "begun" || line.source !== "estimated") return null;
    const expected = costOf(attempt, endpoint);
    if (expected === null) return null;
    this.estimates++;
    return expected === line.costNanoUsd ? null : otherCost(place, expected, line);
  }
}

/** What no provider told is null in the record of a trial, never 0. */
export const checkUnavailable: Check = (found) => {
  const { ledger } = found;
  if (ledger.kind === "unreadable") return withoutTrials(() => unreadable(ledger.words))(found);
  const answered = valueOf(ledger)?.answered;
  const differences: Difference[] = [];
  let compared = 0;
  return {
    see: ({ planned, trial }) => {
      const usage = valueOf(trial)?.usage;
      const its = answered?.(trialName(planned));
      if (usage === undefined || its === undefined || its.answers === 0) return;
      compared++;
      for (const name of tellable) {
        if (usage[name] === null || its[name]) continue;
        differences.push({
          place: `trials/${trialName(planned)}/trial.json: usage.${name}`,
          expected: `null: none of its ${its.answers} answers in ledger.jsonl tells it`,
          came: String(usage[name]),
        });
      }
    },
    look: () => ({ differences, words: `usage of ${compared} trials against the ledger` }),
  };
};

const tellable = ["inputTokens", "cachedInputTokens", "outputTokens", "costUsd"] as const;

/** Counts the answers that each trial's agent got, and what any of them told. */
export class AnswerWalk {
  private readonly planned: TrialIndex;
  private readonly answers: Uint32Array;
  /** A bit for each of `tellable`. */
  private readonly told: Uint8Array;

  constructor(planned: TrialIndex, trials: number) {
    this.planned = planned;
    this.answers = new Uint32Array(trials);
    this.told = new Uint8Array(trials);
  }

  see(line: LedgerLine): void {
    if (line.kind !== "attempt" || line.role !== "agent" || line.outcome !== "turn" || line.subject === null)
      return;
    const at = this.planned.get(line.subject);
    if (at === undefined) return;
    const isTold = {
      inputTokens: line.inputTokens !== null,
      cachedInputTokens: line.cachedInputTokens !== null,
      outputTokens: line.outputTokens !== null,
      costUsd: line.source === "reported",
    };
    this.answers[at] = (this.answers[at] ?? 0) + 1;
    for (const [bit, name] of tellable.entries())
      this.told[at] = (this.told[at] ?? 0) | (isTold[name] ? 1 << bit : 0);
  }

  /** Of a planned trial, by its name. */
  readonly answered = (trial: string): Answered => {
    const at = this.planned.get(trial) ?? -1;
    const told = this.told[at] ?? 0;
    const [inputTokens, cachedInputTokens, outputTokens, costUsd] = [1, 2, 4, 8].map(
      (bit) => (told & bit) > 0,
    );
    return {
      answers: this.answers[at] ?? 0,
      inputTokens: inputTokens === true,
      cachedInputTokens: cachedInputTokens === true,
      outputTokens: outputTokens === true,
      costUsd: costUsd === true,
    };
  };
}

function unreadable(came: string): Look {
  return {
    differences: [{ place: "ledger.jsonl", expected: "a ledger that can be read", came }],
    words: "nothing, since the ledger cannot be read",
  };
}

function elsewhere(
  place: string,
  { model, tag }: Exclude<LedgerLine, SettledLine>,
  endpoint: Endpoint | undefined,
): Difference {
  const came = `${model} at ${tag ?? "its only endpoint"}`;
  if (endpoint === undefined) return { place, expected: "a model that the plan has an endpoint of", came };
  return { place, expected: `${model} at ${endpoint.tag ?? "its only endpoint"}, as planned`, came };
}

function otherCost(place: string, expected: number, { costNanoUsd }: AttemptLine | SettledLine): Difference {
  const words = `${expected} billionths of a dollar (${dollars(expected)}), the plan's price × tokens`;
  return { place, expected: words, came: `${costNanoUsd ?? "unknown"} (${dollars(costNanoUsd)})` };
}

/** Null where not all was counted: then the cost was guessed from the text, which is not kept. */
function costOf(attempt: AttemptLine, { prices }: Endpoint): number | null {
  const { inputTokens, outputTokens } = attempt;
  if (prices === null || inputTokens === null || outputTokens === null) return null;
  const cached = Math.min(inputTokens, attempt.cachedInputTokens ?? 0);
  const uncached = inputTokens - cached;
  const cacheWrite = Math.min(uncached, attempt.cacheWriteTokens ?? 0);
  return priceOf({ uncached, cached, cacheWrite, output: outputTokens, requests: 1 }, prices);
}
