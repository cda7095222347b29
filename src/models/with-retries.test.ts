import { describe, expect, test } from "vitest";
import { fakeClock } from "../testing/fake-clock.ts";
import { steppedClock } from "../testing/stepped-clock.ts";
import type { Clock } from "./clock.ts";
import { errorBodyOf, type Fault } from "./fault.ts";
import { Lane, type LaneEvent } from "./lane.ts";
import { type Attempt, patienceMs, type Retried, withRetries } from "./with-retries.ts";

function response(status: number, headers: Readonly<Record<string, string>> = {}, error: object = {}): Fault {
  return {
    kind: "response",
    status,
    body: null,
    error: errorBodyOf(error),
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

describe("in a lane", () => {
  const loading = response(503, {}, { message: "Loading model" });

  function lane(clock: Clock, events: LaneEvent[] = []): Lane {
    return new Lane({ model: "m", tag: null, concurrency: 1, clock, listen: (event) => events.push(event) });
  }

  test("send is told the number of the attempt, and each attempt has a place of its own", async () => {
    const clock = fakeClock({ random: 0 });
    const numbers: number[] = [];
    const { send } = sender([response(500), response(429), response(503, { "retry-after": "2" })]);
    const events: LaneEvent[] = [];
    const numbered = (attempt: number): Promise<Attempt<string>> => {
      numbers.push(attempt);
      return send();
    };
    const answer = await withRetries(numbered, { clock, secret: "k", lane: lane(clock, events) });
    expect(answer).toMatchObject({ kind: "done", waitedSeconds: 2.5 });
    expect(numbers).toEqual([1, 2, 3, 4]);
    // The window was one already; the hint closes the gate.
    expect(events.map(({ kind }) => kind)).toEqual(["wait"]);
  });

  test("a refusal and an in-flight 402 shrink the window, other faults do not", async () => {
    const credit = response(402, {}, { metadata: { reason: "in_flight_budget_exhausted" } });
    const rows: readonly (readonly [fault: Fault, kinds: readonly string[]])[] = [
      [response(429), ["shrink"]],
      [credit, ["shrink"]],
      [response(503), []],
      [response(529), []],
      [{ kind: "deadline" }, []],
    ];
    for (const [fault, kinds] of rows) {
      const events: LaneEvent[] = [];
      const clock = fakeClock();
      const listen = (event: LaneEvent): number => events.push(event);
      const shared = new Lane({ model: "m", tag: null, concurrency: 4, clock, listen });
      await withRetries(sender([fault]).send, { clock, secret: "k", lane: shared });
      expect(events.map(({ kind }) => kind)).toEqual(kinds);
    }
  });

  test("time in the queue is waiting, but no part of the request's fifteen minutes", async () => {
    const clock = steppedClock();
    const shared = lane(clock);
    const holder = await shared.begin().enter();
    const { send, sent } = sender([response(500), response(500)]);
    const answer = withRetries(send, { clock, secret: "k", lane: shared });
    await clock.advance(patienceMs);
    expect(sent()).toBe(0);
    if (holder.kind === "place") holder.leave({ kind: "done" });
    await clock.advance(1000);
    expect(await answer).toMatchObject({ kind: "done", waitedSeconds: patienceMs / 1000 + 0.5 });
  });

  test("requests lost pause the lane; when it is stopped, the next ends at once and sends nothing", async () => {
    const clock = fakeClock();
    const shared = lane(clock);
    const ask = async (): Promise<[Retried<string>, number]> => {
      const { send, sent } = sender(many(response(500)));
      return [await withRetries(send, { clock, secret: "k", lane: shared, subject: "t" }), sent()];
    };
    for (let request = 0; request < 8; request++) {
      expect(await ask()).toMatchObject([{ failure: "infrastructure" }, 6]);
    }
    // Five in a row, then the probes after 5, 10 and 20 minutes.
    expect(clock.waits.filter((ms) => ms > 60_000)).toEqual([300_000, 600_000, 1_200_000]);
    const message = expect.stringMatching(/^endpoint m unhealthy/) as string;
    expect(await ask()).toEqual([
      { kind: "failure", failure: "stop_model", message, waitedSeconds: 0, costUnknown: false },
      0,
    ]);
  });

  test.each(["context_exhausted", "blocked"] as const)(
    "%s is an answer of the endpoint: no row of lost requests",
    async (kind) => {
      const words =
        kind === "blocked" ? { metadata: { reasons: ["violence"] } } : { message: "too many tokens" };
      const said = response(400, {}, words);
      const clock = fakeClock();
      const shared = lane(clock);
      for (let request = 0; request < 12; request++) {
        const faults = request % 3 === 2 ? [said] : many(response(500));
        await withRetries(sender(faults).send, { clock, secret: "k", lane: shared });
      }
      expect(clock.waits.filter((ms) => ms > 60_000)).toEqual([]);
    },
  );

  test("a model that is being loaded is waited for ten minutes, once for all requests of the lane", async () => {
    const clock = fakeClock();
    const shared = lane(clock);
    const started = clock.now();
    const first = await withRetries(sender(many(loading)).send, { clock, secret: "k", lane: shared });
    expect(first).toMatchObject({ failure: "stop_model" });
    expect(clock.now() - started).toBeGreaterThan(540_000);
    expect(clock.now() - started).toBeLessThanOrEqual(600_000);
    await clock.sleep(60_000);
    const { send, sent } = sender(many(loading));
    expect(await withRetries(send, { clock, secret: "k", lane: shared })).toMatchObject({
      failure: "stop_model",
    });
    expect(sent()).toBe(1);
  });

  test("loading uses up no retries of what comes after it", async () => {
    const clock = fakeClock();
    const { send } = sender([...many(loading).slice(0, 8), response(500), response(500)]);
    expect(await withRetries(send, { clock, secret: "k", lane: lane(clock) })).toMatchObject({
      kind: "done",
    });
  });

  test("a send that throws gives its place back", async () => {
    const clock = fakeClock();
    const shared = lane(clock);
    const bug = new Error("bug");
    const broken = withRetries(() => Promise.reject(bug), { clock, secret: "k", lane: shared });
    await expect(broken).rejects.toBe(bug);
    expect(await withRetries(sender([]).send, { clock, secret: "k", lane: shared })).toMatchObject({
      kind: "done",
    });
  });
});
