import type { Endpoint } from "../artefacts/endpoint.ts";
import { type AttemptLine, type BegunLine, type RequestRole, unknownCost } from "../artefacts/ledger.ts";
import { highestPriceOf, isAmount, nanoOf, priceOf } from "../artefacts/nano-usd.ts";
import type { ServerFault } from "./fault.ts";
import type { Usage } from "./port.ts";

/** What became of one attempt, as far as money is concerned. */
export type AttemptOutcome =
  | {
      readonly kind: "turn";
      readonly usage: Usage;
      readonly generation: string | null;
      readonly provider: string | null;
      /** Of text, reasoning and calls: for servers that count no tokens. Without it the whole `maxTokens` is assumed. */
      readonly outputCharacters?: number;
    }
  /** `costUnknown`: what the classifier says of a fault behind which the work may have been done. */
  | { readonly kind: "fault"; readonly fault: ServerFault; readonly costUnknown: boolean };

export type BookedRequest = {
  /** Estimated: `estimatedTokens`, or the last known prompt. */
  readonly inputTokens: number;
  readonly maxTokens: number;
  /** 1-based within its conversation, and the attempt at it. */
  readonly turn: number;
  readonly attempt: number;
  readonly subject: string | null;
};

/** An attempt without what the ledger adds to it. */
export type Booking = Omit<AttemptLine, "kind" | "id" | "at">;

/** An attempt before it is sent, without what the ledger adds to it. */
export type Begun = Omit<BegunLine, "kind" | "id" | "at">;

/** What decides what a request costs, and where it is said to have gone. */
export type PaidEndpoint = Pick<Endpoint, "model" | "tag" | "dialect" | "prices">;

/** Rule of thumb for a text nobody has counted (openrouter.md §9). */
export function estimatedTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/** What an attempt is reserved as: it costs `upToNanoUsd` at most; null where no price is known. */
export function begunOf(request: BookedRequest, endpoint: PaidEndpoint, role: RequestRole): Begun {
  const { turn, attempt, subject, inputTokens: input, maxTokens: output } = request;
  const { model, tag, prices } = endpoint;
  const upToNanoUsd = prices === null ? null : highestPriceOf({ input, output }, prices);
  return { role, subject, model, tag, turn, attempt, upToNanoUsd };
}

/**
 * What an attempt is written down as. Its cost is the best figure there is: the server's own; else, where the server
 * can be asked about it later, unknown until then; else price × tokens. An attempt that was given up is unknown, up
 * to its reserve, and one that was refused before any work costs nothing.
 */
export function bookingOf(
  outcome: AttemptOutcome,
  request: BookedRequest,
  endpoint: PaidEndpoint,
  role: RequestRole,
): Booking {
  const { upToNanoUsd: reserve, ...place } = begunOf(request, endpoint, role);
  if (outcome.kind === "fault") return { ...place, ...faultCost(outcome, endpoint, reserve) };
  const { usage, generation, provider } = outcome;
  return {
    ...place,
    generation,
    provider,
    outcome: "turn",
    inputTokens: wholeOrNull(usage.inputTokens),
    cachedInputTokens: wholeOrNull(usage.cachedInputTokens),
    cacheWriteTokens: wholeOrNull(usage.cacheWriteTokens),
    outputTokens: wholeOrNull(usage.outputTokens),
    reasoningTokens: wholeOrNull(usage.reasoningTokens),
    ...turnCost(outcome, { request, endpoint, reserve }),
  };
}

type Cost = Pick<Booking, "costNanoUsd" | "source" | "upToNanoUsd">;
type Turn = Extract<AttemptOutcome, { readonly kind: "turn" }>;
type Failed = Extract<AttemptOutcome, { readonly kind: "fault" }>;

function turnCost(
  turn: Turn,
  {
    request,
    endpoint,
    reserve,
  }: {
    readonly request: BookedRequest;
    readonly endpoint: PaidEndpoint;
    readonly reserve: number | null;
  },
): Cost {
  const { costUsd } = turn.usage;
  if (costUsd !== null && isAmount(costUsd)) return known(nanoOf(costUsd), "reported");
  if (endpoint.dialect === "openrouter" && turn.generation !== null) {
    return unknownCost(countedUpTo(turn.usage, endpoint) ?? reserve);
  }
  const estimate = estimateOf(turn, request, endpoint);
  return estimate === null ? unknownCost(reserve) : known(estimate, "estimated");
}

