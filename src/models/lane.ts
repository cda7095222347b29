import { Breaker, type BreakerChange, type RequestEnd } from "./breaker.ts";
import type { LaneReading } from "../events.ts";
import type { Clock } from "./clock.ts";
import { LaneWindow } from "./lane-window.ts";
import { LaneBucket } from "./lane-bucket.ts";

export type LaneSettings = {
  readonly model: string;
  /** The endpoint it is pinned to; null on a server that has one only. */
  readonly tag: string | null;
  /** Attempts under way at once, at most; the lane finds out how many the server allows. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly listen?: (event: LaneEvent) => void;
};

/** For people. `wait`: the server named a time; `pause`, `resume`, `stop`: the endpoint's health. */
export type LaneEvent = {
  readonly kind: "shrink" | "grow" | "wait" | "pause" | "resume" | "stop";
  readonly lane: string;
  readonly words: string;
};

/** What became of one attempt. `limited`: the server wants fewer at once; a hint holds for everybody. */
export type AttemptEnd =
  { readonly kind: "done" } | { readonly kind: "limited" | "failed"; readonly hintMs?: number | undefined };

/** A place for one attempt, given back once. */
export type Place = { readonly kind: "place"; leave(end: AttemptEnd): void };
export type Stopped = { readonly kind: "stopped"; readonly reason: string };

/** One request with all its attempts. */
export type LaneRequest = {
  /**
   * Waits for a place, in the order in which requests began: a retry does not queue behind those that came later.
   * Rejects with the signal's reason as soon as it aborts.
   */
  enter(signal?: AbortSignal): Promise<Place | Stopped>;
  /** Must be told, whatever became of it. */
  end(end: RequestEnd): void;
};

type Ticket = { readonly number: number; readonly subject: string | undefined };
type Waiter = {
  readonly ticket: Ticket;
  readonly resolve: (place: Place | Stopped) => void;
  readonly reject: (reason: Error) => void;
};

/** A model that is being loaded is waited for this long, once. */
const loadingMs = 600_000;

/**
 * The way to one model at one endpoint, for all who use it in this process, judges included: how many attempts at
 * once, when, and whether at all (openrouter.md §7.4, §7.5).
 */
export class Lane {
  readonly name: string;
  private readonly settings: LaneSettings;
  private readonly window: LaneWindow;
  private readonly breaker = new Breaker<Ticket>();
  /** Null where no fixed rate is known. */
  private readonly bucket: LaneBucket | null;
  private readonly queue: Waiter[] = [];
  private tickets = 0;
  private underWay = 0;
  private closedUntil = 0;
  private loadingEnd: number | null = null;
  private wake: { readonly at: number; readonly cancel: AbortController } | null = null;

  constructor(settings: LaneSettings) {
    const { model, tag, concurrency } = settings;
    this.settings = settings;
    this.name = tag === null ? model : `${model} at ${tag}`;
    this.window = new LaneWindow(concurrency);
    this.bucket = model.endsWith(":free") ? new LaneBucket(20) : null;
  }

  /** `subject`: the trial it belongs to, for the share of trials lost. */
  begin(subject?: string): LaneRequest {
    const ticket: Ticket = { number: this.tickets++, subject };
    return {
      enter: (signal) => this.enter(ticket, signal),
      end: (end) => {
        this.changed(this.breaker.ended(ticket, end, subject, this.settings.clock.now()));
        this.admit();
      },
    };
  }

  /** Until when a model that is being loaded is waited for: ten minutes from when this was asked first. */
  loadingUntil(): number {
    return (this.loadingEnd ??= this.settings.clock.now() + loadingMs);
  }

  /** For people: how it stands now. */
  read(): LaneReading {
    const { breaker, queue, underWay, name: lane } = this;
    const now = this.settings.clock.now();
    const until = Math.max(this.closedUntil, breaker.pausedUntil, this.bucket?.freeAt(now) ?? 0);
    return {
      ...{ lane, underWay, window: this.window.size, waiting: queue.length },
      closedMs: Math.max(0, until - now),
      health: breaker.stopped ? "stopped" : breaker.pausedUntil > now ? "paused" : "well",
    };
  }

  private enter(ticket: Ticket, signal: AbortSignal | undefined): Promise<Place | Stopped> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const settled = (): void => {
        signal?.removeEventListener("abort", abort);
      };
      const waiter: Waiter = {
        ticket,
        resolve: (place) => {
          settled();
          resolve(place);
        },
        reject: (reason) => {
          settled();
          reject(reason);
        },
      };
      const abort = (): void => {
        this.queue.splice(this.queue.indexOf(waiter), 1);
        waiter.reject(signal?.reason as Error);
        this.admit();
      };
      signal?.addEventListener("abort", abort);
      const behind = this.queue.findIndex((other) => other.ticket.number > ticket.number);
      this.queue.splice(behind === -1 ? this.queue.length : behind, 0, waiter);
      this.admit();
    });
  }

  /** Gives places for as long as there are any, and sees to it that it is called again when time alone makes one. */
  private admit(): void {
    if (this.breaker.stopped) {
      for (const waiter of this.queue.splice(0))
        waiter.resolve({ kind: "stopped", reason: this.stopReason() });
    }
    for (;;) {
      const place = this.queue.findIndex(({ ticket }) => this.breaker.admits(ticket));
      const waiter = this.queue[place];
      if (waiter === undefined || this.underWay >= this.window.size) {
        this.sleepUntil(null);
        return;
      }
      const now = this.settings.clock.now();
      const at = Math.max(this.closedUntil, this.breaker.pausedUntil, this.bucket?.freeAt(now) ?? 0);
      if (at > now) {
        this.sleepUntil(at);
        return;
      }
      this.queue.splice(place, 1);
      waiter.resolve(this.give(waiter.ticket, now));
    }
  }

  private give(ticket: Ticket, now: number): Place {
    this.underWay++;
    this.breaker.sent(ticket);
    this.bucket?.take(now);
    const { mark } = this.window;
    let left = false;
    return {
      kind: "place",
      leave: (end) => {
        if (left) throw new Error("a place is given back once");
        left = true;
        this.underWay--;
        this.learn(end, mark);
        this.admit();
      },
    };
  }

  private learn(end: AttemptEnd, mark: number): void {
    const { size } = this.window;
    if (end.kind === "done") {
      if (this.window.succeeded()) this.say("grow", atOnce(this.window.size, size));
      return;
    }
    if (end.kind === "limited" && this.window.refused(mark)) {
      this.say("shrink", `limited by the server: ${atOnce(this.window.size, size)}`);
    }
    if (end.hintMs === undefined || end.hintMs <= 0) return;
    const { clock } = this.settings;
    const now = clock.now();
    const until = now + end.hintMs * (1 + clock.random() / 10);
    if (until <= this.closedUntil) return;
    if (this.closedUntil <= now) {
      this.say("wait", `the server asks for ${Math.ceil(end.hintMs / 1000)} s without requests`);
    }
    this.closedUntil = until;
  }

  private changed(change: BreakerChange | undefined): void {
    switch (change?.kind) {
      case undefined:
        return;
      case "paused":
        this.say("pause", `${change.why}: nothing is sent for ${change.minutes} min, then one request`);
        return;
      case "resumed":
        this.say("resume", "it answers again");
        return;
      case "stopped":
        this.say("stop", this.stopReason());
    }
  }

  private stopReason(): string {
    return `endpoint ${this.name} unhealthy: it lost the probe after each pause. Give the same command again later.`;
  }

  private say(kind: LaneEvent["kind"], words: string): void {
    this.settings.listen?.({ kind, lane: this.name, words });
  }

  /** One sleeper for the whole lane; none when nobody waits for time to go by, so that the process may end. */
  private sleepUntil(at: number | null): void {
    if (this.wake?.at === at) return;
    this.wake?.cancel.abort();
    this.wake = null;
    if (at === null) return;
    const { clock } = this.settings;
    const wake = { at, cancel: new AbortController() };
    this.wake = wake;
    clock.sleep(at - clock.now(), wake.cancel.signal).then(
      () => {
        if (this.wake !== wake) return;
        this.wake = null;
        this.admit();
      },
      (reason: unknown) => {
        if (wake.cancel.signal.aborted) return;
        const error = new Error("the clock failed", { cause: reason });
        for (const waiter of this.queue.splice(0)) waiter.reject(error);
      },
    );
  }
}

function atOnce(now: number, before: number): string {
  return `${now} ${now === 1 ? "request" : "requests"} at once instead of ${before}`;
}
