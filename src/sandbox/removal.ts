import type Docker from "dockerode";
import { bounded } from "./bounded.ts";

const removeMs = 60_000;

/** HTTP status of an answer of the engine, or null when there was none. */
export function statusOf(error: unknown): number | null {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : null;
  return typeof status === "number" ? status : null;
}

/** Kills and removes a container and its anonymous volumes, by id or name. One that is gone or going is fine. */
export async function removeContainer(docker: Docker, id: string): Promise<void> {
  try {
    await bounded(`removing container ${id}`, removeMs, undefined, (abortSignal) =>
      docker.getContainer(id).remove({ force: true, v: true, abortSignal }),
    );
  } catch (error) {
    // 404: gone. 409: its removal is under way.
    if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error;
  }
}
