import type { Ballot } from "../artefacts/verdict.ts";
import type { ChatFailure, ChatMessage, ChatModel } from "../models/port.ts";
import { askForm, type AskOptions, type Form } from "./ask-form.ts";
import { ballotSchema, reAsk } from "./judge-prompt.ts";

export type Cast = Pick<Ballot, "answer" | "reason" | "reply">;

/** What a judge answered; `failure` is set when it is absent because its model could not be asked. */
export type Asked = { readonly cast: Cast; readonly failure: ChatFailure | null };

const ballotForm: Form<"yes" | "no"> = { schema: ballotSchema, words: ["yes", "no"], reAsk };

/**
 * One judge's ballot on one question. A reply that cannot be read counts as NO (`unparsed`). A judge that fails, refuses
 * or stays cut off is absent, which is neither YES nor NO: counting it as NO would let a busy provider lower both arms.
 */
export async function askJudge(
  judge: ChatModel,
  messages: readonly ChatMessage[],
  options: AskOptions,
): Promise<Asked> {
  const filled = await askForm(judge, messages, ballotForm, options);
  const { reply } = filled;
  switch (filled.kind) {
    case "answer":
      return { cast: { answer: filled.answer, reason: null, reply }, failure: null };
    case "unparsed":
      return { cast: { answer: "no", reason: "unparsed", reply }, failure: null };
    case "absent":
      return { cast: { answer: "absent", reason: filled.reason, reply }, failure: filled.failure };
  }
}
