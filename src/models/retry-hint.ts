import type { Fault } from "./fault.ts";

/**
 * How long the server asked us to wait, in ms, or undefined. First found wins: `Retry-After` (seconds or a date),
 * the same in `error.metadata.headers`, `error.availability.retry_after`, then `X-RateLimit-Reset` (epoch in ms
 * or s), which only a limit's own answer may use: some servers send it with everything.
 */
export function hintMs(fault: Fault, now: number): number | undefined {
  if (fault.kind !== "response") return undefined;
  const copied = fault.error.metadata?.headers ?? {};
  const find = (name: string): string | null => {
    const copy = Object.entries(copied).find(([key]) => key.toLowerCase() === name)?.[1];
    return fault.header(name) ?? (typeof copy === "string" || typeof copy === "number" ? String(copy) : null);
  };
  const hint =
    retryAfterMs(find("retry-after"), now) ??
    secondsToMs(fault.error.availability?.retry_after) ??
    (fault.status === 429 || fault.status === 402 ? resetMs(find("x-ratelimit-reset"), now) : undefined);
  return hint === undefined ? undefined : Math.max(0, hint);
}

function retryAfterMs(text: string | null, now: number): number | undefined {
  if (text === null || text.trim() === "") return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return seconds * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date - now;
}

function secondsToMs(seconds: number | null | undefined): number | undefined {
  return seconds == null ? undefined : seconds * 1000;
}

function resetMs(text: string | null, now: number): number | undefined {
  const value = text === null || text.trim() === "" ? NaN : Number(text);
  if (!Number.isFinite(value)) return undefined;
  if (value > 1e12) return value - now;
  return value > 1e9 ? value * 1000 - now : value * 1000;
}
