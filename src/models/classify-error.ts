import type { ChatFailure } from "./port.ts";
import type { Fault } from "./fault.ts";
import { hintMs } from "./retry-hint.ts";

export type FailureKind = ChatFailure["failure"];

/** The kinds of trouble that another attempt may cure. */
export type RetryClass =
  | "transient"
  | "credit"
  | "gateway"
  | "empty"
  | "foreign"
  | "malformed"
  | "no_route"
  | "loading"
  | "miscount";

type Schedule = {
  /** After the first try. */
  readonly retries: number;
  /** First step of the back-off, doubled each time. */
  readonly stepMs: number;
  /** What it is when the retries are used up. */
  readonly then: FailureKind;
};

/** openrouter.md §7.1. `foreign`: an HTML page or a login stands where the API should be. */
export const schedules: Readonly<Record<RetryClass, Schedule>> = {
  transient: { retries: 5, stepMs: 1000, then: "infrastructure" },
  credit: { retries: 5, stepMs: 1000, then: "stop_all" },
  gateway: { retries: 2, stepMs: 1000, then: "infrastructure" },
  empty: { retries: 3, stepMs: 1000, then: "infrastructure" },
  foreign: { retries: 2, stepMs: 1000, then: "stop_all" },
  malformed: { retries: 2, stepMs: 1000, then: "infrastructure" },
  no_route: { retries: 3, stepMs: 1000, then: "stop_model" },
  loading: { retries: 20, stepMs: 1000, then: "stop_model" },
  miscount: { retries: 2, stepMs: 1000, then: "infrastructure" },
};

export type Decision =
  | {
      readonly kind: "retry";
      readonly class: RetryClass;
      /** The server's own hint. */
      readonly hintMs: number | undefined;
      /** The provider is overloaded: start at two steps. */
      readonly slow: boolean;
      /** The work may have been done, and billed, behind our back. */
      readonly costUnknown: boolean;
    }
  | { readonly kind: "fail"; readonly failure: FailureKind; readonly advice: string };

/** A longer wait than this is not sat out: the model stops, and the same command goes on later. */
export const longestHintMs = 600_000;

const overflow = /maximum context length|context size|context window|too many tokens|prompt is too long/i;
const unknownModel = /not found|not a valid model|enable-auto-tool-choice/i;

type ResponseFault = Extract<Fault, { readonly kind: "response" }>;

/**
 * The one place that says whether a fault is worth another attempt, and otherwise whose it is (openrouter.md §8,
 * §18). It sees what the server said and nothing of the request, so it cannot know the arm.
 */
export function classifyFault(fault: Fault, now: number): Decision {
  switch (fault.kind) {
    case "deadline":
      return retry("gateway", { costUnknown: true });
    case "connection":
      return retry("transient");
    case "empty":
      return retry("empty");
    case "malformed":
      return retry("malformed");
    case "miscount":
      return retry("miscount");
    case "response":
      return classifyResponse(fault, hintMs(fault, now), now);
  }
}

function classifyResponse(fault: ResponseFault, hint: number | undefined, now: number): Decision {
  const { status, body, error } = fault;
  if (status === 599) return retry(body === "html" ? "foreign" : "empty");
  if (status === 403 && body === "html") return retry("foreign");
  const said = classifyWords(fault);
  if (said !== undefined) return said;
  if (status === 401)
    return fail("stop_all", "The key was refused: check it, then give the same command again.");
  if (status === 402) {
    return error.metadata?.reason === "in_flight_budget_exhausted"
      ? limited("credit", fault, hint, now)
      : fail("stop_all", "Add credits or lower max_tokens, then give the same command again.");
  }
  if (status === 403) {
    return error.metadata?.limit_source == null
      ? fail("stop_model", "The server forbids this request.")
      : fail("stop_all", "A spending limit is reached: raise it, then give the same command again.");
  }
  const configuration = classifyConfiguration(fault);
  if (configuration !== undefined) return configuration;
  if (status === 524 || (status === 504 && body !== "error-in-200")) {
    return retry("gateway", { costUnknown: true, hintMs: hint });
  }
  if (status === 503 && error.message === "Loading model") return retry("loading", { hintMs: hint });
  if (status === 408 || status === 429 || status >= 500) return limited("transient", fault, hint, now);
  return fail("stop_model", "The server does not accept our request; another attempt would not change that.");
}

/** What the words of an error say, whatever its status. */
function classifyWords({ error }: ResponseFault): Decision | undefined {
  const { metadata } = error;
  const kind = metadata?.error_type ?? "";
  const text = `${error.message ?? ""} ${metadata?.raw ?? ""}`;
  if (
    error.type === "exceed_context_size_error" ||
    kind === "context_length_exceeded" ||
    overflow.test(text)
  ) {
    return fail("context_exhausted", "The conversation does not fit the model's context window.");
  }
  const filtered = metadata?.reasons != null || error.code === "content_filter";
  if (filtered || /^(content_policy_violation|refusal)$/.test(kind)) {
    return fail("blocked", "An input filter refused the request.");
  }
  return undefined;
}

/** Wrong address, unknown model, no endpoint that can do what we need. */
function classifyConfiguration({ status, body, error }: ResponseFault): Decision | undefined {
  const text = `${error.message ?? ""} ${error.metadata?.raw ?? ""}`;
  if (body === "error-in-200" && status === 404) {
    return /unexpected endpoint/i.test(text)
      ? fail("stop_model", "The base URL is probably wrong: does it end in /v1?")
      : retry("no_route");
  }
  const named = status === 404 || error.availability?.code != null || unknownModel.test(text);
  const retryable = error.availability?.retryable ?? (status === 429 || status >= 500);
  if (!named || retryable) return undefined;
  return fail("stop_model", "Check the model's name, its endpoints and the account's privacy settings.");
}

function limited(name: RetryClass, fault: ResponseFault, hint: number | undefined, now: number): Decision {
  if (hint !== undefined && hint > longestHintMs) {
    const when = new Date(now + hint).toISOString();
    return fail("stop_model", `The limit is lifted at ${when}: give the same command again then.`);
  }
  const upstream = fault.status === 429 && fault.error.metadata?.provider_name != null;
  return retry(name, { hintMs: hint, slow: fault.status === 529 || upstream });
}

function retry(name: RetryClass, more: Partial<Extract<Decision, { kind: "retry" }>> = {}): Decision {
  return { kind: "retry", class: name, hintMs: undefined, slow: false, costUnknown: false, ...more };
}

function fail(failure: FailureKind, advice: string): Decision {
  return { kind: "fail", failure, advice };
}
