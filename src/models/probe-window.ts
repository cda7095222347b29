import type { Endpoint } from "../artefacts/endpoint.ts";
import { UserError } from "../errors.ts";
import { countTokens } from "../tokens.ts";
import { askProbe } from "./ask-probe.ts";
import type { ChatModel, ChatRequest } from "./port.ts";
import { serverKindOf, windowHint } from "./server-kind.ts";

export type WindowProbe =
  | { readonly kind: "whole" }
  /** It could not be told. The words are for the user. */
  | { readonly kind: "unknown"; readonly warning: string };

export type WindowProbeOptions = {
  /** Length of the prompt to try, by our own count: what the longest conversation will need. */
  readonly expectedTokens: number;
  /** For the hint only. */
  readonly baseUrl: string;
  readonly signal?: AbortSignal | undefined;
};

/** Servers that do not say how much of a prompt they keep. */
export function needsWindowProbe({ dialect, contextLength }: Endpoint): boolean {
  return dialect === "openai" && contextLength === null;
}

/** Two secrets: one that goes when the front is cut off, one that goes when the middle is left out. */
type Secrets = readonly [atStart: string, inMiddle: string];
const secretsOfLong: Secrets = ["lantern", "harbour"];
const secretsOfShort: Secrets = ["copper", "meadow"];

/** Short enough for the smallest window that servers start with (2048). */
const shortTokens = 1000;

/** Of the tokens that were to arrive: a template adds some to the short prompt, so a little less is no sign. */
const leastShare = 0.9;

/**
 * Tries whether a long prompt arrives whole: some servers (Ollama) cut its front off without a word, and with it the
 * skill, which would be measured as useless. A model that gives both secrets back has seen all of it. Otherwise a
 * short prompt of the same text tells how the model's tokenizer counts and whether it gives secrets back at all.
 * Throws `UserError` with what to do when the prompt was cut.
 */
export async function probeWindow(model: ChatModel, options: WindowProbeOptions): Promise<WindowProbe> {
  const { expectedTokens } = options;
  const long = await tell(model, secretsOfLong, expectedTokens, options);
  if (long.kind === "blocked") return unknown(model, long.message);
  if (long.recalled) return { kind: "whole" };
  const short = await tell(model, secretsOfShort, Math.min(shortTokens, expectedTokens / 2), options);
  if (short.kind === "blocked") return unknown(model, short.message);
  if (long.counted !== null && short.counted !== null) {
    const expected = Math.round((short.counted / short.ours) * long.ours);
    if (long.counted < leastShare * expected) {
      throw cut(model, `only ${long.counted} of about ${expected} tokens of a prompt arrived`, options);
    }
    if (!short.recalled) return { kind: "whole" };
    return unknown(model, "it counts a long prompt whole but does not give back what stands in it");
  }
  if (!short.recalled) return unknown(model, "it neither counts prompts nor gives back what stands in them");
  throw cut(model, `it does not give back what stands in a prompt of ${expectedTokens} tokens`, options);
}

type Told =
  | {
      readonly kind: "told";
      readonly recalled: boolean;
      /** Tokens of the prompt as the server counted them; null when it did not. */
      readonly counted: number | null;
      /** The same by our own count. */
      readonly ours: number;
    }
  | { readonly kind: "blocked"; readonly message: string };

async function tell(
  model: ChatModel,
  secrets: Secrets,
  tokens: number,
  options: WindowProbeOptions,
): Promise<Told> {
  const prompt = promptWith(secrets, tokens);
  const request: ChatRequest = {
    messages: [
      { role: "system", content: prompt },
      { role: "user", content: question },
    ],
    tools: [],
    maxTokens: 16,
    subject: "probe/window",
  };
  const answer = await askProbe(model, request, options.signal);
  if (answer.kind === "failure") {
    if (answer.failure === "blocked") return { kind: "blocked", message: answer.message };
    throw cut(model, `a prompt of ${Math.round(tokens)} tokens does not fit its window`, options);
  }
  const { content, echo } = answer.message;
  // Reasoning counts: sixteen tokens are often used up before the answer begins.
  const said = `${content ?? ""} ${JSON.stringify(echo ?? {})}`.toLowerCase();
  return {
    kind: "told",
    recalled: secrets.every((secret) => said.includes(secret)),
    counted: answer.usage.inputTokens,
    ours: countTokens(prompt) + countTokens(question),
  };
}

const question = "Two secret words were given above. Answer with these two words and nothing else.";

/** Plain words: tokenizers differ little on them. */
const filler = [
  "The river runs past the old house and the small garden by the road.",
  "In the morning the people of the village walk to the market and back.",
  "Some of them carry bread, some of them carry water, and some carry nothing.",
  "When the light goes down the doors are closed and the street is quiet again.",
].join("\n");

function promptWith([atStart, inMiddle]: Secrets, tokens: number): string {
  const half = `${filler}\n`.repeat(Math.ceil(tokens / 2 / countTokens(`${filler}\n`)));
  return `The first secret word is ${atStart}.\n${half}The second secret word is ${inMiddle}.\n${half}`;
}

function cut(model: ChatModel, what: string, { baseUrl }: WindowProbeOptions): UserError {
  return new UserError(`${model.id}: ${what}. ${windowHint(serverKindOf(baseUrl, null))}`);
}

function unknown({ id }: ChatModel, why: string): WindowProbe {
  return {
    kind: "unknown",
    warning: `${id}: whether long prompts arrive whole is unknown (${why}). Check the server's context length.`,
  };
}
