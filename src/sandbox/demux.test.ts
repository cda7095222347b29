import { expect, test } from "vitest";
import { streamOf } from "../testing/sandbox-containers.ts";
import { demultiplex, type StreamPiece } from "./demux.ts";
import { SandboxError } from "./port.ts";

function message(stream: number, text: string): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

const whole = Buffer.concat([message(1, "out"), message(2, "err"), message(1, ""), message(1, "more")]);

function cut(bytes: Buffer, step: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / step) }, (_, i) =>
    bytes.subarray(i * step, (i + 1) * step),
  );
}

async function read(source: AsyncIterable<Uint8Array>): Promise<string[]> {
  const said: string[] = [];
  for await (const { stream, bytes } of demultiplex(source))
    said.push(`${stream}:${Buffer.from(bytes).toString()}`);
  return said;
}

test.each([1, 3, 8, 11, 1000])("messages survive arriving %i bytes at a time", async (step) => {
  const said = await read(streamOf(...cut(whole, step)));
  expect(said).toEqual(["stdout:out", "stderr:err", "stdout:", "stdout:more"]);
});

test.each([1, 7, 9, whole.length - 1])("a stream that ends after %i bytes is broken", async (length) => {
  await expect(read(streamOf(whole.subarray(0, length)))).rejects.toThrow(SandboxError);
});

test("bytes that are no message are a broken stream", async () => {
  await expect(read(streamOf(Buffer.from("HTTP/1.1 500 Oops")))).rejects.toThrow(SandboxError);
});

test("a slow reader holds the source back", async () => {
  let taken = 0;
  const source = async function* (): AsyncGenerator<Uint8Array> {
    for (;;) {
      taken += 1;
      await Promise.resolve();
      yield message(1, "x".repeat(1000));
    }
  };
  const pieces: StreamPiece[] = [];
  for await (const piece of demultiplex(source())) {
    pieces.push(piece);
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (pieces.length === 5) break;
  }
  expect(taken).toBe(5);
});
