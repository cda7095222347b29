import { absences } from "../artefacts/ballot-kind.ts";
import type { Ballot } from "../artefacts/verdict.ts";
import { unreachable } from "../errors.ts";
import type { ChatFailure, ChatMessage, ChatModel, ChatRequest, ChatTurn } from "../models/port.ts";
import { ballotSchema, reAsk } from "./judge-prompt.ts";
import { parseBallot } from "./parse-ballot.ts";

export type Cast = Pick<Ballot, "answer" | "reason" | "reply">;

/** What a judge answered; `failure` is set when it is absent because its model could not be asked. */
export type Asked = { readonly cast: Cast; readonly failure: ChatFailure | null };

export type AskOptions = {
  readonly maxTokens: number;
  /** For the ledger, never part of the messages. */
  readonly subject: string | undefined;
  readonly signal: AbortSignal | undefined;
};

/**
 * One judge's ballot on one question. A reply that cannot be read is asked for once more, then counts as NO
 * (`unparsed`); a reply cut off before its answer gets twice the tokens once. A judge that fails, refuses or stays
 * cut off is absent, which is neither YES nor NO: counting it as NO would let a busy provider lower both arms.
 */
export async function askJudge(
  judge: ChatModel,
  messages: readonly ChatMessage[],
  { maxTokens, subject, signal }: AskOptions,
): Promise<Asked> {
  const about = subject === undefined ? {} : { subject };
  const ask = async (
    request: Pick<ChatRequest, "messages" | "maxTokens">,
  ): Promise<ChatTurn | ChatFailure> => {
    const turn = await judge.complete(
      { ...request, ...about, tools: [], responseSchema: ballotSchema },
      signal,
    );
    signal?.throwIfAborted();
    return turn;
  };
  const first = readingOf(await ask({ messages, maxTokens }));
  const second =
    first.kind === "cut off" ? readingOf(await ask({ messages, maxTokens: 2 * maxTokens })) : first;
  if (second.kind === "asked") return second.asked;
  if (second.kind === "cut off") return absent(absences.cutOff, second.turn);
  const again: readonly ChatMessage[] = [
    ...messages,
    spoken(second.turn.message),
    { role: "user", content: reAsk },
  ];
  const third = readingOf(await ask({ messages: again, maxTokens }));
  switch (third.kind) {
    case "asked":
      return third.asked;
    case "cut off":
      return absent(absences.cutOff, third.turn);
    case "unparsed":
      return cast({ answer: "no", reason: "unparsed", reply: third.turn.message.content });
    default:
      return unreachable(third);
  }
}

type Reading =
  | { readonly kind: "asked"; readonly asked: Asked }
  | { readonly kind: "cut off"; readonly turn: ChatTurn }
  | { readonly kind: "unparsed"; readonly turn: ChatTurn };

function readingOf(turn: ChatTurn | ChatFailure): Reading {
  if (turn.kind === "failure") {
    const reason = `${turn.failure === "blocked" ? absences.refused : turn.failure}: ${turn.message}`;
    return {
      kind: "asked",
      asked: { cast: { answer: "absent", reason, reply: null }, failure: turn },
    };
  }
  if (turn.finish === "content_filter") return { kind: "asked", asked: absent(absences.refused, turn) };
  const reply = turn.message.content;
  const answer = parseBallot(reply ?? "");
  if (answer !== null) return { kind: "asked", asked: cast({ answer, reason: null, reply }) };
  return { kind: turn.finish === "length" ? "cut off" : "unparsed", turn };
}

function cast(given: Cast): Asked {
  return { cast: given, failure: null };
}

function absent(reason: string, turn: ChatTurn): Asked {
  return cast({ answer: "absent", reason, reply: turn.message.content });
}

/** Some routes refuse an empty assistant message, and all a call without its answer. */
function spoken(message: ChatTurn["message"]): ChatTurn["message"] {
  const empty = (message.content ?? "").trim() === "";
  return { ...message, toolCalls: [], ...(empty ? { content: "(no answer)" } : {}) };
}
