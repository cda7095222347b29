import { join } from "node:path";
import type { CampaignInputs } from "./artefacts/plan.ts";
import { hashTree } from "./artefacts/tree.ts";
import { parseDraft } from "./author/draft.ts";
import { skillFiles } from "./chunk/skill-files.ts";
import { messageOf } from "./errors.ts";
import { sha256 } from "./hash.ts";
import { readDelivered, readSkill } from "./store/benchmarks.ts";
import { namesIn } from "./store/record.ts";
import type { CampaignFound, MaterialFound } from "./verify/found.ts";

/** Folders of one skill and of its benchmarks, which need not be there. */
export type MaterialPlaces = { readonly folder: string; readonly benchmarks: string };

/** Skills and benchmarks of a plan as they are in their folders now. */
export async function findMaterial(
  inputs: CampaignInputs,
  placesOf: (skill: string) => MaterialPlaces,
): Promise<Pick<CampaignFound, "skills" | "benchmarks">> {
  const skills = [];
  const benchmarks = [];
  for (const { id, benchmarks: planned } of inputs.skills) {
    const place = placesOf(id);
    skills.push({ id, found: await orAbsent(place.folder, findSkill) });
    for (const { id: benchmark } of planned) {
      const folder = join(place.benchmarks, benchmark);
      benchmarks.push({ skill: id, benchmark, found: await orAbsent(folder, findBenchmark) });
    }
  }
  return { skills, benchmarks };
}

async function orAbsent(
  place: string,
  find: (place: string) => Promise<MaterialFound>,
): Promise<MaterialFound> {
  if ((await namesIn(place)).length === 0) return { kind: "absent" };
  try {
    return await find(place);
  } catch (error) {
    return { kind: "unreadable", place, words: messageOf(error) };
  }
}

/** As `with_skill` delivers it: without the skills nested in it and without its own tests. */
async function findSkill(place: string): Promise<MaterialFound> {
  const { tree } = await readSkill(place);
  const delivered = skillFiles(tree).filter(({ path }) => !path.startsWith("evals/"));
  return { kind: "there", place, hash: hashTree(delivered), task: null };
}

async function findBenchmark(place: string): Promise<MaterialFound> {
  const read = await readDelivered(place, parseDraft);
  if (read.kind === "faults") return { kind: "unreadable", place, words: read.faults.join("; ") };
  const { hash, task } = read.bundle;
  return { kind: "there", place, hash, task: sha256(task) };
}
