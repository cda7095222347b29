import { performance } from "node:perf_hooks";

const everyMs = 10;

/** In ms, the longest of a hundred left out (p99). */
export type LoopLag = {
  /** By how much timers were late, whoever took the time. */
  readonly lateMs: number;
  /** The part of it in which this process was at work: what other processes take on a busy machine is left out. */
  readonly ownMs: number;
};

/** Watches the event loop until stopped. */
export function watchLoop(): { stop(): LoopLag } {
  const late: number[] = [];
  const own: number[] = [];
  let due = performance.now() + everyMs;
  let cpu = process.cpuUsage();
  const timer = setInterval(() => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(cpu);
    const lateMs = Math.max(0, now - due);
    late.push(lateMs);
    own.push(Math.min(lateMs, (user + system) / 1000));
    due = now + everyMs;
    cpu = process.cpuUsage();
  }, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      return { lateMs: p99(late), ownMs: p99(own) };
    },
  };
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? NaN;
}
