import { expect, test } from "vitest";
import { encodeFrame, type Frame, FrameReader, headerBytes, maxPayloadBytes } from "./frames.ts";
import { SandboxError } from "./port.ts";

const frames: readonly Frame[] = [
  { kind: "R", id: 1, payload: Buffer.from("{}") },
  { kind: "s", id: 4_000_000_000, payload: new Uint8Array() },
  { kind: "o", id: 2, payload: new Uint8Array(70_000).fill(7) },
];
const bytes = Buffer.concat(frames.map(encodeFrame));

test.each([1, 2, 7, 9, 10, 4096, bytes.length])("frames survive arriving %i bytes at a time", (step) => {
  const reader = new FrameReader();
  const read: Frame[] = [];
  for (let at = 0; at < bytes.length; at += step) read.push(...reader.push(bytes.subarray(at, at + step)));
  expect(read.map(({ kind, id, payload }) => ({ kind, id, payload: Buffer.from(payload) }))).toEqual(
    frames.map(({ kind, id, payload }) => ({ kind, id, payload: Buffer.from(payload) })),
  );
});

test("the header is length, kind and id, big endian", () => {
  expect([...encodeFrame({ kind: "P", id: 258, payload: Buffer.from("x") })]).toEqual([
    0, 0, 0, 6, 80, 0, 0, 1, 2, 120,
  ]);
});

test.each([0, 4, maxPayloadBytes + 6, 0xffffffff])(
  "a frame that claims %i bytes is a broken stream",
  (length) => {
    const header = Buffer.alloc(headerBytes);
    header.writeUInt32BE(length);
    expect(() => [...new FrameReader().push(header)]).toThrow(SandboxError);
  },
);

test("a payload past the limit is never sent", () => {
  const payload = new Uint8Array(maxPayloadBytes + 1);
  expect(() => encodeFrame({ kind: "s", id: 1, payload })).toThrow(RangeError);
});
