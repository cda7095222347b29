import type { Endpoint } from "../artefacts/endpoint.ts";
import type { RequestRole } from "../artefacts/ledger.ts";
import { begunOf, type BookedRequest, type Booking, bookingOf, estimatedTokens } from "./booking.ts";
import { classifyFault } from "./classify-error.ts";
import { type Fault, faultOf, type ServerFault } from "./fault.ts";
import { withOwnSignal } from "./own-signal.ts";
import type { ChatMessage, ChatRequest, Ledger } from "./port.ts";
import { type Answered, type Reading, type ReadTurn, readTurn } from "./read-turn.ts";
import { subjectHeader } from "./recording.ts";
import { clampedTokens, type WireRequest } from "./request-body.ts";
import type { Server } from "./server.ts";
import type { Attempt } from "./with-retries.ts";

export type Sending = {
  readonly server: Server;
  readonly endpoint: Endpoint;
  readonly role: RequestRole;
  readonly ledger?: Ledger | undefined;
  readonly signal: AbortSignal | undefined;
};

/** One attempt, and whether it may have been billed without our knowing how much. */
export type Sent = { readonly attempt: Attempt<ReadTurn>; readonly costUnknown: boolean };

/**
 * One attempt at a request: reserved, sent, read, held against the pin, and booked whatever became of it.
 * Throws the signal's reason when it aborts.
 */
export async function sendRequest(
  request: ChatRequest,
  wire: WireRequest,
  number: number,
  sending: Sending,
): Promise<Sent> {
  const { server, endpoint, role, ledger, signal } = sending;
  signal?.throwIfAborted();
  const booked = bookedRequest(request, number, endpoint);
  const book = (outcome: Parameters<typeof bookingOf>[0]): Booking =>
    bookingOf(outcome, booked, endpoint, role);
  const reservation = ledger?.reserve(begunOf(booked, endpoint, role));
  if (reservation === null) {
    return { attempt: { kind: "fault", fault: { kind: "no_room" } }, costUnknown: false };
  }
  // Stands when anything is thrown: the request is on its way then, and its answer is not waited for.
  let booking: Booking = {
    ...book({ kind: "fault", fault: { kind: "deadline" }, costUnknown: true }),
    outcome: "given up",
  };
  try {
    const exchange = await ask(request, wire, server, signal);
    if (exchange.kind === "turn") {
      const { usage, generationId: generation, servedBy: provider, message } = exchange.turn;
      const drift = driftOf(provider, exchange.cached, endpoint);
      const turn = book({
        kind: "turn",
        usage,
        generation,
        provider,
        outputCharacters: charactersOf([message]),
      });
      booking = drift === undefined ? turn : { ...turn, outcome: "drift" };
      return { attempt: drift ?? { kind: "done", value: exchange.turn }, costUnknown: false };
    }
    const { fault, answered } = exchange;
    booking = faultBooking(fault, answered, book);
    return { attempt: exchange, costUnknown: booking.source === "unknown" };
  } finally {
    reservation?.book(booking);
  }
}

type Exchange =
  | (Extract<Reading, { kind: "turn" }> & { readonly cached: boolean })
  | (Omit<Extract<Reading, { kind: "fault" }>, "answered"> & { readonly answered?: Answered });

async function ask(
  request: ChatRequest,
  { body }: WireRequest,
  { client }: Server,
  signal: AbortSignal | undefined,
): Promise<Exchange> {
  const headers = request.subject === undefined ? {} : { [subjectHeader]: encodeURI(request.subject) };
  let answer: { readonly data: unknown; readonly response: Response };
  try {
    answer = await withOwnSignal(signal, (own) =>
      client.chat.completions.create(body, { signal: own, headers }).withResponse(),
    );
  } catch (error) {
    signal?.throwIfAborted();
    return { kind: "fault", fault: faultOf(error) };
  }
  const reading = readTurn(answer.data, turnNumber(request));
  if (reading.kind === "fault") return reading;
  return { ...reading, cached: answer.response.headers.get("x-openrouter-cache-status") === "HIT" };
}

/** A charge that came with a fault is a charge; else what faults of its kind cost. */
function faultBooking(
  fault: ServerFault,
  answered: Answered | undefined,
  book: (outcome: Parameters<typeof bookingOf>[0]) => Booking,
): Booking {
  const decision = classifyFault(fault, 0);
  const costUnknown = decision.kind === "retry" && decision.costUnknown;
  const plain = book({ kind: "fault", fault, costUnknown });
  if (answered === undefined) return plain;
  const { usage, generationId: generation, servedBy: provider } = answered;
  if (usage.costUsd === null) {
    return { ...plain, generation: generation ?? plain.generation, provider: provider ?? plain.provider };
  }
  return { ...book({ kind: "turn", usage, generation, provider }), outcome: plain.outcome };
}

/** What is wrong with where an answer came from (openrouter.md §4); undefined when it came from the pin. */
function driftOf(
  servedBy: string | null,
  cached: boolean,
  { provider, tag, model }: Endpoint,
): { readonly kind: "fault"; readonly fault: Fault } | undefined {
  const drift = (message: string): { readonly kind: "fault"; readonly fault: Fault } => ({
    kind: "fault",
    fault: { kind: "drift", message },
  });
  if (cached) return drift("answered from a response cache");
  if (servedBy === null || provider === null || sameName(servedBy, provider)) return undefined;
  return drift(`served by ${servedBy} although pinned to ${provider} (${tag ?? model})`);
}

/** Lists and answers do not always agree in how they write a provider's name. */
function sameName(one: string, other: string): boolean {
  const letters = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, "");
  return letters(one) === letters(other);
}

function turnNumber({ messages }: ChatRequest): number {
  return messages.filter(({ role }) => role === "assistant").length + 1;
}

function bookedRequest(request: ChatRequest, attempt: number, endpoint: Endpoint): BookedRequest {
  const { messages, tools, maxTokens, subject = null } = request;
  return {
    inputTokens: estimatedTokens(charactersOf(messages) + JSON.stringify(tools).length),
    maxTokens: clampedTokens(maxTokens, endpoint),
    turn: turnNumber(request),
    attempt,
    subject,
  };
}

/** What a picture counts as; its bytes say nothing about its tokens. */
const pictureCharacters = 6000;

function charactersOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + messageCharacters(message), 0);
}

function messageCharacters(message: ChatMessage): number {
  const { content } = message;
  const words =
    typeof content === "string" || content === null
      ? (content ?? "").length
      : content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : pictureCharacters), 0);
  if (message.role !== "assistant") return words;
  const calls = message.toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
  return words + calls + (message.echo === undefined ? 0 : JSON.stringify(message.echo).length);
}
