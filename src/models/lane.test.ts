import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { askedLane, placeOf, sentOf, widthOf } from "../testing/asked-lane.ts";
import { steppedClock } from "../testing/stepped-clock.ts";

const minute = 60_000;

describe("the window", () => {
  test("starts at four, or at the maximum if that is less", async () => {
    expect(await widthOf(askedLane())).toBe(4);
    expect(await widthOf(askedLane({ concurrency: 2 }))).toBe(2);
  });

  test("is halved once for all refusals of attempts that were sent before, down to one", async () => {
    const lane = askedLane();
    const first = await lane.askMany(4);
    for (const asked of first) placeOf(asked).leave({ kind: "limited" });
    expect(await widthOf(lane)).toBe(2);
    for (const halved of [1, 1]) {
      const [asked] = await lane.askMany(1);
      placeOf(asked).leave({ kind: "limited" });
      expect(await widthOf(lane)).toBe(halved);
    }
    expect(lane.events.map(({ kind, words }) => `${kind}: ${words}`)).toEqual([
      "shrink: limited by the server: 2 requests at once instead of 4",
      "shrink: limited by the server: 1 request at once instead of 2",
    ]);
  });

  test("grows by one for twenty successes, up to the maximum, and counts anew after a refusal", async () => {
    const lane = askedLane({ concurrency: 5 });
    await lane.pass("answered", { count: 19 });
    expect(await widthOf(lane)).toBe(4);
    await lane.pass("answered", { count: 1 });
    expect(await widthOf(lane)).toBe(5);
    await lane.pass("answered", { count: 40 });
    expect(await widthOf(lane)).toBe(5);
    const [asked] = await lane.askMany(1);
    placeOf(asked).leave({ kind: "limited" });
    await lane.pass("answered", { count: 19 });
    expect(await widthOf(lane)).toBe(2);
    await lane.pass("answered", { count: 1 });
    expect(await widthOf(lane)).toBe(3);
    expect(lane.events.map(({ kind }) => kind)).toEqual(["grow", "shrink", "grow"]);
  });

  test("a failure that is no refusal leaves it as it is", async () => {
    const lane = askedLane();
    const [asked] = await lane.askMany(1);
    placeOf(asked).leave({ kind: "failed" });
    expect(await widthOf(lane)).toBe(4);
    expect(lane.events).toEqual([]);
  });
});

describe("the gate", () => {
  test.each(["limited", "failed"] as const)("a hint closes it for everybody (%s)", async (kind) => {
    const lane = askedLane({}, steppedClock({ random: 0.5 }));
    const [refused] = await lane.askMany(1);
    placeOf(refused).leave({ kind, hintMs: 10_000 });
    const others = await lane.askMany(2);
    await lane.clock.advance(10_499);
    expect(sentOf(others)).toBe(0);
    await lane.clock.advance(1);
    expect(sentOf(others)).toBe(2);
    expect(lane.events.at(-1)).toMatchObject({
      kind: "wait",
      words: "the server asks for 10 s without requests",
    });
  });

  test("the longest of several hints counts", async () => {
    const lane = askedLane();
    const refused = await lane.askMany(3);
    [20_000, 30_000, 10_000].forEach((hintMs, at) => {
      placeOf(refused[at]).leave({ kind: "limited", hintMs });
    });
    const others = await lane.askMany(1);
    await lane.clock.advance(29_999);
    expect(sentOf(others)).toBe(0);
    await lane.clock.advance(1);
    expect(sentOf(others)).toBe(1);
  });

  test("nobody sleeps when nobody waits", async () => {
    const lane = askedLane();
    const [refused] = await lane.askMany(1);
    placeOf(refused).leave({ kind: "limited", hintMs: 10_000 });
    expect(lane.clock.sleepers()).toBe(0);
    const [waiting] = await lane.askMany(1);
    expect(lane.clock.sleepers()).toBe(1);
    waiting!.signal.abort();
    await lane.clock.advance(0);
    expect(lane.clock.sleepers()).toBe(0);
  });

  test("tells how it stands: window, places taken, who waits, and for how long", async () => {
    const lane = askedLane({ concurrency: 2 });
    const [first] = await lane.askMany(3);
    const stands = { lane: "acme/coder at alpha/fp8", window: 2, health: "well" };
    expect(lane.inner.read()).toEqual({ ...stands, underWay: 2, waiting: 1, closedMs: 0 });
    placeOf(first).leave({ kind: "failed", hintMs: 10_000 });
    await lane.clock.advance(4000);
    expect(lane.inner.read()).toEqual({ ...stands, underWay: 1, waiting: 1, closedMs: 6000 });
    await lane.clock.advance(6000);
    expect(lane.inner.read()).toEqual({ ...stands, underWay: 2, waiting: 0, closedMs: 0 });
  });

  test("tells of a pause, and when it is over", async () => {
    const lane = askedLane();
    await lane.pass("lost", { count: 5 });
    await lane.clock.advance(minute);
    expect(lane.inner.read()).toMatchObject({ health: "paused", closedMs: 4 * minute });
    await lane.clock.advance(4 * minute);
    await lane.pass("answered");
    expect(lane.inner.read()).toMatchObject({ health: "well", closedMs: 0 });
  });

  test("a free model gets twenty requests in any minute", async () => {
    const lane = askedLane({ model: "acme/coder:free" });
    await lane.pass("answered", { count: 12 });
    await lane.clock.advance(10_000);
    await lane.pass("answered", { count: 8 });
    const others = await lane.askMany(4);
    await lane.clock.advance(49_999);
    expect(sentOf(others)).toBe(0);
    await lane.clock.advance(1);
    expect(sentOf(others)).toBe(4);
    const paid = askedLane();
    await paid.pass("answered", { count: 30 });
  });
});

