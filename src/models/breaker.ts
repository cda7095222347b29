/**
 * What became of a request after its retries. `answered`: the endpoint is alive, whatever it said. `lost`: to
 * infrastructure. `open`: it tells nothing about the endpoint (aborted, the key, our own budget).
 */
export type RequestEnd = "answered" | "lost" | "open";

export type BreakerChange =
  | { readonly kind: "paused"; readonly minutes: number; readonly why: string }
  | { readonly kind: "resumed" }
  | { readonly kind: "stopped" };

/** openrouter.md §7.5: a pause, doubled twice; each ends with a probe of one request. */
const pauseMinutes = [5, 10, 20] as const;
const lostInARowLimit = 5;
const trialsLookedAt = 20;
const lostTrialsLimit = 0.2 * trialsLookedAt;

type State<R> =
  | { readonly kind: "well" }
  | { readonly kind: "paused"; readonly until: number }
  | { readonly kind: "probing"; readonly probe: R }
  | { readonly kind: "stopped" };

/** Says when an endpoint is to be left alone. `R` tells one request from another; time is handed in, in ms. */
export class Breaker<R extends object> {
  private state: State<R> = { kind: "well" };
  private pauses = 0;
  private lostInARow = 0;
  /** Whether they were lost, the latest at the end: a trial counts from its first answer, or from when it is lost. */
  private readonly trials = new Map<string, boolean>();

  get stopped(): boolean {
    return this.state.kind === "stopped";
  }

  /** No request may begin before. */
  get pausedUntil(): number {
    return this.state.kind === "paused" ? this.state.until : 0;
  }

  /** While a probe is under way, nothing else is. */
  admits(request: R): boolean {
    return this.state.kind !== "probing" || this.state.probe === request;
  }

  /** An attempt of `request` is being sent. The first after a pause is the probe. */
  sent(request: R): void {
    if (this.state.kind === "paused") this.state = { kind: "probing", probe: request };
  }

  /** Takes notice of how a request ended; undefined when nothing changes by it. */
  ended(request: R, end: RequestEnd, subject: string | undefined, now: number): BreakerChange | undefined {
    switch (this.state.kind) {
      case "well":
        return this.count(end, subject, now);
      case "probing":
        return this.state.probe === request ? this.probed(end, now) : undefined;
      // What was sent before the pause changes nothing any more.
      case "paused":
      case "stopped":
        return undefined;
    }
  }

  private count(end: RequestEnd, subject: string | undefined, now: number): BreakerChange | undefined {
    if (end === "open") return undefined;
    const lost = end === "lost";
    this.lostInARow = lost ? this.lostInARow + 1 : 0;
    if (subject !== undefined) this.countTrial(subject, lost);
    if (this.lostInARow >= lostInARowLimit) {
      return this.pause(`${lostInARowLimit} requests in a row were lost`, now);
    }
    const lostTrials = [...this.trials.values()].filter(Boolean).length;
    if (!lost || lostTrials <= lostTrialsLimit) return undefined;
    return this.pause(`${lostTrials} of the last ${this.trials.size} trials were lost`, now);
  }

  private countTrial(subject: string, lost: boolean): void {
    if (!lost && this.trials.has(subject)) return;
    this.trials.delete(subject);
    this.trials.set(subject, lost);
    for (const oldest of this.trials.keys()) {
      if (this.trials.size <= trialsLookedAt) break;
      this.trials.delete(oldest);
    }
  }

  private probed(end: RequestEnd, now: number): BreakerChange | undefined {
    switch (end) {
      case "answered":
        this.state = { kind: "well" };
        this.pauses = 0;
        this.lostInARow = 0;
        this.trials.clear();
        return { kind: "resumed" };
      case "lost":
        return this.pause("the probe was lost", now);
      case "open":
        this.state = { kind: "paused", until: now };
        return undefined;
    }
  }

  private pause(why: string, now: number): BreakerChange {
    const minutes = pauseMinutes[this.pauses];
    if (minutes === undefined) {
      this.state = { kind: "stopped" };
      return { kind: "stopped" };
    }
    this.pauses++;
    this.state = { kind: "paused", until: now + minutes * 60_000 };
    return { kind: "paused", minutes, why };
  }
}
