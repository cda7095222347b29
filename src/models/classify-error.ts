import type { ChatFailure } from "./port.ts";
import type { ErrorBody, Fault } from "./fault.ts";
import { isOverflow } from "./overflow.ts";
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
      /** The server wants fewer requests at once. */
      readonly limited: boolean;
      /** The provider is overloaded: start at two steps. */
      readonly slow: boolean;
      /** The work may have been done, and billed, behind our back. */
      readonly costUnknown: boolean;
    }
  | { readonly kind: "fail"; readonly failure: FailureKind; readonly advice: string };

/** A longer wait than this is not sat out: the model stops, and the same command goes on later. */
export const longestHintMs = 600_000;

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
    case "drift":
      return fail("infrastructure", "Such an answer counts for nothing.");
    case "no_room":
      return fail("budget", "Raise the budget, then give the same command again.");
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
      : fail("stop_all", creditAdvice(error));
  }
  if (status === 403) return classifyForbidden(error);
  const configuration = classifyConfiguration(fault);
  if (configuration !== undefined) return configuration;
  if (status === 524 || (status === 504 && body !== "error-in-200")) {
    return retry("gateway", { costUnknown: true, hintMs: hint });
  }
  if (status === 503 && /\bloading model\b|\bmodel is (currently )?loading\b/i.test(error.message ?? "")) {
    return retry("loading", { hintMs: hint });
  }
  const curable = status === 408 || status === 429 || status >= 500 || error.availability?.retryable === true;
  if (curable) return limited("transient", fault, hint, now);
  return fail("stop_model", "The server does not accept our request; another attempt would not change that.");
}

/** What the words of an error say, whatever its status. */
function classifyWords({ status, error }: ResponseFault): Decision | undefined {
  const { metadata } = error;
  if (isOverflow(status, error)) {
    return fail("context_exhausted", "The conversation does not fit the model's context window.");
  }
  const typed = /^(content_policy_violation|refusal)$/.test(metadata?.error_type ?? "");
  const named = [error.code, error.innererror?.code].some((code) => filters.test(String(code)));
  const upstream = status < 500 && status !== 429 && filters.test(metadata?.raw ?? "");
  if (metadata?.reasons != null || metadata?.flagged_input != null || typed || named || upstream) {
    return fail("blocked", "An input filter refused the request.");
  }
  return undefined;
}

/** How Azure, OpenAI and Alibaba name a prompt that their filter refused. */
const filters = /content_filter|ResponsibleAIPolicyViolation|invalid_prompt|data_inspection_failed/i;

/** The faces of a 402 that waiting does not cure. */
function creditAdvice({ message, metadata }: ErrorBody): string {
  const again = "then give the same command again.";
  if (metadata?.reason === "weight_exceeds_budget" || /fewer max_tokens/i.test(message ?? "")) {
    return `One request asks for more than the account can pay: lower maxTokensPerTurn or add credits, ${again}`;
  }
  return `Add credits, ${again}`;
}

/** A 403 that no input filter and no edge sent. */
function classifyForbidden({ message, metadata }: ErrorBody): Decision {
  const capped = metadata?.limit_source != null || metadata?.limit_usd != null;
  if (capped || /\b(key|spending|budget) limit\b/i.test(message ?? "")) {
    return fail("stop_all", "A spending limit is reached: raise it, then give the same command again.");
  }
  return metadata?.patterns == null
    ? fail("stop_model", "The server forbids this request.")
    : fail(
        "stop_model",
        "A guardrail of the account refuses this request: change it in the account's settings.",
      );
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
  return fail("stop_model", configurationAdvice(text));
}

function configurationAdvice(text: string): string {
  if (/enable-auto-tool-choice|tool-call-parser/i.test(text)) {
    return "Start vLLM with --enable-auto-tool-choice and the --tool-call-parser of this model.";
  }
  if (/try pulling it first/i.test(text)) return "Pull the model on that server, or correct its name.";
  return "Check the model's name, its endpoints and the account's privacy settings.";
}

function limited(name: RetryClass, fault: ResponseFault, hint: number | undefined, now: number): Decision {
  if (hint !== undefined && hint > longestHintMs) {
    const when = new Date(now + hint).toISOString();
    const failure = name === "credit" ? schedules.credit.then : "stop_model";
    return fail(failure, `The limit is lifted at ${when}: give the same command again then.`);
  }
  const upstream = fault.status === 429 && fault.error.metadata?.provider_name != null;
  const fewer = fault.status === 429 || name === "credit";
  return retry(name, { hintMs: hint, limited: fewer, slow: fault.status === 529 || upstream });
}

function retry(name: RetryClass, more: Partial<Extract<Decision, { kind: "retry" }>> = {}): Decision {
  const rest = { hintMs: undefined, limited: false, slow: false, costUnknown: false };
  return { kind: "retry", class: name, ...rest, ...more };
}

function fail(failure: FailureKind, advice: string): Decision {
  return { kind: "fail", failure, advice };
}