describe("the queue", () => {
  test("first come, first served: a subject that asks at every turn does not starve one that asks seldom", async () => {
    const lane = askedLane({ concurrency: 1 });
    const order: string[] = [];
    const converse = async (subject: string): Promise<void> => {
      const request = lane.inner.begin(subject);
      const place = await request.enter();
      order.push(subject);
      await lane.clock.sleep(100);
      if (place.kind === "place") place.leave({ kind: "done" });
      request.end("answered");
    };
    const greedy = async (): Promise<void> => {
      for (let n = 0; n < 12; n++) await converse("greedy");
    };
    const modest = async (): Promise<void> => {
      for (let n = 0; n < 4; n++) {
        await converse("modest");
        await lane.clock.sleep(1000);
      }
    };
    const all = Promise.all([greedy(), greedy(), greedy(), modest()]);
    await lane.clock.advance(10_000);
    await all;
    const places = order.flatMap((subject, at) => (subject === "modest" ? [at] : []));
    expect(places).toHaveLength(4);
    // It asks anew 1000 ms after its 100 ms, and then only the three that wait already go first.
    for (const [n, at] of places.entries()) expect(at - (places[n - 1] ?? -1)).toBeLessThanOrEqual(10 + 4);
  });

  test("a retry goes before those whose requests began later", async () => {
    const lane = askedLane({ concurrency: 1 });
    const first = lane.ask();
    const second = lane.ask();
    const third = lane.ask();
    await lane.clock.advance(0);
    placeOf(first).leave({ kind: "failed" });
    await lane.clock.advance(0);
    first.got = null;
    void first.request.enter().then((place) => (first.got = place));
    placeOf(second).leave({ kind: "done" });
    await lane.clock.advance(0);
    expect(first.got).toMatchObject({ kind: "place" });
    expect(third.got).toBeNull();
  });

  test("an abort ends the waiting at once, with the signal's reason, and leaves no listener behind", async () => {
    const lane = askedLane({ concurrency: 1 });
    const [holder] = await lane.askMany(1);
    const stop = new AbortController();
    const reason = new Error("stop");
    const waiting = lane.inner.begin().enter(stop.signal);
    const next = lane.ask();
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
    placeOf(holder).leave({ kind: "done" });
    await lane.clock.advance(0);
    expect(sentOf([next])).toBe(1);
    expect(getEventListeners(next.signal.signal, "abort")).toEqual([]);
    await expect(lane.inner.begin().enter(stop.signal)).rejects.toBe(reason);
  });

  test("a place is given back once", async () => {
    const [asked] = await askedLane().askMany(1);
    placeOf(asked).leave({ kind: "done" });
    expect(() => {
      placeOf(asked).leave({ kind: "done" });
    }).toThrow("once");
  });
});

test("a model that is being loaded has ten minutes, once", async () => {
  const lane = askedLane();
  const until = lane.inner.loadingUntil();
  expect(until).toBe(lane.clock.now() + 10 * minute);
  await lane.clock.advance(30 * minute);
  expect(lane.inner.loadingUntil()).toBe(until);
});
