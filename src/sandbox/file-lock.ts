import { open, readFile, rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { InfrastructureError } from "../errors.ts";
import { decodeOwner, encodeOwner, isDead, thisOwner } from "./owner.ts";

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
      await rm(path, { force: true });
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

async function create(path: string): Promise<boolean> {
  try {
    const file = await open(path, "wx");
    try {
      await file.writeFile(encodeOwner(thisOwner()));
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

async function isStale(path: string): Promise<boolean> {
  try {
    const owner = decodeOwner(await readFile(path, "utf8"));
    return owner !== null && isDead(owner);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}
