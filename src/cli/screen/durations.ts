import type { ScreenState } from "./screen-state.ts";
import { latestTrials } from "./screen-state.ts";

/** Fewer say nothing about a rate. */
const enoughTrials = 5;

/** `42 s`, `3 min 12 s`, `2 h 05 min`. */
export function exactly(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds} s`;
  if (minutes < 60) return `${minutes} min ${twoDigits(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
}

/** As coarse as a guess is: tens of seconds, minutes, then five minutes. */
export function roughly(ms: number): string {
  if (ms <= 90_000) return `about ${Math.max(1, Math.ceil(ms / 10_000)) * 10} s`;
  const minutes = Math.ceil(ms / 60_000);
  if (minutes < 60) return `about ${minutes} min`;
  const fives = Math.ceil(minutes / 5) * 5;
  return `about ${Math.floor(fives / 60)} h ${twoDigits(fives % 60)} min`;
}

/**
 * Milliseconds until the last trial, by the rate at which this process has ended its latest ones; null while too few
 * have ended. Time without an end counts, so that it grows while nothing goes on.
 */
export function timeLeft({ trials, pace, leftUngraded }: ScreenState, now: number): number | null {
  if (trials === null || pace === null || pace.count < enoughTrials) return null;
  const all = pace.count <= latestTrials;
  const from = all ? pace.from : (pace.ended[0] ?? pace.from);
  const trialsSince = all ? pace.count : pace.ended.length - 1;
  return ((now - from) / trialsSince) * Math.max(0, trials.planned - trials.done - leftUngraded);
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
