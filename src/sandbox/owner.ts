import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** The process that made a container or volume, known beyond its life: pids are given out again, start times not. */
export type Owner = { readonly host: string; readonly pid: number; readonly started: string };

export const ownerLabel = "skillproof.owner";

export function thisOwner(): Owner {
  return { host: hostname(), pid: process.pid, started: startOf(process.pid) ?? "unknown" };
}

export function encodeOwner({ host, pid, started }: Owner): string {
  return `${host}/${pid}/${started}`;
}

export function decodeOwner(label: string): Owner | null {
  const [, host, pid, started] = /^(.*)\/(\d+)\/([^/]*)$/.exec(label) ?? [];
  return host === undefined || started === undefined ? null : { host, pid: Number(pid), started };
}

/** Dead only when that is certain: an owner on another host, or one that cannot be looked at, is taken to live. */
export function isDead(owner: Owner): boolean {
  if (owner.host !== hostname()) return false;
  if (!isRunning(owner.pid)) return true;
  const started = startOf(owner.pid);
  return started !== null && owner.started !== "unknown" && started !== owner.started;
}

/** Whether there is a process of that number on this machine, whosever it is. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code !== "ESRCH";
  }
}

/** Clock ticks since boot with the boot's id, where there is a /proc; null elsewhere. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${fields[19] ?? "0"}@${boot}`;
  } catch {
    return null; // no /proc on this system, or no such process
  }
}
