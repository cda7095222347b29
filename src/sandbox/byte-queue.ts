/** Used-up chunks that may stay in memory. */
const releaseEvery = 64;

/** Bytes in arrival order, taken in pieces of any length without ever joining the whole. */
export class ByteQueue {
  private readonly chunks: Uint8Array[] = [];
  /** Index of the first chunk not yet used up: shifting a long array for each would copy it each time. */
  private first = 0;
  private length = 0;

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.chunks.push(chunk);
    this.length += chunk.length;
  }

  /** The next `count` bytes, or null while fewer are there. */
  take(count: number): Uint8Array | null {
    if (this.length < count) return null;
    const chunk = this.chunks[this.first];
    if (chunk !== undefined && chunk.length >= count) return this.takeWithin(chunk, count);
    const taken = new Uint8Array(count);
    for (let filled = 0; filled < count;) {
      const next = this.chunks[this.first];
      if (next === undefined) throw new Error("a byte queue is shorter than its length");
      const used = this.takeWithin(next, Math.min(next.length, count - filled));
      taken.set(used, filled);
      filled += used.length;
    }
    return taken;
  }

  get size(): number {
    return this.length;
  }

  private takeWithin(chunk: Uint8Array, count: number): Uint8Array {
    this.length -= count;
    if (count < chunk.length) this.chunks[this.first] = chunk.subarray(count);
    else this.first += 1;
    if (this.length === 0 || this.first >= releaseEvery) {
      this.chunks.splice(0, this.first);
      this.first = 0;
    }
    return chunk.subarray(0, count);
  }
}
