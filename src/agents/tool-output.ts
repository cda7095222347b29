import type { Capture } from "../sandbox/port.ts";

/** What one tool call may put into the conversation: part of the protocol, the same in both arms. */
export const outputLimitBytes = 16 * 1024;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A whole byte string seen as a capture. */
export function wholeCapture(bytes: Uint8Array): Capture {
  return { head: bytes, tail: new Uint8Array(), totalBytes: bytes.length };
}

/** How many bytes of a capture are at hand. */
function keptBytes({ head, tail }: Capture): number {
  return head.length + tail.length;
}

/**
 * The text of a capture in at most about `limit` bytes: when there is more, its middle is dropped on code-point
 * borders, and the notice says how many bytes went.
 */
export function captureText(capture: Capture, limit: number): string {
  const { head, tail, totalBytes } = capture;
  const whole = totalBytes === keptBytes(capture);
  if (whole && totalBytes <= limit) return clean(Buffer.concat([head, tail]));
  const half = Math.floor(limit / 2);
  // With no gap between them, head and tail are one string that may be cut anywhere.
  const start = whole ? Buffer.concat([head, tail]) : head;
  const end = whole ? start : tail;
  const first = trimEnd(start.subarray(0, half));
  const last = trimStart(end.subarray(Math.max(0, end.length - half)));
  const dropped = totalBytes - first.length - last.length;
  return `${clean(first)}\n[… ${dropped} bytes left out …]\n${clean(last)}`;
}

/** Shares one budget between two streams: a short one leaves its rest to the other. */
export function sharedLimits(first: Capture, second: Capture, limit: number): readonly [number, number] {
  const half = Math.floor(limit / 2);
  const firstNeeds = Math.min(first.totalBytes, Math.max(half, limit - second.totalBytes));
  return [firstNeeds, limit - firstNeeds];
}

/** Providers refuse a whole conversation for a NUL or a lone surrogate. */
export function cleanText(text: string): string {
  return text.replaceAll("\0", "").replace(/\p{Surrogate}/gu, "\uFFFD");
}

function clean(bytes: Uint8Array): string {
  return cleanText(decoder.decode(bytes));
}

/** Without a code point cut at its end. */
export function trimEnd(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needs > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Without a code point cut at its start. */
function trimStart(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 3 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}
