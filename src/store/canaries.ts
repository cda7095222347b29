import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Canary, canarySchema } from "../artefacts/canary.ts";
import { readArtefact } from "./artefact.ts";

/** A canary under its name: skill, arm and number, its path below canaries/ without `.json`. */
export type NamedCanary = { readonly name: string; readonly canary: Canary };

/** All of a campaign's folder, by skill and arm, each in the order in which it was found. */
export async function findCanaries(campaign: string): Promise<readonly NamedCanary[]> {
  const root = join(campaign, "canaries");
  const canaries: NamedCanary[] = [];
  for (const skill of await entriesOf(root)) {
    for (const arm of await entriesOf(join(root, skill))) {
      for (const number of await numbersIn(join(root, skill, arm))) {
        const name = join(skill, arm, String(number));
        const remedy = "Delete the folder canaries and repeat.";
        canaries.push({ name, canary: await readArtefact(canaryFile(campaign, name), canarySchema, remedy) });
      }
    }
  }
  return canaries;
}

/** A name beside the earlier ones of its arm. */
export async function nextCanary(
  campaign: string,
  { skill, arm }: Pick<Canary, "skill" | "arm">,
): Promise<string> {
  const shelf = join(skill, arm);
  return join(shelf, String((await numbersIn(join(campaign, "canaries", shelf))).length + 1));
}

export function canaryFile(campaign: string, name: string): string {
  return join(campaign, "canaries", `${name}.json`);
}

/** Of `1.json`, `2.json` and so on, and not of what a kill left beside them. */
async function numbersIn(folder: string): Promise<readonly number[]> {
  const numbers = (await entriesOf(folder)).flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? []);
  return numbers.map(Number).sort((a, b) => a - b);
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
