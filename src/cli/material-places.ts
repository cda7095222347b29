import { basename, dirname, join, resolve } from "node:path";
import { UserError } from "../errors.ts";
import { readIfThere } from "../store/artefact.ts";
import { bundlesOnDisk } from "../trial-pages.ts";
import type { FindBundle } from "../trial-view.ts";
import type { MaterialPlaces } from "../verify-material.ts";
import { defaultConfigFile, type Io, loadCampaignFile } from "./io.ts";

type PlacesOf = (skill: string) => MaterialPlaces;

/** As the YAML says; what it does not name, in the folders `skills` and `benchmarks` of the working directory. */
export async function placesFrom(file: string | undefined, io: Io): Promise<PlacesOf> {
  const named = new Map<string, MaterialPlaces>();
  const isThere = (await readIfThere(resolve(io.cwd, file ?? defaultConfigFile))) !== undefined;
  if (file !== undefined || isThere) {
    const { config } = await loadCampaignFile(io, file, {});
    for (const { folder, benchmarks } of config.skills) {
      const id = basename(folder);
      named.set(id, { folder, benchmarks: benchmarks ?? join(config.benchmarks, id) });
    }
  }
  return (skill) =>
    named.get(skill) ?? {
      folder: resolve(io.cwd, "skills", skill),
      benchmarks: resolve(io.cwd, "benchmarks", skill),
    };
}

/**
 * Where the benchmarks of a campaign's folder may be: as the YAML of the working directory says, or beside the campaign,
 * as the demo has them. A finder takes what fits the plan's hash, so a wrong place does no harm; nor does a broken YAML.
 */
export async function bundlesFor(campaign: string, io: Io): Promise<FindBundle> {
  const placesOf = await placesOrNone(io);
  return bundlesOnDisk((skill) => [
    ...(placesOf === null ? [] : [placesOf(skill).benchmarks]),
    resolve(io.cwd, "benchmarks", skill),
    join(dirname(campaign), "benchmarks", skill),
  ]);
}

async function placesOrNone(io: Io): Promise<PlacesOf | null> {
  try {
    return await placesFrom(undefined, io);
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}
