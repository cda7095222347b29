import {
  Lane,
  type LaneEvent,
  type LaneRequest,
  type LaneSettings,
  type Place,
  type Stopped,
} from "../models/lane.ts";
import type { RequestEnd } from "../models/breaker.ts";
import { type SteppedClock, steppedClock } from "./stepped-clock.ts";

/** A request that asked for its first place, and what it got. */
export type Asked = {
  readonly request: LaneRequest;
  readonly signal: AbortController;
  got: Place | Stopped | null;
};

/** A lane that is asked by hand, on a clock that is moved by hand. */
export type AskedLane = {
  readonly inner: Lane;
  readonly clock: SteppedClock;
  readonly events: readonly LaneEvent[];
  ask(subject?: string): Asked;
  askMany(count: number): Promise<readonly Asked[]>;
  /** Requests one after the other: in, out, over. */
  pass(end: RequestEnd, options?: { readonly count?: number; readonly subject?: string }): Promise<void>;
};

export function askedLane(
  settings: Partial<LaneSettings> = {},
  clock: SteppedClock = steppedClock(),
): AskedLane {
  const events: LaneEvent[] = [];
  const listen = (event: LaneEvent): number => events.push(event);
  const lane = new Lane({
    model: "acme/coder",
    tag: "alpha/fp8",
    concurrency: 64,
    clock,
    listen,
    ...settings,
  });
  const ask = (subject?: string): Asked => {
    const signal = new AbortController();
    const asked: Asked = { request: lane.begin(subject), signal, got: null };
    asked.request.enter(signal.signal).then(
      (place) => (asked.got = place),
      () => null, // aborted by the test: it still has nothing
    );
    return asked;
  };
  return {
    inner: lane,
    clock,
    events,
    ask,
    async askMany(count) {
      const asked = Array.from({ length: count }, () => ask());
      await clock.advance(0);
      return asked;
    },
    async pass(end, { count = 1, subject } = {}) {
      for (let n = 0; n < count; n++) {
        const asked = ask(subject);
        await clock.advance(0);
        placeOf(asked).leave({ kind: end === "answered" ? "done" : "failed" });
        asked.request.end(end);
        await clock.advance(0);
      }
    },
  };
}

export function sentOf(asked: readonly Asked[]): number {
  return asked.filter(({ got }) => got?.kind === "place").length;
}

export function placeOf(asked: Asked | undefined): Place {
  if (asked?.got?.kind !== "place") throw new Error(`no place: ${asked?.got?.kind ?? "still waiting"}`);
  return asked.got;
}

/** How many of many get a place at once; all of them leave again. */
export async function widthOf(lane: AskedLane): Promise<number> {
  const asked = await lane.askMany(100);
  const width = sentOf(asked);
  for (const { signal } of asked.filter(({ got }) => got === null)) signal.abort();
  for (const inside of asked.filter(({ got }) => got !== null)) placeOf(inside).leave({ kind: "failed" });
  for (const { request } of asked) request.end("open");
  await lane.clock.advance(0);
  return width;
}
