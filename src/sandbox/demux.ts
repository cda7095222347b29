import { ByteQueue } from "./byte-queue.ts";
import { SandboxError } from "./port.ts";

/** Bytes of one attached container as they arrive. */
export type StreamPiece = { readonly stream: "stdout" | "stderr"; readonly bytes: Uint8Array };

const headerBytes = 8;
const maxPieceBytes = 64 << 20;

/**
 * Takes the engine's multiplexed attach stream apart: u8 stream (1 stdout, 2 stderr), three zero bytes, u32 length (big
 * endian), data. The source is read only as fast as the pieces are taken. Throws `SandboxError` when the bytes do not
 * have that form or end inside a piece.
 */
export async function* demultiplex(source: AsyncIterable<Uint8Array>): AsyncGenerator<StreamPiece> {
  const queue = new ByteQueue();
  let head: { stream: StreamPiece["stream"]; length: number } | null = null;
  for await (const chunk of source) {
    queue.push(chunk);
    for (;;) {
      head ??= parseHead(queue.take(headerBytes));
      if (head === null) break;
      const bytes = queue.take(head.length);
      if (bytes === null) break;
      const { stream } = head;
      head = null;
      yield { stream, bytes };
    }
  }
  if (head !== null || queue.size > 0)
    throw new SandboxError("the container's stream ended inside a message");
}

function parseHead(bytes: Uint8Array | null): { stream: StreamPiece["stream"]; length: number } | null {
  if (bytes === null) return null;
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(4);
  if ((bytes[0] !== 1 && bytes[0] !== 2) || length > maxPieceBytes) {
    throw new SandboxError("the engine's attach stream is damaged: no message starts where one should");
  }
  return { stream: bytes[0] === 1 ? "stdout" : "stderr", length };
}
