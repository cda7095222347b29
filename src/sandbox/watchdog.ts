/** Calls `bark` once when `milliseconds` pass without `restart`; not while paused, never after `stop`. */
export class Watchdog {
  private timer: NodeJS.Timeout | null;
  private stopped = false;
  private readonly milliseconds: number;
  private readonly bark: () => void;

  constructor(milliseconds: number, bark: () => void) {
    this.milliseconds = milliseconds;
    this.bark = bark;
    this.timer = setTimeout(bark, milliseconds);
  }

  restart(): void {
    this.pause();
    if (!this.stopped) this.timer = setTimeout(this.bark, this.milliseconds);
  }

  pause(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  stop(): void {
    this.stopped = true;
    this.pause();
  }
}
