import type Docker from "dockerode";
import { bounded } from "./bounded.ts";
import { decodeOwner, isDead, ownerLabel } from "./owner.ts";
import { removeContainer, statusOf } from "./removal.ts";

const listMs = 30_000;

export type Swept = { readonly containers: readonly string[]; readonly volumes: readonly string[] };

/**
 * Removes the containers and volumes that a skillproof process left which is certainly dead: same host, and its pid is
 * free or was given to another. What a living one owns, or one on another host, stays. Answers with names.
 */
export async function sweepDeadOwners(docker: Docker, signal?: AbortSignal): Promise<Swept> {
  const filters = { label: [ownerLabel] };
  const containers = await bounded("listing containers", listMs, signal, (abortSignal) =>
    docker.listContainers({ all: true, filters, abortSignal }),
  );
  const gone = containers.filter(({ Labels }) => isLeftover(Labels));
  await Promise.all(gone.map(({ Id }) => removeContainer(docker, Id)));
  const { Volumes: volumes } = await bounded("listing volumes", listMs, signal, (abortSignal) =>
    docker.listVolumes({ filters, abortSignal }),
  );
  const names: string[] = [];
  for (const { Name, Labels } of volumes) {
    if (isLeftover(Labels) && (await removeVolume(docker, Name))) names.push(Name);
  }
  return { containers: gone.map(({ Names, Id }) => Names[0]?.slice(1) ?? Id), volumes: names };
}

function isLeftover(labels: Readonly<Record<string, string>> | null): boolean {
  const owner = decodeOwner(labels?.[ownerLabel] ?? "");
  return owner !== null && isDead(owner);
}

/** False for a volume that a container of somebody else still uses. */
async function removeVolume(docker: Docker, name: string): Promise<boolean> {
  try {
    await bounded(`removing volume ${name}`, listMs, undefined, (abortSignal) =>
      docker.getVolume(name).remove({ abortSignal }),
    );
    return true;
  } catch (error) {
    if (statusOf(error) === 404 || statusOf(error) === 409) return false;
    throw error;
  }
}
