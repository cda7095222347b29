const minuteMs = 60_000;

/** So many requests in any minute: each token comes back a minute after it was taken. Times in ms. */
export class LaneBucket {
  private readonly tokens: number;
  /** When the tokens that are out were taken, oldest first. */
  private taken: readonly number[] = [];

  constructor(tokens: number) {
    this.tokens = tokens;
  }

  /** When the next token can be had: `now`, or later. */
  freeAt(now: number): number {
    this.taken = this.taken.filter((at) => at + minuteMs > now);
    const oldest = this.taken[0];
    return oldest === undefined || this.taken.length < this.tokens ? now : oldest + minuteMs;
  }

  take(now: number): void {
    this.taken = [...this.taken, now];
  }
}
