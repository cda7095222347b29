import type Docker from "dockerode";
import { bounded } from "./bounded.ts";

const removeMs = 60_000;

/** HTTP status of an answer of the engine, or null when there was none. */
export function statusOf(error: unknown): number | null {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : null;
  return typeof status === "number" ? status : null;
}

/** Kills and removes a container and its anonymous volumes, by id or name. Resolves when it is gone, whoever did it. */
export async function removeContainer(docker: Docker, id: string): Promise<void> {
  const container = docker.getContainer(id);
  await goneIf404(() =>
    bounded(`removing container ${id}`, removeMs, undefined, async (abortSignal) => {
      try {
        await container.remove({ force: true, v: true, abortSignal });
      } catch (error) {
        if (statusOf(error) !== 409) throw error;
        // Its removal is under way, and until it is over its volumes are in use.
        await container.wait({ condition: "removed", abortSignal });
      }
    }),
  );
}

async function goneIf404(remove: () => Promise<void>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
  }
}
