import { absences } from "../artefacts/ballot-kind.ts";
import type { ChatFailure, ChatMessage, ChatModel, ChatRequest, ChatTurn } from "../models/port.ts";
import { parseAnswer } from "./parse-answer.ts";

/** A question's shape: what may be answered, as a schema for endpoints that take one and in words for the others. */
export type Form<Word extends string> = {
  readonly schema: NonNullable<ChatRequest["responseSchema"]>;
  /** Lower case. */
  readonly words: readonly Word[];
  /** Said when the first reply cannot be read. */
  readonly reAsk: string;
};

export type AskOptions = {
  readonly maxTokens: number;
  /** For the ledger, never part of the messages. */
  readonly subject: string | undefined;
  readonly signal: AbortSignal | undefined;
};

/** How a judge filled it in. `failure` is set when it is absent because its model could not be asked. */
export type Filled<Word extends string> =
  | { readonly kind: "answer"; readonly answer: Word; readonly reply: string | null }
  | { readonly kind: "unparsed"; readonly reply: string | null }
  | {
      readonly kind: "absent";
      readonly reason: string;
      readonly reply: string | null;
      readonly failure: ChatFailure | null;
    };

/**
 * One judge's answer to one question. A reply that cannot be read is asked for once more, then is `unparsed`; a reply
 * cut off before its answer gets twice the tokens once. A judge that fails, refuses or stays cut off is absent.
 */
export async function askForm<Word extends string>(
  judge: ChatModel,
  messages: readonly ChatMessage[],
  form: Form<Word>,
  { maxTokens, subject, signal }: AskOptions,
): Promise<Filled<Word>> {
  const about = subject === undefined ? {} : { subject };
  const ask = async (request: Pick<ChatRequest, "messages" | "maxTokens">): Promise<Reading<Word>> => {
    const turn = await judge.complete(
      { ...request, ...about, tools: [], responseSchema: form.schema },
      signal,
    );
    signal?.throwIfAborted();
    return readingOf(turn, form.words);
  };
  const first = await ask({ messages, maxTokens });
  const second = first.kind === "cut off" ? await ask({ messages, maxTokens: 2 * maxTokens }) : first;
  if (second.kind === "filled") return second.filled;
  if (second.kind === "cut off") return absent(absences.cutOff, second.turn);
  const again: readonly ChatMessage[] = [
    ...messages,
    spoken(second.turn.message),
    { role: "user", content: form.reAsk },
  ];
  const third = await ask({ messages: again, maxTokens });
  switch (third.kind) {
    case "filled":
      return third.filled;
    case "cut off":
      return absent(absences.cutOff, third.turn);
    case "unparsed":
      return { kind: "unparsed", reply: third.turn.message.content };
  }
}

type Reading<Word extends string> =
  | { readonly kind: "filled"; readonly filled: Filled<Word> }
  | { readonly kind: "cut off"; readonly turn: ChatTurn }
  | { readonly kind: "unparsed"; readonly turn: ChatTurn };

function readingOf<Word extends string>(turn: ChatTurn | ChatFailure, words: readonly Word[]): Reading<Word> {
  if (turn.kind === "failure") {
    const reason = `${turn.failure === "blocked" ? absences.refused : turn.failure}: ${turn.message}`;
    return { kind: "filled", filled: { kind: "absent", reason, reply: null, failure: turn } };
  }
  if (turn.finish === "content_filter") return { kind: "filled", filled: absent(absences.refused, turn) };
  const reply = turn.message.content;
  const answer = parseAnswer(reply ?? "", words);
  if (answer !== null) return { kind: "filled", filled: { kind: "answer", answer, reply } };
  return { kind: turn.finish === "length" ? "cut off" : "unparsed", turn };
}

function absent(reason: string, turn: ChatTurn): Extract<Filled<never>, { kind: "absent" }> {
  return { kind: "absent", reason, reply: turn.message.content, failure: null };
}

/** Some routes refuse an empty assistant message, and all a call without its answer. */
function spoken(message: ChatTurn["message"]): ChatTurn["message"] {
  const empty = (message.content ?? "").trim() === "";
  return { ...message, toolCalls: [], ...(empty ? { content: "(no answer)" } : {}) };
}
