import { ByteQueue } from "./byte-queue.ts";
import { SandboxError } from "./port.ts";

/**
 * One message between harness and tool server: u32 length of what follows (big endian), u8 kind, u32 id, payload. The
 * kinds are listed at the head of docker/server/toolserver.py.
 */
export type Frame = { readonly kind: string; readonly id: number; readonly payload: Uint8Array };

export const headerBytes = 9;
/** Of a payload. Longer data is cut into several frames. */
export const maxPayloadBytes = 16 << 20;

export function encodeFrame({ kind, id, payload }: Frame): Uint8Array {
  if (payload.length > maxPayloadBytes) {
    throw new RangeError(`a frame of ${payload.length} bytes; the limit is ${maxPayloadBytes}`);
  }
  const bytes = new Uint8Array(headerBytes + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, payload.length + headerBytes - 4);
  view.setUint8(4, kind.charCodeAt(0));
  view.setUint32(5, id);
  bytes.set(payload, headerBytes);
  return bytes;
}

/** Cuts a byte stream into frames, however it arrives. */
export class FrameReader {
  private readonly queue = new ByteQueue();
  private head: { kind: string; id: number; payloadBytes: number } | null = null;

  /** The frames that `chunk` completes. Throws `SandboxError` for a length that no frame has. */
  *push(chunk: Uint8Array): Generator<Frame> {
    this.queue.push(chunk);
    for (;;) {
      this.head ??= this.takeHead();
      if (this.head === null) return;
      const payload = this.queue.take(this.head.payloadBytes);
      if (payload === null) return;
      const { kind, id } = this.head;
      this.head = null;
      yield { kind, id, payload };
    }
  }

  private takeHead(): { kind: string; id: number; payloadBytes: number } | null {
    const bytes = this.queue.take(headerBytes);
    if (bytes === null) return null;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const payloadBytes = view.getUint32(0) - (headerBytes - 4);
    if (payloadBytes < 0 || payloadBytes > maxPayloadBytes) {
      throw new SandboxError(`the tool server sent a frame of ${payloadBytes} bytes; its stream is damaged`);
    }
    return { kind: String.fromCharCode(view.getUint8(4)), id: view.getUint32(5), payloadBytes };
  }
}
