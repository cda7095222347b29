import { z } from "zod";
import type { Embedder } from "../embed/port.ts";
import { BudgetError, InfrastructureError, UserError } from "../errors.ts";
import type { Prices } from "../artefacts/endpoint.ts";
import { begunOf, type BookedRequest, type Booking, bookingOf, estimatedTokens } from "./booking.ts";
import { classifyFault } from "./classify-error.ts";
import { type Clock, systemClock } from "./clock.ts";
import { type Fault, faultOf } from "./fault.ts";
import { withOwnSignal } from "./own-signal.ts";
import type { Ledger } from "./port.ts";
import type { Server } from "./server.ts";
import { readUsage } from "./usage.ts";
import { type Attempt, withRetries } from "./with-retries.ts";

export type OpenAiEmbedderSettings = {
  readonly server: Server;
  readonly model: string;
  /** Texts per request at the start; halved for good whenever the server finds a batch too large. Default 64. */
  readonly batch?: number;
  /** Where the server does not tell what an answer cost. */
  readonly prices?: Prices | null;
  readonly ledger?: Ledger;
  readonly clock?: Clock;
};

const usageSchema = z.object({ usage: z.unknown() }).catch({ usage: null });
const listSchema = z.object({
  data: z.array(z.object({ index: z.number().int().nullish(), embedding: z.array(z.number()) })),
});

type Vector = readonly number[];
/** `too_large`: the server wants fewer texts per request. */
type Batch =
  { readonly kind: "vectors"; readonly vectors: readonly Vector[] } | { readonly kind: "too_large" };

/**
 * Vectors from an OpenAI-compatible POST embeddings (openrouter.md §12). A text without any character is null and
 * never sent: most servers refuse it. Vectors come as the provider gave them, not normalised.
 */
export function openAiEmbedder(settings: OpenAiEmbedderSettings): Embedder {
  const { model } = settings;
  let batch = settings.batch ?? 64;
  return {
    provider: "openai",
    model,
    wholeBatch: false,
    async embed(texts, signal) {
      const places = texts.flatMap((text, index) => (text.trim() === "" ? [] : [index]));
      const vectors: (Vector | null)[] = texts.map(() => null);
      for (let done = 0; done < places.length;) {
        const chosen = places.slice(done, done + batch);
        const inputs = chosen.map((place) => texts[place] ?? "");
        const answer = await embedBatch(inputs, settings, signal);
        if (answer.kind === "too_large") {
          batch = Math.ceil(chosen.length / 2);
          continue;
        }
        chosen.forEach((place, at) => (vectors[place] = answer.vectors[at] ?? null));
        done += chosen.length;
      }
      requireSound(vectors, places, model);
      return vectors;
    },
  };
}

async function embedBatch(
  inputs: readonly string[],
  settings: OpenAiEmbedderSettings,
  signal: AbortSignal | undefined,
): Promise<Batch> {
  const { server, model, clock = systemClock } = settings;
  const send = (number: number): Promise<Attempt<Batch>> => sendBatch(inputs, number, settings, signal);
  const answer = await withRetries(send, { clock, secret: server.key, signal });
  if (answer.kind === "done") return answer.value;
  const message = `embedding with ${model} at ${server.baseUrl}: ${answer.message}`;
  switch (answer.failure) {
    case "infrastructure":
      throw new InfrastructureError(message);
    case "context_exhausted":
    case "blocked":
    case "stop_model":
    case "stop_all":
      throw new UserError(message);
    case "budget":
      throw new BudgetError(message);
  }
}

/** One attempt: reserved, sent, read, and booked whatever became of it. */
async function sendBatch(
  inputs: readonly string[],
  number: number,
  { server, model, prices = null, ledger }: OpenAiEmbedderSettings,
  signal: AbortSignal | undefined,
): Promise<Attempt<Batch>> {
  const endpoint = { model, tag: null, dialect: server.dialect, prices };
  const request = bookedRequest(inputs, number);
  // The server of the vectors need not be the one that is asked about generations afterwards.
  const book = (outcome: Parameters<typeof bookingOf>[0]): Booking => ({
    ...bookingOf(outcome, request, endpoint, "embedding"),
    generation: null,
  });
  const reservation = ledger?.reserve(begunOf(request, endpoint, "embedding"));
  if (reservation === null) return { kind: "fault", fault: { kind: "no_room" } };
  let booking = {
    ...book({ kind: "fault", fault: { kind: "deadline" }, costUnknown: true }),
    outcome: "given up",
  };
  try {
    // float always: servers that ignore base64 would be decoded into n/4 zeros.
    const params = { model, input: [...inputs], encoding_format: "float" as const, ...routing(server) };
    const answer = await withOwnSignal(signal, (own) =>
      server.client.embeddings.create(params, { signal: own }),
    );
    const { usage } = usageSchema.parse(answer);
    booking = book({ kind: "turn", usage: readUsage(usage), generation: null, provider: null });
    const attempt = readVectors(answer, inputs.length);
    if (attempt.kind === "fault") booking = { ...booking, outcome: "vectors do not fit" };
    return attempt;
  } catch (error) {
    signal?.throwIfAborted();
    const fault = faultOf(error);
    const decision = classifyFault(fault, 0);
    booking = book({
      kind: "fault",
      fault,
      costUnknown: decision.kind === "retry" && decision.costUnknown,
    });
    return inputs.length > 1 && isTooLarge(fault)
      ? { kind: "done", value: { kind: "too_large" } }
      : { kind: "fault", fault };
  } finally {
    reservation?.book(booking);
  }
}

function bookedRequest(inputs: readonly string[], attempt: number): BookedRequest {
  const characters = inputs.reduce((sum, input) => sum + input.length, 0);
  return { inputTokens: estimatedTokens(characters), maxTokens: 0, turn: 1, attempt, subject: null };
}

function routing(server: Server): Record<string, unknown> {
  return server.dialect === "openrouter" ? { provider: { data_collection: "deny" } } : {};
}

function isTooLarge(fault: Fault): boolean {
  return (
    fault.kind === "response" && [400, 413].includes(fault.status) && fault.error.availability?.code == null
  );
}

/** Places vectors by `index` where the server gives it, else keeps the order; the count must fit in either case. */
function readVectors(body: unknown, count: number): Attempt<Batch> {
  const list = listSchema.safeParse(body);
  const rows = list.success ? list.data.data : [];
  const indexed = rows.every(({ index }) => index != null);
  const vectors = indexed
    ? rows.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0)).filter(({ index }, place) => index === place)
    : rows;
  if (vectors.length !== count || rows.length !== count) {
    const message = `${count} texts were sent and ${vectors.length} usable vectors came back`;
    return { kind: "fault", fault: { kind: "miscount", message } };
  }
  return { kind: "done", value: { kind: "vectors", vectors: vectors.map(({ embedding }) => embedding) } };
}

function requireSound(vectors: readonly (Vector | null)[], places: readonly number[], model: string): void {
  const dimension = vectors[places[0] ?? 0]?.length ?? 0;
  for (const place of places) {
    const vector = vectors[place] ?? [];
    const refuse = (what: string): never => {
      throw new InfrastructureError(`${model} gave ${what} for text ${place + 1} of ${vectors.length}`);
    };
    if (vector.length !== dimension) refuse(`${vector.length} numbers instead of ${dimension}`);
    if (!vector.every(Number.isFinite)) refuse("a number that is not finite");
    if (!vector.some((value) => value !== 0)) refuse("a vector of zeros");
  }
}
