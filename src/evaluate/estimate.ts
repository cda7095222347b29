import type { Prices } from "../artefacts/endpoint.ts";
import { dollars, priceOf } from "../artefacts/nano-usd.ts";
import type { PlannedTrial } from "../artefacts/trial.ts";

/** System prompt, skill, tools and task: what every request of a trial begins with (openrouter.md §10). */
export const assumedPrefixTokens = 8000;
/** What a turn adds to the conversation: the model's words and calls, and the tools' capped output (openrouter.md §10). */
export const assumedGrowthTokens = 1500;
/** Turns of a trial: a task that goes well at once, and the loop that openrouter.md §10 reckons with. */
export const assumedTurns = { low: 8, expected: 25 } as const;
/** Output of a turn: a short call; a call with some words; a model that reasons at length before every call. */
export const assumedTurnOutputTokens = { low: 200, expected: 500, high: 2000 } as const;
/** A judge's question with the artefacts it shows: a small file, a few, as many as are shown at most. */
export const assumedQuestionTokens = { low: 1500, expected: 4000, high: 16_000 } as const;
/** A judge's answer: a sentence; some; all it may say (1024 tokens). */
export const assumedAnswerTokens = { low: 100, expected: 300, high: 1024 } as const;
/** At worst every question is put once more, because its answer was not readable. */
export const assumedAsks = { low: 1, expected: 1, high: 2 } as const;

/** Medians over finished trials; null where they were not told. */
export type MeasuredTrial = {
  readonly modelCalls: number | null;
  readonly uncachedInputTokens: number | null;
  readonly cachedInputTokens: number | null;
  readonly outputTokens: number | null;
};

/** What of a finished trial an estimate goes by. */
export type FinishedTrial = { readonly trial: PlannedTrial; readonly usage: MeasuredTrial };

/** What is left to do with one model in one role. */
export type WorkLeft =
  | {
      readonly kind: "loops";
      readonly role: "agent" | "author";
      readonly model: string;
      readonly prices: Prices | null;
      /** Trials, or attempts at authoring. */
      readonly count: number;
      /** The limit of one of them. */
      readonly maxTurns: number;
      /** Mean over the arms; null: assumed. */
      readonly prefixTokens: number | null;
      readonly measured: MeasuredTrial | null;
    }
  | {
      readonly kind: "questions";
      readonly role: "judge";
      readonly model: string;
      readonly prices: Prices | null;
      readonly count: number;
    };

/** Nano-dollars; null when a price is unknown. */
export type Range = {
  readonly low: number | null;
  readonly expected: number | null;
  readonly high: number | null;
};

export type Estimate = {
  readonly total: Range;
  readonly parts: readonly { readonly work: WorkLeft; readonly range: Range }[];
};

/**
 * What the work left will cost (openrouter.md §9): at the low end few turns and a cache that always holds, at the
 * high end every turn there is and no cache. Where finished trials were measured, their medians stand instead of the
 * assumptions, and only the cache is left to doubt.
 */
export function estimateCost(work: readonly WorkLeft[]): Estimate {
  const parts = work.map((one) => ({ work: one, range: rangeOf(one) }));
  const sum = (of: keyof Range): number | null => sumOrNull(parts.map(({ range }) => range[of]));
  return { total: { low: sum("low"), expected: sum("expected"), high: sum("high") }, parts };
}

/**
 * Input of a loop whose every request repeats the whole conversation: all of it, and how much of it was sent before
 * and so can come from the provider's cache. 8,000 + 1,500 a turn over 25 turns: 650,000 and 606,000.
 */
export function loopInput(
  turns: number,
  prefixTokens: number,
  growthTokens: number,
): { readonly total: number; readonly repeated: number } {
  const upTo = (count: number): number => count * prefixTokens + (growthTokens * count * (count - 1)) / 2;
  return { total: upTo(turns), repeated: upTo(Math.max(0, turns - 1)) };
}

type Level = "low" | "expected" | "high";
type Loops = Extract<WorkLeft, { readonly kind: "loops" }>;
type Questions = Extract<WorkLeft, { readonly kind: "questions" }>;

function rangeOf(work: WorkLeft): Range {
  const { prices, count } = work;
  if (count === 0) return { low: 0, expected: 0, high: 0 };
  if (prices === null) return { low: null, expected: null, high: null };
  if (work.kind === "questions") {
    const at = (level: Level): number | null => questionsCost(work, level, prices);
    return { low: at("low"), expected: at("expected"), high: at("high") };
  }
  const cached = (level: Level): number | null => loopsCost(work, tokensOfLoop(work, level), prices, true);
  const uncached = (level: Level): number | null => loopsCost(work, tokensOfLoop(work, level), prices, false);
  // Writing to a cache can cost more than it saves: in a loop of one turn it always does.
  return {
    low: pick(Math.min, cached("low"), uncached("low")),
    expected: cached("expected"),
    high: pick(Math.max, cached("high"), uncached("high")),
  };
}

