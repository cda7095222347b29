import type { ChatFailure, ChatModel, ChatRequest, ChatTurn } from "./port.ts";
import { type Clock, systemClock } from "./clock.ts";
import { faultOf } from "./fault.ts";
import { type BodyOptions, requestBody } from "./request-body.ts";
import { withOwnSignal } from "./own-signal.ts";
import { type ReadTurn, readTurn } from "./read-turn.ts";
import type { Server } from "./server.ts";
import { type Attempt, withRetries } from "./with-retries.ts";

export type OpenAiChatSettings = {
  readonly server: Server;
  /** As the server knows it. */
  readonly model: string;
  /** As written in the YAML and in paths. Default: `model`. */
  readonly id?: string;
  /**
   * Optional parameters the endpoint takes (`seed`, `response_format`), from the catalogue or, for servers that
   * list none, from the configuration. Default none: a parameter nobody promised can empty the set of endpoints.
   */
  readonly parameters?: readonly string[];
  /** OpenRouter's `provider` block (`only`, `quantizations`, `allow_fallbacks`, …), laid over our defaults. */
  readonly routing?: Readonly<Record<string, unknown>>;
  readonly clock?: Clock;
};

/**
 * A model behind an OpenAI-compatible endpoint: no streaming, our own retries, one total deadline per attempt.
 * `complete` rejects only with the reason of an aborted signal, or for a bug of ours.
 */
export function openAiChatModel(settings: OpenAiChatSettings): ChatModel {
  const { server, model, id = model, clock = systemClock } = settings;
  const options: BodyOptions = {
    model,
    dialect: server.dialect,
    parameters: settings.parameters ?? [],
    routing: settings.routing ?? {},
  };
  return {
    id,
    standIn: false,
    async complete(request, signal) {
      const send = (): Promise<Attempt<ReadTurn>> => ask(request, { server, options, signal });
      const answer = await withRetries(send, { clock, secret: server.key, signal });
      if (answer.kind === "failure") {
        const { failure, message, costUnknown, waitedSeconds } = answer;
        return {
          kind: "failure",
          failure,
          message: `${id}: ${message}`,
          costUnknown,
          waitedSeconds,
        } satisfies ChatFailure;
      }
      const { value, seconds, waitedSeconds, costUnknown } = answer;
      const turn: ChatTurn = { ...value, modelSeconds: seconds, waitedSeconds };
      // An attempt given up half-way may have been billed: then what this turn cost is not known.
      return costUnknown ? { ...turn, usage: { ...turn.usage, costUsd: null } } : turn;
    },
  };
}

type Asking = {
  readonly server: Server;
  readonly options: BodyOptions;
  readonly signal: AbortSignal | undefined;
};

async function ask(request: ChatRequest, { server, options, signal }: Asking): Promise<Attempt<ReadTurn>> {
  const turnNumber = request.messages.filter(({ role }) => role === "assistant").length + 1;
  let body: unknown;
  try {
    body = await withOwnSignal(signal, (own) =>
      server.client.chat.completions.create(requestBody(request, options), { signal: own }),
    );
  } catch (error) {
    signal?.throwIfAborted();
    return { kind: "fault", fault: faultOf(error) };
  }
  const reading = readTurn(body, turnNumber);
  return reading.kind === "turn" ? { kind: "done", value: reading.turn } : reading;
}
