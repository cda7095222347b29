import type Docker from "dockerode";
import { bounded } from "./bounded.ts";
import { statusOf } from "./removal.ts";

const removeMs = 120_000;

/** Removes a volume that no container uses any more. One that is gone, or was never made, is fine. */
export async function removeVolume(docker: Docker, name: string): Promise<void> {
  try {
    await bounded(`removing volume ${name}`, removeMs, undefined, (abortSignal) =>
      docker.getVolume(name).remove({ abortSignal }),
    );
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
  }
}
