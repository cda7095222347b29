import type { AttemptLine } from "../artefacts/ledger.ts";
import type { Begun, Booking } from "../models/booking.ts";

/** A request of an agent before it is sent. */
export function sampleBegun(upToNanoUsd: number | null): Begun {
  const { role, subject, model, tag, turn, attempt } = sampleAttempt();
  return { role, subject, model, tag, turn, attempt, upToNanoUsd };
}

/** A turn of an agent as it is booked. */
export function sampleAttempt(over: Partial<Booking> = {}): Booking {
  return {
    role: "agent",
    subject: null,
    model: "acme/coder",
    tag: "alpha/fp8",
    turn: 1,
    attempt: 1,
    generation: "gen-1",
    provider: "Alpha",
    outcome: "turn",
    inputTokens: 900,
    cachedInputTokens: 600,
    cacheWriteTokens: 0,
    outputTokens: 100,
    reasoningTokens: 0,
    costNanoUsd: 1_000_000,
    source: "reported",
    upToNanoUsd: null,
    ...over,
  };
}

/** The same as a line of a ledger. */
export function sampleLine(id: number, over: Partial<Booking> = {}): AttemptLine {
  return { kind: "attempt", id, at: "2026-01-01T00:00:00.000Z", ...sampleAttempt(over) };
}
