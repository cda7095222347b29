import { expect, test } from "vitest";
import { fakeClock } from "../testing/fake-clock.ts";
import { errorBodyOf, type Fault } from "./fault.ts";
import { type Attempt, withRetries } from "./with-retries.ts";

function response(status: number, headers: Readonly<Record<string, string>> = {}): Fault {
  return {
    kind: "response",
    status,
    body: null,
    error: errorBodyOf({}),
    header: (name) => headers[name] ?? null,
  };
}

/** Plays the faults in turn, then succeeds. */
function sender(faults: readonly Fault[]): { send: () => Promise<Attempt<string>>; sent: () => number } {
  let sent = 0;
  const send = (): Promise<Attempt<string>> => {
    const fault = faults[sent++];
    return Promise.resolve(fault === undefined ? { kind: "done", value: "ok" } : { kind: "fault", fault });
  };
  return { send, sent: () => sent };
}

const many = (fault: Fault): Fault[] => Array.from({ length: 40 }, () => fault);

test.each([
  {
    name: "full jitter doubles its bound",
    random: 1,
    fault: response(500),
    waits: [1000, 2000, 4000, 8000, 16000],
  },
  {
    name: "half the jitter, half the wait",
    random: 0.5,
    fault: response(500),
    waits: [500, 1000, 2000, 4000, 8000],
  },
  { name: "no wait is under 250 ms", random: 0, fault: response(500), waits: [250, 250, 250, 250, 250] },
  {
    name: "529 starts at two seconds",
    random: 1,
    fault: response(529),
    waits: [2000, 4000, 8000, 16000, 32000],
  },
  {
    name: "a hint that is longer wins, with up to 10 % on top",
    random: 1,
    fault: response(503, { "retry-after": "10" }),
    waits: [11_000, 11_000, 11_000, 11_000, 16_000],
  },
  {
    name: "a deadline gets two more attempts",
    random: 1,
    fault: { kind: "deadline" } as const,
    waits: [1000, 2000],
  },
])("$name", async ({ random, fault, waits }) => {
  const clock = fakeClock({ random });
  const { send, sent } = sender(many(fault));
  const answer = await withRetries(send, { clock, secret: "k" });
  expect(answer).toMatchObject({ kind: "failure", failure: "infrastructure" });
  expect(clock.waits).toEqual(waits);
  expect(sent()).toBe(waits.length + 1);
  expect(answer.waitedSeconds).toBeCloseTo(waits.reduce((a, b) => a + b, 0) / 1000);
});

test("every class has its own count, and six attempts are the end of all of them", async () => {
  const empty: Fault = { kind: "empty", message: "nothing" };
  const { send, sent } = sender([empty, response(500), empty, response(500), empty, response(500)]);
  const answer = await withRetries(send, { clock: fakeClock(), secret: "k" });
  expect(answer).toMatchObject({ kind: "failure" });
  expect(sent()).toBe(6);
});

test("a request with all its waits ends after fifteen minutes", async () => {
  const { send, sent } = sender(many(response(429, { "retry-after": "500" })));
  const clock = fakeClock({ random: 0 });
  const answer = await withRetries(send, { clock, secret: "k" });
  expect(answer).toMatchObject({ kind: "failure", failure: "infrastructure" });
  expect(sent()).toBe(2);
  expect(clock.waits).toEqual([500_000]);
});

test("a success after a deadline says that the cost is not known", async () => {
  const { send } = sender([{ kind: "deadline" }]);
  expect(await withRetries(send, { clock: fakeClock(), secret: "k" })).toMatchObject({
    kind: "done",
    value: "ok",
    costUnknown: true,
    waitedSeconds: 1,
  });
});

test("an abort during a wait ends it with the signal's reason", async () => {
  const stop = new AbortController();
  const clock = fakeClock();
  const reason = new Error("stop");
  const sleep = (): Promise<void> => {
    stop.abort(reason);
    return Promise.reject(reason);
  };
  const { send, sent } = sender(many(response(500)));
  const answer = withRetries(send, { clock: { ...clock, sleep }, secret: "k", signal: stop.signal });
  await expect(answer).rejects.toBe(reason);
  expect(sent()).toBe(1);
});
