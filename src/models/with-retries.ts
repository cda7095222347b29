import type { Clock } from "./clock.ts";
import {
  classifyFault,
  type Decision,
  type FailureKind,
  type RetryClass,
  schedules,
} from "./classify-error.ts";
import { describeFault, type Fault } from "./fault.ts";

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

type RetryOptions = {
  readonly clock: Clock;
  /** Never shown: taken out of every message. */
  readonly secret: string;
  readonly signal?: AbortSignal | undefined;
};

/** One request with all its attempts and waits; then it is given up. */
export const patienceMs = 900_000;
const longestBackoffMs = 60_000;
const shortestWaitMs = 250;

/**
 * Repeats `send` by the schedule of its faults: full jitter, `random(0 … min(60 s, step · 2ⁿ))`, or the server's
 * hint plus up to 10 % if that is longer; at most 5 retries in all (a model being loaded: 20).
 * Throws the signal's reason when it aborts.
 */
export async function withRetries<T>(
  send: () => Promise<Attempt<T>>,
  { clock, secret, signal }: RetryOptions,
): Promise<Retried<T>> {
  const started = clock.now();
  const used = new Map<RetryClass, number>();
  let costUnknown = false;
  for (let retries = 0; ; retries++) {
    signal?.throwIfAborted();
    const began = clock.now();
    const attempt = await send();
    const ended = clock.now();
    const done = (value: T): Retried<T> => {
      const times = { seconds: (ended - began) / 1000, waitedSeconds: (began - started) / 1000 };
      return { kind: "done", value, ...times, costUnknown };
    };
    if (attempt.kind === "done") return done(attempt.value);
    signal?.throwIfAborted();
    const decision = classifyFault(attempt.fault, ended);
    const failed = (failure: FailureKind, advice: string): Retried<T> => {
      const message = [describeFault(attempt.fault, secret), advice].filter((text) => text !== "").join(". ");
      return { kind: "failure", failure, message, waitedSeconds: (ended - started) / 1000, costUnknown };
    };
    if (decision.kind === "fail") return failed(decision.failure, decision.advice);
    costUnknown ||= decision.costUnknown;
    const times = used.get(decision.class) ?? 0;
    const schedule = schedules[decision.class];
    const waitMs = waitBefore(decision, times, clock);
    const spent = times >= schedule.retries || retries >= Math.max(5, schedule.retries);
    if (spent || ended - started + waitMs > patienceMs) {
      if (attempt.otherwise !== undefined) return done(attempt.otherwise);
      return failed(schedule.then, `Given up after ${retries + 1} attempts`);
    }
    used.set(decision.class, times + 1);
    await clock.sleep(waitMs, signal);
  }
}

function waitBefore(decision: Extract<Decision, { kind: "retry" }>, times: number, clock: Clock): number {
  const step = schedules[decision.class].stepMs * (decision.slow ? 2 : 1);
  const backoff = clock.random() * Math.min(longestBackoffMs, step * 2 ** times);
  const hint = (decision.hintMs ?? 0) * (1 + clock.random() / 10);
  return Math.max(shortestWaitMs, backoff, hint);
}
