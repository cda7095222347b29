import type { Ballot } from "../artefacts/verdict.ts";
import type { ChatFailure, ChatMessage, ChatModel, ChatRequest, ChatTurn } from "../models/port.ts";
import { ballotSchema, reAsk } from "./judge-prompt.ts";
import { parseBallot } from "./parse-ballot.ts";

type Cast = Pick<Ballot, "answer" | "reason" | "reply">;

/**
 * One judge's ballot on one question. A reply that cannot be read is asked for once more, then counts as NO
 * (`unparsed`); a reply cut off before its answer gets twice the tokens once. A judge that fails, refuses or stays
 * cut off is absent, which is neither YES nor NO: counting it as NO would let a busy provider lower both arms.
 */
export async function askJudge(
  judge: ChatModel,
  messages: readonly ChatMessage[],
  maxTokens: number,
  signal?: AbortSignal,
): Promise<Cast> {
  const ask = async (request: Omit<ChatRequest, "tools">): Promise<ChatTurn | ChatFailure> => {
    const turn = await judge.complete({ ...request, tools: [] }, signal);
    signal?.throwIfAborted();
    return turn;
  };
  const request = { messages, responseSchema: ballotSchema };
  const first = castFrom(await ask({ ...request, maxTokens }));
  const second =
    first.kind === "cut off" ? castFrom(await ask({ ...request, maxTokens: 2 * maxTokens })) : first;
  if (second.kind === "cast") return second.cast;
  if (second.kind === "cut off") return absent("cut off", second.turn);
  const { message } = second.turn;
  // Some routes refuse an empty assistant message.
  const replied = (message.content ?? "").trim() === "" ? { ...message, content: "(no answer)" } : message;
  const again: readonly ChatMessage[] = [...messages, replied, { role: "user", content: reAsk }];
  const third = castFrom(await ask({ messages: again, maxTokens }));
  switch (third.kind) {
    case "cast":
      return third.cast;
    case "cut off":
      return absent("cut off", third.turn);
    case "unparsed":
      return { answer: "no", reason: "unparsed", reply: third.turn.message.content };
  }
}

type Reading =
  | { readonly kind: "cast"; readonly cast: Cast }
  | { readonly kind: "cut off" | "unparsed"; readonly turn: ChatTurn };

function castFrom(turn: ChatTurn | ChatFailure): Reading {
  if (turn.kind === "failure") return { kind: "cast", cast: absent(failureWords(turn)) };
  if (turn.finish === "content_filter") return { kind: "cast", cast: absent("refused", turn) };
  const answer = parseBallot(turn.message.content ?? "");
  if (answer !== null) return { kind: "cast", cast: { answer, reason: null, reply: turn.message.content } };
  return { kind: turn.finish === "length" ? "cut off" : "unparsed", turn };
}

function absent(reason: string, turn?: ChatTurn): Cast {
  return { answer: "absent", reason, reply: turn?.message.content ?? null };
}

function failureWords(failure: ChatFailure): string {
  switch (failure.failure) {
    case "blocked":
      return `refused: ${failure.message}`;
    case "infrastructure":
    case "context_exhausted":
    case "stop_model":
    case "stop_all":
      return `${failure.failure}: ${failure.message}`;
  }
}
