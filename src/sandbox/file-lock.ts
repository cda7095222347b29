import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { InfrastructureError, UserError } from "../errors.ts";
import { decodeOwner, encodeOwner, isDead, type Owner, thisOwner } from "./owner.ts";

const lookEveryMs = 500;

/**
 * Acts while holding a lock that other processes of this machine respect. A lock whose holder is dead is taken over.
 * Throws `InfrastructureError` when a living holder keeps it longer than `limitMs`.
 */
export async function holdingFile<T>(
  path: string,
  options: { readonly limitMs: number; readonly onWait: () => void; readonly signal?: AbortSignal },
  act: () => Promise<T>,
): Promise<T> {
  await take(path, options);
  try {
    return await act();
  } finally {
    await rm(path, { force: true });
  }
}

async function take(
  path: string,
  options: { readonly limitMs: number; readonly onWait: () => void; readonly signal?: AbortSignal },
): Promise<void> {
  const give = Date.now() + options.limitMs;
  for (let waited = false; !(await create(path)); waited = true) {
    if (await isStale(path)) {
      await removeStale(path);
      continue;
    }
    if (!waited) options.onWait();
    if (Date.now() > give) {
      throw new InfrastructureError(
        `${path} is held by another process since ${options.limitMs / 60_000} minutes`,
      );
    }
    // There is no event for the end of somebody else's file lock.
    await delay(lookEveryMs, undefined, options.signal === undefined ? {} : { signal: options.signal });
  }
}

/**
 * Acts as the only process that works on what `path` stands for, or not at all: throws `UserError` when a living one
 * does, with `what` as its subject.
 */
export async function holdingAlone<T>(path: string, what: string, act: () => Promise<T>): Promise<T> {
  while (!(await create(path))) {
    const holder = await holderOf(path);
    if (holder === null) continue; // it was given back just now
    if (!isDead(holder)) {
      throw new UserError(
        `${what}: process ${holder.pid} on ${holder.host} is at work on it. Wait for it or stop it; if you know that ` +
          `there is no such process, delete ${path}.`,
      );
    }
    await removeStale(path);
  }
  try {
    return await act();
  } finally {
    await rm(path, { force: true });
  }
}

/** Whether a living process (or one of another host, of which nothing is known) holds the lock. */
export async function isHeld(path: string): Promise<boolean> {
  const holder = await holderOf(path);
  return holder !== null && !isDead(holder);
}

/** The lock appears with its holder's name in it or not at all: one without a name could never be called stale. */
async function create(path: string): Promise<boolean> {
  const draft = `${path}.${process.pid}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, encodeOwner(thisOwner()));
    await link(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    // Who works there at the moment clears temporary files away, and ours was one.
    const isGone = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (isGone && "syscall" in error && error.syscall === "link") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Takes the lock aside and looks again: meanwhile somebody else may have removed the stale one and made his own. */
async function removeStale(path: string): Promise<void> {
  const aside = `${path}.${process.pid}.${randomUUID()}.tmp`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    throw error;
  }
  try {
    if (!(await isStale(aside))) await link(aside, path);
  } finally {
    await rm(aside, { force: true });
  }
}

async function isStale(path: string): Promise<boolean> {
  const holder = await holderOf(path);
  return holder !== null && isDead(holder);
}

/** Null when there is no such lock. */
async function holderOf(path: string): Promise<Owner | null> {
  try {
    // What names nobody may be anybody's, so it counts as held by a stranger.
    return (
      decodeOwner(await readFile(path, "utf8")) ?? { host: "an unknown host", pid: 0, started: "unknown" }
    );
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
