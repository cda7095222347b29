/**
 * Passes values from one producer to one consumer, one at a time: `give` resolves when its value was taken, so a slow
 * consumer holds the producer back. After `discard` values are dropped and nobody waits.
 */
export class Handover<T> implements AsyncIterable<T> {
  private readonly waiting: { readonly value: T; readonly taken: () => void }[] = [];
  private end: { readonly error: unknown } | "finished" | null = null;
  private discarding = false;
  private wakeConsumer: (() => void) | null = null;

  async give(value: T): Promise<void> {
    if (this.discarding) return;
    await new Promise<void>((taken) => {
      this.waiting.push({ value, taken });
      this.wakeConsumer?.();
    });
  }

  finish(): void {
    this.end ??= "finished";
    this.wakeConsumer?.();
  }

  fail(error: unknown): void {
    this.end ??= { error };
    this.wakeConsumer?.();
  }

  discard(): void {
    this.discarding = true;
    for (const { taken } of this.waiting.splice(0)) taken();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const next = this.waiting.shift();
      if (next !== undefined) {
        try {
          yield next.value;
        } finally {
          next.taken();
        }
      } else if (this.end === "finished") return;
      else if (this.end !== null) throw this.end.error;
      else {
        await new Promise<void>((resolve) => {
          this.wakeConsumer = resolve;
        });
        this.wakeConsumer = null;
      }
    }
  }
}
