import type Docker from "dockerode";
import { z } from "zod";
import { bounded } from "./bounded.ts";
import { deadlineLabel } from "./container-spec.ts";
import { decodeOwner, isDead, ownerLabel } from "./owner.ts";
import { removeContainer, statusOf } from "./removal.ts";
import { removeVolume } from "./volumes.ts";

const listMs = 30_000;
/** Adds up every layer and volume of the engine, which on a full one takes its time. */
const sizesMs = 120_000;
/** Clocks of engine and harness may differ this much; the server inside ends itself at the deadline by its own. */
const clockSlackMs = 3600_000;

/** A container or volume whose owner is dead, or that has outlived its deadline whoever made it. */
export type Leftover = {
  readonly kind: "container" | "volume";
  readonly id: string;
  readonly name: string;
  /** What its removal frees; null where it is not known. */
  readonly bytes: number | null;
};

export type Swept = { readonly containers: readonly string[]; readonly volumes: readonly string[] };

/**
 * Removes the containers and volumes that a skillproof process left which is certainly dead: same host, and its pid is
 * free or was given to another. What a living one owns, or one on another host, stays. Answers with names.
 */
export async function sweepDeadOwners(docker: Docker, signal?: AbortSignal): Promise<Swept> {
  const removed = await removeLeftovers(docker, await findLeftovers(docker, signal));
  const namesOf = (kind: Leftover["kind"]): string[] =>
    removed.filter((leftover) => leftover.kind === kind).map(({ name }) => name);
  return { containers: namesOf("container"), volumes: namesOf("volume") };
}

/** What a sweep would remove, containers first. */
export async function findLeftovers(docker: Docker, signal?: AbortSignal): Promise<Leftover[]> {
  const filters = { label: [ownerLabel] };
  const [containers, { Volumes: volumes }] = await Promise.all([
    bounded("listing containers", listMs, signal, (abortSignal) =>
      docker.listContainers({ all: true, filters, abortSignal }),
    ),
    bounded("listing volumes", listMs, signal, (abortSignal) => docker.listVolumes({ filters, abortSignal })),
  ]);
  return [
    ...containers
      .filter(({ Labels }) => isLeftover(Labels))
      .map(({ Id, Names }) => ({
        kind: "container" as const,
        id: Id,
        name: Names[0]?.slice(1) ?? Id,
        bytes: null,
      })),
    ...volumes
      .filter(({ Labels }) => isLeftover(Labels))
      .map(({ Name }) => ({ kind: "volume" as const, id: Name, name: Name, bytes: null })),
  ];
}

/** Removes them and answers with those that are gone by it: a volume that a living container uses stays. */
export async function removeLeftovers(docker: Docker, leftovers: readonly Leftover[]): Promise<Leftover[]> {
  const containers = leftovers.filter(({ kind }) => kind === "container");
  await Promise.all(containers.map(({ id }) => removeContainer(docker, id)));
  const removed = [...containers];
  for (const leftover of leftovers) {
    if (leftover.kind === "volume" && (await removeUnused(docker, leftover.id))) removed.push(leftover);
  }
  return removed;
}

/** Removes every container, then every volume, with `part` in its name, whoever made it and in whatever state it is. */
export async function removeNamed(docker: Docker, part: string): Promise<void> {
  const filters = { name: [part] };
  const containers = await bounded("listing containers", listMs, undefined, (abortSignal) =>
    docker.listContainers({ all: true, filters, abortSignal }),
  );
  for (const { Id } of containers) await removeContainer(docker, Id);
  const { Volumes: volumes } = await bounded("listing volumes", listMs, undefined, (abortSignal) =>
    docker.listVolumes({ filters, abortSignal }),
  );
  for (const { Name } of volumes) await removeVolume(docker, Name);
}

/** False for a volume that a container of somebody else still uses. */
async function removeUnused(docker: Docker, name: string): Promise<boolean> {
  try {
    await removeVolume(docker, name);
    return true;
  } catch (error) {
    if (statusOf(error) === 409) return false;
    throw error;
  }
}

/** The same with sizes: of a container's writable layer and of a volume, as far as the engine tells them. */
export async function withSizes(
  docker: Docker,
  leftovers: readonly Leftover[],
  signal?: AbortSignal,
): Promise<Leftover[]> {
  if (leftovers.length === 0) return [];
  const answer: unknown = await bounded("adding up sizes", sizesMs, signal, () => docker.df());
  const { Containers, Volumes } = usageSchema.parse(answer);
  const sizes = new Map<string, number | null>([
    ...(Containers ?? []).map(({ Id, SizeRw }) => [Id, SizeRw ?? 0] as const),
    ...(Volumes ?? []).map(({ Name, UsageData }) => [Name, UsageData?.Size ?? null] as const),
  ]);
  return leftovers.map((leftover) => {
    const bytes = sizes.get(leftover.id) ?? null;
    // The engine says -1 for what it has not measured.
    return { ...leftover, bytes: bytes === null || bytes < 0 ? null : bytes };
  });
}

const usageSchema = z.object({
  Containers: z.array(z.object({ Id: z.string(), SizeRw: z.number().optional() })).nullish(),
  Volumes: z
    .array(z.object({ Name: z.string(), UsageData: z.object({ Size: z.number() }).nullish() }))
    .nullish(),
});

function isLeftover(labels: Readonly<Record<string, string>> | null): boolean {
  const owner = decodeOwner(labels?.[ownerLabel] ?? "");
  if (owner === null) return false;
  const deadline = Date.parse(labels?.[deadlineLabel] ?? "");
  return isDead(owner) || deadline + clockSlackMs < Date.now();
}
