import { describe, expect, test } from "vitest";
import { askedLane, placeOf, sentOf, widthOf } from "../testing/asked-lane.ts";

const minute = 60_000;

describe("the breaker", () => {
  test("five requests lost in a row: a pause, then one probe, and its success lets all in", async () => {
    const lane = askedLane();
    await lane.pass("lost", { count: 4 });
    await lane.pass("answered");
    await lane.pass("lost", { count: 5 });
    expect(lane.events.at(-1)).toEqual({
      kind: "pause",
      lane: "acme/coder at alpha/fp8",
      words: "5 requests in a row were lost: nothing is sent for 5 min, then one request",
    });
    const waiting = await lane.askMany(3);
    await lane.clock.advance(5 * minute - 1);
    expect(sentOf(waiting)).toBe(0);
    await lane.clock.advance(1);
    expect(sentOf(waiting)).toBe(1);
    // All attempts of the probe pass; the others wait for its end.
    placeOf(waiting[0]).leave({ kind: "failed" });
    await lane.clock.advance(minute);
    expect(sentOf(waiting.slice(1))).toBe(0);
    const again = waiting[0]!.request.enter();
    await lane.clock.advance(0);
    const place = await again;
    if (place.kind === "place") place.leave({ kind: "done" });
    waiting[0]!.request.end("answered");
    await lane.clock.advance(0);
    expect(sentOf(waiting)).toBe(3);
    expect(lane.events.at(-1)).toMatchObject({ kind: "resume" });
  });

  test("lost probes double the pause twice, then the lane is stopped for good; another lane is not", async () => {
    const lane = askedLane();
    await lane.pass("lost", { count: 5 });
    for (const pause of [5, 10, 20]) {
      const [waiting, behind] = await lane.askMany(2);
      await lane.clock.advance(pause * minute - 1);
      expect(waiting!.got).toBeNull();
      await lane.clock.advance(1);
      placeOf(waiting).leave({ kind: "failed" });
      waiting!.request.end("lost");
      await lane.clock.advance(0);
      if (pause < 20) {
        expect(behind!.got).toBeNull();
        behind!.signal.abort();
      } else {
        expect(behind!.got).toMatchObject({ kind: "stopped" });
      }
    }
    const [late] = await lane.askMany(1);
    const reason = expect.stringMatching(/^endpoint acme\/coder at alpha\/fp8 unhealthy: /) as string;
    expect(late!.got).toEqual({ kind: "stopped", reason });
    expect(lane.events.map(({ kind }) => kind)).toEqual(["pause", "pause", "pause", "stop"]);
    expect(await widthOf(askedLane({ model: "bravo/coder" }))).toBe(4);
  });

  test("after a success the next pause is the short one again", async () => {
    const lane = askedLane();
    await lane.pass("lost", { count: 5 });
    await lane.clock.advance(5 * minute);
    await lane.pass("lost");
    await lane.clock.advance(10 * minute);
    await lane.pass("answered");
    await lane.pass("lost", { count: 5 });
    expect(lane.events.at(-1)?.words).toContain("for 5 min");
  });

  test("trials lost before a success of the probe count no more", async () => {
    const lane = askedLane();
    for (let n = 0; n < 5; n++) await lane.pass("lost", { subject: `early ${n}` });
    await lane.clock.advance(5 * minute);
    await lane.pass("answered");
    await lane.pass("lost", { subject: "late" });
    expect(lane.events.map(({ kind }) => kind)).toEqual(["pause", "resume"]);
  });

  test("more than a fifth of the last twenty trials lost: a pause", async () => {
    const lane = askedLane();
    const trial = async (name: string, lost: boolean): Promise<void> => {
      for (let turn = 0; turn < 3; turn++) await lane.pass("answered", { subject: name });
      if (lost) await lane.pass("lost", { subject: name });
    };
    for (let n = 0; n < 20; n++) await trial(`trial ${n}`, n % 5 === 0);
    expect(lane.events.filter(({ kind }) => kind === "pause")).toEqual([]);
    // The first loss is the twenty-first trial from the end by then.
    await trial("trial 20", true);
    expect(lane.events.filter(({ kind }) => kind === "pause")).toEqual([]);
    await trial("trial 21", true);
    expect(lane.events.at(-1)?.words).toContain("5 of the last 20 trials were lost");
  });

  test("many requests of one trial are one trial", async () => {
    const lane = askedLane();
    for (let n = 0; n < 10; n++) {
      await lane.pass("lost", { subject: "the same" });
      await lane.pass("answered", { subject: "the same" });
    }
    expect(lane.events).toEqual([]);
  });

  test.each(["paused", "probing"] as const)(
    "what was sent before a pause changes nothing when it ends (%s)",
    async (when) => {
      const lane = askedLane();
      const [early] = await lane.askMany(1);
      await lane.pass("lost", { count: 5 });
      if (when === "probing") await lane.clock.advance(5 * minute);
      const others = await lane.askMany(2);
      placeOf(early).leave({ kind: "done" });
      early!.request.end("answered");
      await lane.clock.advance(0);
      expect(sentOf(others)).toBe(when === "probing" ? 1 : 0);
    },
  );

  test("a probe that tells nothing leaves the probing to the next request", async () => {
    const lane = askedLane();
    await lane.pass("lost", { count: 5 });
    await lane.clock.advance(5 * minute);
    const waiting = await lane.askMany(3);
    expect(sentOf(waiting)).toBe(1);
    placeOf(waiting[0]).leave({ kind: "failed" });
    waiting[0]!.request.end("open");
    await lane.clock.advance(0);
    expect(sentOf(waiting)).toBe(2);
  });
});
