import { z } from "zod";
import type { ChatTurn } from "./port.ts";
import { faultInChoice, type ServerFault } from "./fault.ts";
import { rawCallSchema, readCalls } from "./read-calls.ts";
import { readUsage } from "./usage.ts";

const text = z.string().nullish().catch(null);

const contentSchema = z
  .union([z.string(), z.array(z.looseObject({ text }).catch({ text: null }))])
  .nullish()
  .catch(null);

const messageSchema = z
  .looseObject({
    content: contentSchema,
    refusal: text,
    tool_calls: z.array(rawCallSchema).nullish().catch(null),
    function_call: z.unknown().optional(),
  })
  .catch({ content: null });

const completionSchema = z
  .looseObject({
    id: text,
    model: text,
    provider: text,
    choices: z
      .array(
        z.looseObject({
          finish_reason: text,
          native_finish_reason: text,
          error: z.unknown().optional(),
          message: messageSchema.nullish(),
        }),
      )
      .nullish()
      .catch(null),
    usage: z.unknown().optional(),
  })
  .catch({});

type Completion = z.infer<typeof completionSchema>;
type Message = z.infer<typeof messageSchema>;

/** A turn without what only the caller knows: its times, and what was sent. */
export type ReadTurn = Omit<ChatTurn, "modelSeconds" | "waitedSeconds" | "sent">;

export type Reading =
  | { readonly kind: "turn"; readonly turn: ReadTurn }
  | {
      /** Nothing usable. */
      readonly kind: "fault";
      readonly fault: ServerFault;
      /** The turn to take when asking again does not help: the model's own failure. */
      readonly otherwise?: ReadTurn;
      /** What came with it: it may have been charged. */
      readonly answered: Answered;
    };

export type Answered = Pick<ReadTurn, "usage" | "servedBy" | "generationId">;

/** Fields of an assistant message that the provider wants back as they were. */
const echoed = ["reasoning_details", "reasoning_content"] as const;

/**
 * Reads a 200's body in the order of openrouter.md §6: by content, not by label. An error is no turn; calls win
 * over `finish_reason`; then a refusal, then text; nothing with no tokens spent is infrastructure, nothing with
 * tokens spent is the model's blank turn. `turnNumber` (1-based) makes missing call ids unique.
 */
export function readTurn(body: unknown, turnNumber: number): Reading {
  const completion = completionSchema.parse(body);
  const choice = completion.choices?.[0];
  const message = choice?.message ?? { content: null };
  const base = baseTurn(completion, message);
  const fault = (fault: ServerFault): Reading => ({ kind: "fault", fault, answered: base });
  if (choice === undefined) return fault({ kind: "empty", message: "the answer holds no choices" });
  if (choice.error != null) return fault(faultInChoice(choice.error));
  if (choice.finish_reason === "error") {
    const native = choice.native_finish_reason ?? "no reason given";
    const words = `the provider could not read the model's turn (${native})`;
    const otherwise: ReadTurn = { ...base, message: { role: "assistant", content: null, toolCalls: [] } };
    return { kind: "fault", fault: { kind: "malformed", message: words }, otherwise, answered: base };
  }
  const { calls, repairs } = readCalls(rawCalls(message), turnNumber);
  if (calls.length > 0) {
    const turn = { ...base, repairs, message: { ...base.message, toolCalls: calls } };
    return { kind: "turn", turn: { ...turn, finish: finishOf(choice.finish_reason) } };
  }
  const refusal = message.refusal ?? "";
  if (refusal !== "" || choice.finish_reason === "content_filter") {
    const content = base.message.content ?? (refusal === "" ? null : refusal);
    return {
      kind: "turn",
      turn: { ...base, finish: "content_filter", message: { ...base.message, content } },
    };
  }
  const { outputTokens } = base.usage;
  const silent = outputTokens === 0 || (outputTokens === null && choice.finish_reason == null);
  if ((base.message.content ?? "") === "" && silent) {
    return fault({ kind: "empty", message: "nothing was generated" });
  }
  return { kind: "turn", turn: { ...base, finish: finishOf(choice.finish_reason) } };
}

function baseTurn(completion: Completion, message: Message): ReadTurn {
  const echo = Object.fromEntries(
    echoed.filter((name) => message[name] != null).map((name) => [name, message[name]]),
  );
  return {
    kind: "turn",
    message: {
      role: "assistant",
      content: textOf(message),
      toolCalls: [],
      ...(Object.keys(echo).length === 0 ? {} : { echo }),
    },
    finish: "unknown",
    usage: readUsage(completion.usage),
    servedModel: completion.model ?? null,
    servedBy: completion.provider ?? null,
    generationId: completion.id ?? null,
    repairs: 0,
  };
}

function textOf({ content }: Message): string | null {
  if (content == null) return null;
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
}

/** Old servers still answer with the single `function_call` that came before `tool_calls`. */
function rawCalls(message: Message): readonly z.infer<typeof rawCallSchema>[] {
  if (message.tool_calls != null && message.tool_calls.length > 0) return message.tool_calls;
  return message.function_call == null ? [] : [rawCallSchema.parse({ function: message.function_call })];
}

const finishes = z.enum(["stop", "length", "tool_calls"]);

function finishOf(reason: string | null | undefined): ChatTurn["finish"] {
  const known = finishes.safeParse(reason);
  return known.success ? known.data : "unknown";
}