/** Counted tokens say more than the reserve did. */
function countedUpTo({ inputTokens, outputTokens }: Usage, { prices }: PaidEndpoint): number | null {
  const input = wholeOrNull(inputTokens);
  const output = wholeOrNull(outputTokens);
  return prices === null || input === null || output === null
    ? null
    : highestPriceOf({ input, output }, prices);
}

/** Price × tokens; tokens that were not counted are guessed, the output at worst as all that was allowed. */
function estimateOf(turn: Turn, request: BookedRequest, { prices }: PaidEndpoint): number | null {
  if (prices === null) return null;
  const { usage, outputCharacters } = turn;
  const input = wholeOrNull(usage.inputTokens) ?? request.inputTokens;
  const guessed = outputCharacters === undefined ? request.maxTokens : estimatedTokens(outputCharacters);
  return tokensCost({ ...usage, inputTokens: input, outputTokens: usage.outputTokens ?? guessed }, prices);
}

/** Price × the tokens a server counted; null where it did not count input or output, or a price is unknown. */
export function tokensCost(
  usage: Pick<Usage, "inputTokens" | "cachedInputTokens" | "cacheWriteTokens" | "outputTokens">,
  prices: NonNullable<Endpoint["prices"]>,
): number | null {
  const input = wholeOrNull(usage.inputTokens);
  const output = wholeOrNull(usage.outputTokens);
  if (input === null || output === null) return null;
  const cached = Math.min(input, wholeOrNull(usage.cachedInputTokens) ?? 0);
  const cacheWrite = Math.min(input - cached, wholeOrNull(usage.cacheWriteTokens) ?? 0);
  return priceOf({ uncached: input - cached, cached, cacheWrite, output, requests: 1 }, prices);
}

const nothingCounted = {
  inputTokens: null,
  cachedInputTokens: null,
  cacheWriteTokens: null,
  outputTokens: null,
  reasoningTokens: null,
} as const;

type FaultLine = Omit<Booking, "role" | "subject" | "model" | "tag" | "turn" | "attempt">;

function faultCost(
  { fault, costUnknown }: Failed,
  endpoint: PaidEndpoint,
  reserve: number | null,
): FaultLine {
  const response = fault.kind === "response" ? fault : null;
  const charged = costUnknown || mayBeCharged(fault, endpoint.dialect);
  return {
    generation: response?.header("x-generation-id") ?? null,
    provider: response?.error.metadata?.provider_name ?? null,
    outcome: faultWords(fault),
    ...nothingCounted,
    ...(charged ? unknownCost(reserve) : known(0, "not_charged")),
  };
}

/** What Node says when no connection was made (nothing, when a host has several addresses and all of them refused). */
const neverConnected =
  /^$|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|connect timeout|certificate|altnames/i;

/**
 * Whether work may have been done, and billed, behind a fault. OpenRouter charges nothing where nothing was generated
 * or the generation ended in an error (zero-completion insurance); other servers promise no such thing.
 */
function mayBeCharged(fault: ServerFault, dialect: Endpoint["dialect"]): boolean {
  const insured = dialect === "openrouter";
  switch (fault.kind) {
    case "deadline":
    case "miscount":
      return true;
    case "connection":
      return !neverConnected.test(fault.message);
    case "empty":
    case "malformed":
      return !insured;
    case "response":
      // Cut in mid-answer, or all padding. An HTML page comes from something in front of the API.
      if (fault.status === 599) return fault.body !== "html";
      return fault.body === "error-in-200" && fault.status >= 500 && !insured;
  }
}

/** Few words, none of them the server's: they go to disk. */
function faultWords(fault: ServerFault): string {
  switch (fault.kind) {
    case "deadline":
      return "given up at the deadline";
    case "connection":
      return neverConnected.test(fault.message) ? "no connection" : "connection lost";
    case "empty":
      return "nothing generated";
    case "malformed":
      return "malformed call";
    case "miscount":
      return "vectors do not fit";
    case "response": {
      const sent = fault.header("x-sp-status") ?? String(fault.status);
      if (fault.status === 599) return `HTTP ${sent} without an answer`;
      return fault.body === "error-in-200" ? `error ${fault.status} in a 200` : `HTTP ${sent}`;
    }
  }
}

function known(costNanoUsd: number, source: "reported" | "estimated" | "not_charged"): Cost {
  return { costNanoUsd, source, upToNanoUsd: null };
}

/** Servers have counted tokens in fractions; what no count can be is not known. */
function wholeOrNull(count: number | null): number | null {
  if (count === null) return null;
  const whole = Math.round(count);
  return Number.isSafeInteger(whole) && whole >= 0 ? whole : null;
}
