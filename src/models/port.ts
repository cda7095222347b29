import type { AttemptLine, BegunLine } from "../artefacts/ledger.ts";

/** The three tools of an agent under test, and whatever an author's loop adds. JSON schema in `parameters`. */
export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
};

export type ToolCall = {
  readonly id: string;
  readonly name: string;
  /** The arguments as sent by the model, after lossless repairs; not necessarily valid JSON. */
  readonly arguments: string;
};

export type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string | readonly ContentPart[] }
  | {
      readonly role: "assistant";
      readonly content: string | null;
      readonly toolCalls: readonly ToolCall[];
      /** Provider fields that must go back untouched (`reasoning_details`, `reasoning_content`). */
      readonly echo?: Readonly<Record<string, unknown>>;
    }
  | { readonly role: "tool"; readonly toolCallId: string; readonly content: string };

export type ContentPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } };

export type ChatRequest = {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolSpec[];
  readonly maxTokens: number;
  /** Sent where the endpoint takes it; the same in both arms of a block. */
  readonly seed?: number;
  /** What the request is for (a trial's path, a bundle's id): for the ledger, never sent. */
  readonly subject?: string;
  /** Names a JSON schema the answer should follow (judges). */
  readonly responseSchema?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
};

/** What is not known is null, never 0. Input is split so that uncached + cached = the whole prompt. */
export type Usage = {
  /** The whole prompt; known on servers that do not say how much of it was cached. */
  readonly inputTokens: number | null;
  readonly uncachedInputTokens: number | null;
  readonly cachedInputTokens: number | null;
  /** Input tokens that were written to the provider's cache; part of the uncached ones. */
  readonly cacheWriteTokens: number | null;
  readonly outputTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly costUsd: number | null;
};

/** What a request carried besides the conversation and the tools. */
export type RequestRecord = {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly withheld: readonly string[];
};

export type ChatTurn = {
  readonly kind: "turn";
  readonly message: Extract<ChatMessage, { role: "assistant" }>;
  readonly finish: "stop" | "tool_calls" | "length" | "content_filter" | "unknown";
  readonly usage: Usage;
  /** Model snapshot and provider as the server named them; null when it did not. */
  readonly servedModel: string | null;
  readonly servedBy: string | null;
  readonly generationId: string | null;
  /** Optional parameters as sent, and the names of those withheld because the endpoint does not list them. */
  readonly sent: RequestRecord;
  /** Lossless repairs made to tool-call arguments, counted. */
  readonly repairs: number;
  /** Seconds of the request that succeeded; waiting and lost attempts are `waitedSeconds`. */
  readonly modelSeconds: number;
  readonly waitedSeconds: number;
};

/** Why there is no turn. Only these, decided in one place that does not know the arm (notes §8). */
export type ChatFailure = {
  readonly kind: "failure";
  readonly failure:
    | "infrastructure" // retried and lost: the trial is void
    | "context_exhausted" // the conversation no longer fits
    | "blocked" // an input filter refused the request
    | "stop_model" // this model cannot go on (configuration, our request)
    | "stop_all" // nothing can go on (key, credits)
    | "budget"; // our own budget leaves no room for the request: nothing was sent
  readonly message: string;
  /** Set when a request was given up that may have been billed. */
  readonly costUnknown: boolean;
  readonly waitedSeconds: number;
};

/** One model at one endpoint. Implementations retry and wait inside; they never throw for a provider's fault. */
export interface ChatModel {
  /** As written in the YAML and in paths: `vendor/name`. */
  readonly id: string;
  /** True for the stand-in: every report made with it says so. */
  readonly standIn: boolean;
  complete(request: ChatRequest, signal?: AbortSignal): Promise<ChatTurn | ChatFailure>;
}

/** Where request attempts are paid from and written down. */
export interface Ledger {
  /**
   * Holds what an attempt may cost at most until `book` ends it, and writes down that it is about to be sent. Null when
   * the budget leaves no room: then nothing may be sent. Throws `InfrastructureError` when it cannot be written.
   */
  reserve(begun: Omit<BegunLine, "kind" | "id" | "at">): Reservation | null;
}

export interface Reservation {
  /** Writes down what became of the attempt, and gives the rest of what was held free. Once. */
  book(attempt: Omit<AttemptLine, "kind" | "id" | "at">): void;
}
