import { expect, test } from "vitest";
import { errorBodyOf, type Fault } from "./fault.ts";
import { hintMs } from "./retry-hint.ts";

const now = Date.parse("2026-03-01T12:00:00Z");

function response(status: number, headers: Readonly<Record<string, string>>, error: unknown = {}): Fault {
  return {
    kind: "response",
    status,
    body: null,
    error: errorBodyOf(error),
    header: (name) => headers[name] ?? null,
  };
}

test.each([
  ["seconds", response(503, { "retry-after": "2" }), 2000],
  ["a date", response(503, { "retry-after": "Sun, 01 Mar 2026 12:00:30 GMT" }), 30_000],
  ["a date in the past", response(503, { "retry-after": "Sun, 01 Mar 2026 11:00:00 GMT" }), 0],
  ["words nobody can read", response(503, { "retry-after": "soon" }), undefined],
  ["a copy in the metadata", response(402, {}, { metadata: { headers: { "Retry-After": "3" } } }), 3000],
  ["availability", response(429, {}, { availability: { retry_after: 4 } }), 4000],
  [
    "Retry-After before availability",
    response(429, { "retry-after": "1" }, { availability: { retry_after: 9 } }),
    1000,
  ],
  ["a reset in milliseconds", response(429, { "x-ratelimit-reset": String(now + 1500) }), 1500],
  ["a reset in seconds", response(429, { "x-ratelimit-reset": String(now / 1000 + 7) }), 7000],
  [
    "a reset that came with a server error",
    response(500, { "x-ratelimit-reset": String(now + 1500) }),
    undefined,
  ],
  ["nothing", response(429, {}), undefined],
  ["no response at all", { kind: "deadline" } as const, undefined],
])("%s", (_name, fault, expected) => {
  expect(hintMs(fault, now)).toBe(expected);
});
