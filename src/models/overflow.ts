import type { ErrorBody } from "./fault.ts";

/** Below this a turn is too short to go on with. */
const fewestTokens = 1024;

const typed = /^(exceed_context_size_error|context_length_exceeded)$/;

const words = new RegExp(
  [
    "maximum context length",
    "maximum model length",
    "maximum prompt length",
    "context (size|window|limit)",
    "greater than the context length",
    "context the overflows",
    "too many tokens",
    "(prompt|input) is too long",
    "input token count .* exceeds the maximum",
  ].join("|"),
  "i",
);

/**
 * Whether an error says that prompt and answer do not fit the window (openrouter.md §11). A limit's own answer may
 * speak of too many tokens too: there only a typed error counts.
 */
export function isOverflow(status: number, error: ErrorBody): boolean {
  const { type, code, metadata } = error;
  if ([type, code, metadata?.error_type].some((name) => typed.test(String(name)))) return true;
  const ours = status === 400 || status === 413 || status === 422 || status >= 500;
  return ours && words.test(`${error.message ?? ""} ${metadata?.raw ?? ""}`);
}

/** Window and prompt in tokens, as servers write them into their messages. */
const counts: readonly RegExp[] = [
  /maximum context length (?:is|of) (?<window>\d+) tokens.*?\((?<prompt>\d+) (?:of text input|in the (?:messages|prompt))/is,
  /maximum context length is (?<window>\d+) tokens and your request has (?<prompt>\d+) input tokens/i,
  /(?<prompt>\d+) \+ \d+ > (?<window>\d+)/,
];

/**
 * The limit of output tokens with which a request that overflowed would fit: when the prompt alone leaves room for at
 * least 1024, and for fewer than `maxTokens`. Undefined when it does not, or the server gave no numbers.
 */
export function lowerLimit(error: ErrorBody, maxTokens: number): number | undefined {
  const sizes = sizesOf(error);
  if (sizes === undefined) return undefined;
  const room = sizes.window - sizes.prompt;
  // Routers only estimate the prompt ("about N tokens").
  const lowered = Math.max(fewestTokens, room - Math.ceil(sizes.prompt / 100));
  return room >= fewestTokens && lowered < maxTokens ? lowered : undefined;
}

type Sizes = { readonly window: number; readonly prompt: number };

function sizesOf(error: ErrorBody): Sizes | undefined {
  const { n_ctx: window, n_prompt_tokens: prompt } = error;
  if (typeof window === "number" && typeof prompt === "number") return { window, prompt };
  const text = `${error.message ?? ""} ${error.metadata?.raw ?? ""}`;
  for (const pattern of counts) {
    const found = pattern.exec(text)?.groups;
    if (found !== undefined) return { window: Number(found["window"]), prompt: Number(found["prompt"]) };
  }
  return undefined;
}
