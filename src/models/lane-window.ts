/** openrouter.md §7.4. */
const firstSize = 4;
const successesToGrow = 20;

/**
 * How many attempts may be under way at once: additive increase, multiplicative decrease. Learned from refusals, since
 * no successful answer tells a limit.
 */
export class LaneWindow {
  private current: number;
  private readonly maximum: number;
  private successes = 0;
  private shrinks = 0;

  constructor(maximum: number) {
    if (!Number.isInteger(maximum) || maximum < 1) throw new RangeError(`a window of at most ${maximum}`);
    this.maximum = maximum;
    this.current = Math.min(firstSize, maximum);
  }

  get size(): number {
    return this.current;
  }

  /** To be handed back when an attempt that is sent now is refused. */
  get mark(): number {
    return this.shrinks;
  }

  /** True when the window has grown. */
  succeeded(): boolean {
    this.successes++;
    if (this.successes < successesToGrow || this.current >= this.maximum) return false;
    this.successes = 0;
    this.current++;
    return true;
  }

  /** True when the window has shrunk. Refusals of attempts sent before the last shrink tell nothing new. */
  refused(mark: number): boolean {
    if (mark !== this.shrinks) return false;
    this.shrinks++;
    this.successes = 0;
    const before = this.current;
    this.current = Math.max(1, Math.floor(before / 2));
    return this.current < before;
  }
}