type LoopTokens = {
  readonly calls: number;
  readonly uncached: number;
  readonly cached: number;
  readonly output: number;
};

/** One trial: measured where it was, otherwise assumed. */
function tokensOfLoop({ measured, maxTurns, prefixTokens }: Loops, level: Level): LoopTokens {
  const assumed = level === "high" ? maxTurns : Math.min(maxTurns, assumedTurns[level]);
  const calls = measured?.modelCalls ?? assumed;
  const input = loopInput(calls, prefixTokens ?? assumedPrefixTokens, assumedGrowthTokens);
  const uncached = measured?.uncachedInputTokens ?? null;
  const cached = measured?.cachedInputTokens ?? null;
  const split = uncached !== null && cached !== null;
  return {
    calls,
    uncached: split ? uncached : input.total - input.repeated,
    cached: split ? cached : input.repeated,
    output: measured?.outputTokens ?? calls * assumedTurnOutputTokens[level],
  };
}

/** All the loops at once, so that nothing is rounded but the end. With a cache, what is new is written to it. */
function loopsCost(
  { count }: Loops,
  { calls, uncached, cached, output }: LoopTokens,
  prices: Prices,
  caches: boolean,
): number | null {
  const all = (perLoop: number): number => Math.round(perLoop * count);
  const fresh = all(caches ? uncached : uncached + cached);
  return priceOf(
    {
      uncached: fresh,
      cached: caches ? all(cached) : 0,
      cacheWrite: caches && cached > 0 ? fresh : 0,
      output: all(output),
      requests: all(calls),
    },
    prices,
  );
}

function questionsCost({ count }: Questions, level: Level, prices: Prices): number | null {
  const asks = count * assumedAsks[level];
  const input = asks * assumedQuestionTokens[level];
  const output = asks * assumedAnswerTokens[level];
  return priceOf({ uncached: input, cached: 0, cacheWrite: 0, output, requests: asks }, prices);
}

/** For people, before they are asked: the total, then each part, then what it rests on. */
export function estimateWords({ total, parts }: Estimate): readonly string[] {
  const unpriced = [
    ...new Set(parts.filter(({ range }) => range.expected === null).map(({ work }) => work.model)),
  ];
  const known = parts.filter(({ range }) => range.expected !== null);
  const rest =
    known.length === 0 ? "" : ` The rest: ${rangeWords(estimateCost(known.map(({ work }) => work)).total)}.`;
  const first =
    unpriced.length === 0
      ? `Estimated cost ${rangeWords(total)}.`
      : `Estimated cost unknown: nobody told a price for ${unpriced.join(", ")}.${rest}`;
  const measured = parts.some(({ work }) => work.kind === "loops" && work.measured !== null);
  return [
    first,
    ...parts.map(({ work, range }) => `  ${partWords(work)}: ${rangeWords(range)}`),
    measured
      ? "  Finished trials were measured; low is with the prompt cache as it worked, high without any."
      : `  Assumed: ${assumedTurns.low} to ${assumedTurns.expected} turns a trial, at most its limit; ` +
        `${prefixWords(parts)}${assumedGrowthTokens} tokens more a turn; low with a prompt cache, high without.`,
  ];
}

/** Where the openings were counted, nothing was assumed about them. */
function prefixWords(parts: Estimate["parts"]): string {
  const assumed = parts.some(({ work }) => work.kind === "loops" && work.prefixTokens === null);
  return assumed ? `${assumedPrefixTokens} tokens at first and ` : "";
}

function partWords(work: WorkLeft): string {
  switch (work.role) {
    case "agent":
      return `${work.model}, ${work.count} trial(s)`;
    case "author":
      return `${work.model}, ${work.count} attempt(s) at authoring`;
    case "judge":
      return `${work.model}, ${work.count} question(s) to judge`;
  }
}

function rangeWords({ low, expected, high }: Range): string {
  if (expected === null) return "unknown";
  return low === high ? dollars(expected) : `${dollars(expected)} (${dollars(low)} to ${dollars(high)})`;
}

function sumOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length < values.length ? null : known.reduce((sum, value) => sum + value, 0);
}

function pick(
  choose: (one: number, other: number) => number,
  one: number | null,
  other: number | null,
): number | null {
  return one === null || other === null ? null : choose(one, other);
}
