import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { fail, ok, type Row, warn } from "./row.ts";

const gib = 1024 ** 3;
/** Below the first a command is likely to stop in its middle, below the second a long campaign may. */
export const diskNeeds = {
  /** A trial keeps its workspace, transcript and exchanges: a few megabytes at most, times thousands. */
  out: { least: 0.2 * gib, enough: 2 * gib },
  /** The image with what it is made from, and workspaces that live in volumes. */
  engine: { least: 1 * gib, enough: 5 * gib },
};

/** `needed` as package.json has it (`>=20.19`). */
export function nodeRow(version: string, needed: string): Row {
  const numbers = (text: string): [number, number] => {
    const [, major = "0", minor = "0"] = /(\d+)(?:\.(\d+))?/.exec(text) ?? [];
    return [Number(major), Number(minor)];
  };
  const [major, minor] = numbers(version);
  const [least, leastMinor] = numbers(needed);
  const isEnough = major > least || (major === least && minor >= leastMinor);
  const words = `${version} (needs ${needed})`;
  return isEnough ? ok("node", words) : fail("node", words, `nvm install ${least}`);
}

/** `free` in bytes; null: nobody tells. */
export function diskRow(
  check: string,
  free: number | null,
  { least, enough }: { readonly least: number; readonly enough: number },
  mend: string,
): Row {
  if (free === null) return warn(check, "free space unavailable: it is not on this machine", mend);
  const words = `${(free / gib).toFixed(1)} GiB free`;
  if (free >= enough) return ok(check, words);
  const wanted = `${words}, at least ${(enough / gib).toFixed(1)} GiB are wanted`;
  return free < least ? fail(check, wanted, mend) : warn(check, wanted, mend);
}

/** Bytes that are free for us where `path` is, or where it would be made. */
export async function freeBytes(path: string): Promise<number> {
  for (let at = path; ; at = dirname(at)) {
    try {
      const { bavail, bsize } = await statfs(at);
      return bavail * bsize;
    } catch (error) {
      const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
      if (!isMissing || at === dirname(at)) throw error;
    }
  }
}

const clockSlackMs = 60_000;
/** From here on a clean-up may take living containers for ones past their deadline. */
const clockLimitMs = 3_600_000;
const setClock = "sudo timedatectl set-ntp true";

/** `newestMs`: when the newest file was written that cannot be from the future. */
export function clockRow(nowMs: number, newestMs: number): Row {
  const aheadMs = newestMs - nowMs;
  const words = new Date(nowMs).toISOString();
  if (aheadMs <= clockSlackMs) return ok("clock", words);
  return fail("clock", `${words}, and files here are ${spanWords(aheadMs)} newer: it goes wrong`, setClock);
}

export function engineClockRow(check: string, nowMs: number, engineMs: number | null): Row {
  if (engineMs === null) return warn(check, "the engine does not tell its time");
  const apartMs = Math.abs(nowMs - engineMs);
  if (apartMs <= clockSlackMs) return ok(check, `agrees with this machine (${spanWords(apartMs)} apart)`);
  const words = `${spanWords(apartMs)} apart from this machine's`;
  return apartMs < clockLimitMs ? warn(check, words, setClock) : fail(check, words, setClock);
}

function spanWords(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(0)} s`;
  return ms < 3_600_000 ? `${(ms / 60_000).toFixed(0)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}
