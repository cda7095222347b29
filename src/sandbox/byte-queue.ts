/** Bytes in arrival order, taken in pieces of any length without ever joining the whole. */
export class ByteQueue {
  private readonly chunks: Uint8Array[] = [];
  private length = 0;

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.chunks.push(chunk);
    this.length += chunk.length;
  }

  /** The next `count` bytes, or null while fewer are there. */
  take(count: number): Uint8Array | null {
    if (this.length < count) return null;
    this.length -= count;
    const first = this.chunks[0];
    if (first !== undefined && first.length > count) {
      this.chunks[0] = first.subarray(count);
      return first.subarray(0, count);
    }
    const taken = new Uint8Array(count);
    for (let filled = 0; filled < count;) {
      const chunk = this.chunks.shift();
      if (chunk === undefined) throw new Error("a byte queue is shorter than its length");
      const used = chunk.subarray(0, count - filled);
      taken.set(used, filled);
      filled += used.length;
      if (used.length < chunk.length) this.chunks.unshift(chunk.subarray(used.length));
    }
    return taken;
  }

  get size(): number {
    return this.length;
  }
}
