import type { ChatMessage, ChatModel } from "../models/port.ts";
import { openingMessages, openingRequest, turnOf } from "./faked-chat.ts";

/** One conversation, from its first request to its last answer. */
export type Conversed = {
  /** What the model said at the end. */
  readonly words: string | null;
  readonly turns: number;
  /** Of all its requests: in the lane's queue, in back-off, in lost attempts. */
  readonly waitedSeconds: number;
};

/** Goes on for as long as the model calls tools; every call gets `output`. Throws when a request is lost. */
export async function converse(model: ChatModel, subject: string, output: string): Promise<Conversed> {
  const messages: ChatMessage[] = [...openingMessages];
  let waitedSeconds = 0;
  for (let turns = 1; ; turns++) {
    const turn = turnOf(await model.complete({ ...openingRequest, messages: [...messages], subject }));
    waitedSeconds += turn.waitedSeconds;
    const { content, toolCalls } = turn.message;
    if (toolCalls.length === 0) return { words: content, turns, waitedSeconds };
    messages.push(turn.message);
    for (const { id } of toolCalls) messages.push({ role: "tool", toolCallId: id, content: output });
  }
}
