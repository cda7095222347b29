import type { Endpoint } from "../artefacts/endpoint.ts";
import type { RequestRole } from "../artefacts/ledger.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { ErrorBody } from "./fault.ts";
import type { Lane } from "./lane.ts";
import { isOverflow, lowerLimit } from "./overflow.ts";
import type { ChatFailure, ChatModel, ChatRequest, ChatTurn, Ledger } from "./port.ts";
import type { ReadTurn } from "./read-turn.ts";
import { clampedTokens, requestBody, type SamplingSettings } from "./request-body.ts";
import { sendRequest } from "./send-request.ts";
import type { Server } from "./server.ts";
import { type Attempt, withRetries } from "./with-retries.ts";

export type OpenAiChatSettings = {
  readonly server: Server;
  /** Where every request goes, and nowhere else. */
  readonly endpoint: Endpoint;
  /** What its requests are paid for. */
  readonly role: RequestRole;
  readonly settings?: SamplingSettings;
  /** Shared by all who use this endpoint. */
  readonly lane?: Lane;
  readonly ledger?: Ledger;
  readonly clock?: Clock;
};

/**
 * A model at its endpoint, behind an OpenAI-compatible server: no streaming, our own retries, one total deadline per
 * attempt. `complete` rejects only with the reason of an aborted signal, or for a bug of ours.
 */
export function openAiChatModel(settings: OpenAiChatSettings): ChatModel {
  const { endpoint } = settings;
  return {
    id: endpoint.model,
    standIn: false,
    async complete(request, signal) {
      const course: Course = { attempts: 0, costUnknown: false, overflow: null };
      const first = await ask(request, course, settings, signal);
      if (first.kind === "turn" || course.overflow === null) return first;
      const lowered = lowerLimit(course.overflow, clampedTokens(request.maxTokens, endpoint));
      if (lowered === undefined) return first;
      // The prompt alone fits. A second overflow is final.
      const second = await ask({ ...request, maxTokens: lowered }, course, settings, signal);
      return { ...second, waitedSeconds: first.waitedSeconds + second.waitedSeconds };
    },
  };
}

/** What has become of one request so far. */
type Course = {
  attempts: number;
  /** An attempt may have been billed without our knowing how much. */
  costUnknown: boolean;
  /** What the last attempt ended with, if that was too long for the window. */
  overflow: ErrorBody | null;
};

async function ask(
  request: ChatRequest,
  course: Course,
  settings: OpenAiChatSettings,
  signal: AbortSignal | undefined,
): Promise<ChatTurn | ChatFailure> {
  const { server, endpoint, role, lane, ledger, clock = systemClock } = settings;
  const wire = requestBody(request, endpoint, settings.settings);
  const send = async (): Promise<Attempt<ReadTurn>> => {
    course.attempts++;
    const sending = { server, endpoint, role, ledger, signal };
    const { attempt, costUnknown } = await sendRequest(request, wire, course.attempts, sending);
    course.costUnknown ||= costUnknown;
    course.overflow = attempt.kind === "fault" ? overflowIn(attempt) : null;
    return attempt;
  };
  const { subject } = request;
  const answer = await withRetries(send, { clock, secret: server.key, signal, lane, subject });
  const { costUnknown } = course;
  if (answer.kind === "failure") {
    return { ...answer, message: `${endpoint.model}: ${answer.message}`, costUnknown };
  }
  const { value, seconds, waitedSeconds } = answer;
  const turn: ChatTurn = { ...value, sent: wire.sent, modelSeconds: seconds, waitedSeconds };
  // What the attempts before it cost would be missing from the sum.
  return costUnknown ? { ...turn, usage: { ...turn.usage, costUsd: null } } : turn;
}

function overflowIn({ fault }: Extract<Attempt<ReadTurn>, { kind: "fault" }>): ErrorBody | null {
  return fault.kind === "response" && isOverflow(fault.status, fault.error) ? fault.error : null;
}
