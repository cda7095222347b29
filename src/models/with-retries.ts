import type { RequestEnd } from "./breaker.ts";
import type { Clock } from "./clock.ts";
import {
  classifyFault,
  type Decision,
  type FailureKind,
  type RetryClass,
  schedules,
} from "./classify-error.ts";
import { describeFault, type Fault } from "./fault.ts";
import type { AttemptEnd, Lane, LaneRequest, Place } from "./lane.ts";

/** One try. `otherwise` is handed out when the retries of its class are used up: the model's failure, not ours. */
export type Attempt<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "fault"; readonly fault: Fault; readonly otherwise?: T };

export type Retried<T> =
  | {
      readonly kind: "done";
      readonly value: T;
      /** Of the attempt that succeeded. */
      readonly seconds: number;
      readonly waitedSeconds: number;
      /** An earlier attempt was given up that may have been billed. */
      readonly costUnknown: boolean;
    }
  | {
      readonly kind: "failure";
      readonly failure: FailureKind;
      readonly message: string;
      readonly waitedSeconds: number;
      readonly costUnknown: boolean;
    };

export type RetryOptions = {
  readonly clock: Clock;
  /** Never shown: taken out of every message. */
  readonly secret: string;
  readonly signal?: AbortSignal | undefined;
  /** Where each attempt gets its place. Without one there is no limit and nothing is learned. */
  readonly lane?: Lane | undefined;
  /** The trial it is for: the lane counts trials lost. */
  readonly subject?: string | undefined;
};

/** One request with all its attempts and waits, time in the lane's queue left out; then it is given up. */
export const patienceMs = 900_000;
const mostRetries = 5;
const longestBackoffMs = 60_000;
const shortestWaitMs = 250;

/**
 * Repeats `send` (handed the attempt's number, from 1) by the schedule of its faults: full jitter,
 * `random(0 … min(60 s, step · 2ⁿ))`, or the server's hint plus up to 10 % if that is longer; at most 5 retries in
 * all. A model being loaded is waited for besides: 20 retries, or in a lane ten minutes, once for all its requests.
 * A lane that stopped ends it. Throws the signal's reason when it aborts.
 */
export async function withRetries<T>(
  send: (attempt: number) => Promise<Attempt<T>>,
  options: RetryOptions,
): Promise<Retried<T>> {
  const request = options.lane?.begin(options.subject);
  let end: RequestEnd = "open";
  try {
    const answer = await repeat(send, options, request);
    end = answer.kind === "done" ? "answered" : endOfFailure(answer.failure);
    return answer;
  } finally {
    request?.end(end);
  }
}

async function repeat<T>(
  send: (attempt: number) => Promise<Attempt<T>>,
  { clock, secret, signal, lane }: RetryOptions,
  request: LaneRequest | undefined,
): Promise<Retried<T>> {
  const started = clock.now();
  const used = new Map<RetryClass, number>();
  let queuedMs = 0;
  let costUnknown = false;
  for (let number = 1; ; number++) {
    signal?.throwIfAborted();
    const asked = clock.now();
    const place = await request?.enter(signal);
    const began = clock.now();
    queuedMs += began - asked;
    if (place?.kind === "stopped") {
      const waitedSeconds = (began - started) / 1000;
      return { kind: "failure", failure: "stop_model", message: place.reason, waitedSeconds, costUnknown };
    }
    const tried = await tryOnce(() => send(number), place, clock);
    const { ended } = tried;
    const done = (value: T): Retried<T> => {
      const times = { seconds: (ended - began) / 1000, waitedSeconds: (began - started) / 1000 };
      return { kind: "done", value, ...times, costUnknown };
    };
    if (tried.kind === "done") return done(tried.value);
    signal?.throwIfAborted();
    const { fault, otherwise, decision } = tried;
    const failed = (failure: FailureKind, advice: string): Retried<T> => {
      const message = [describeFault(fault, secret).replace(/\.$/, ""), advice]
        .filter((text) => text !== "")
        .join(". ");
      return { kind: "failure", failure, message, waitedSeconds: (ended - started) / 1000, costUnknown };
    };
    if (decision.kind === "fail") return failed(decision.failure, decision.advice);
    costUnknown ||= decision.costUnknown;
    const waitMs = waitBefore(decision, used.get(decision.class) ?? 0, clock);
    const late = ended - started - queuedMs + waitMs > patienceMs;
    if (late || isSpent(decision.class, used, lane, ended + waitMs)) {
      if (otherwise !== undefined) return done(otherwise);
      return failed(schedules[decision.class].then, `Given up after ${number} attempts`);
    }
    used.set(decision.class, (used.get(decision.class) ?? 0) + 1);
    await clock.sleep(waitMs, signal);
  }
}

type Tried<T> =
  | { readonly kind: "done"; readonly value: T; readonly ended: number }
  | (Extract<Attempt<T>, { kind: "fault" }> & { readonly decision: Decision; readonly ended: number });

/** Sends once and gives the place back with what became of it. */
async function tryOnce<T>(
  send: () => Promise<Attempt<T>>,
  place: Place | undefined,
  clock: Clock,
): Promise<Tried<T>> {
  let end: AttemptEnd = { kind: "failed" };
  try {
    const attempt = await send();
    const ended = clock.now();
    if (attempt.kind === "done") {
      end = { kind: "done" };
      return { ...attempt, ended };
    }
    const decision = classifyFault(attempt.fault, ended);
    if (decision.kind === "retry") {
      end = { kind: decision.limited ? "limited" : "failed", hintMs: decision.hintMs };
    }
    return { ...attempt, decision, ended };
  } finally {
    place?.leave(end);
  }
}

/** Whether no further attempt, made at `next`, is allowed. Waiting for a model to be loaded has a count of its own. */
function isSpent(
  name: RetryClass,
  used: ReadonlyMap<RetryClass, number>,
  lane: Lane | undefined,
  next: number,
): boolean {
  const spent = (used.get(name) ?? 0) >= schedules[name].retries;
  if (name === "loading") return lane === undefined ? spent : next > lane.loadingUntil();
  const all = [...used].reduce((sum, [other, times]) => sum + (other === "loading" ? 0 : times), 0);
  return spent || all >= mostRetries;
}

function endOfFailure(failure: FailureKind): RequestEnd {
  switch (failure) {
    case "infrastructure":
      return "lost";
    case "context_exhausted":
    case "blocked":
      return "answered";
    case "stop_model":
    case "stop_all":
    case "budget":
      return "open";
  }
}

function waitBefore(decision: Extract<Decision, { kind: "retry" }>, times: number, clock: Clock): number {
  const step = schedules[decision.class].stepMs * (decision.slow ? 2 : 1);
  const backoff = clock.random() * Math.min(longestBackoffMs, step * 2 ** times);
  const hint = (decision.hintMs ?? 0) * (1 + clock.random() / 10);
  return Math.max(shortestWaitMs, backoff, hint);
}
