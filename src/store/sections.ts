import { join } from "node:path";
import {
  type KeptSections,
  keptSectionsSchema,
  type NoSections,
  type PlannedSections,
} from "../artefacts/section-map.ts";
import { writeJson } from "./atomic.ts";
import { readRecord, type Recorded } from "./record.ts";

/** Sections of one skill as they were found beside its plan, or why there are none. */
export type FoundSections =
  | { readonly skill: string; readonly kept: KeptSections; readonly missing: null }
  | { readonly skill: string; readonly kept: null; readonly missing: NoSections };

/** To be called before the plan that names their hash is written. */
export async function keepSections(campaign: string, kept: KeptSections): Promise<void> {
  await writeJson(sectionsFile(campaign, kept.skill), kept);
}

/** As they were frozen; what is not what the plan froze is none. */
export async function findSections(campaign: string, planned: PlannedSections): Promise<FoundSections> {
  const { skill, hash, missing } = planned;
  if (hash === null) return { skill, kept: null, missing: missing ?? "not_built" };
  const found = await readSections(campaign, skill);
  if (found.kind !== "there" || found.hash !== hash) return { skill, kept: null, missing: "changed" };
  return { skill, kept: found.value, missing: null };
}

/** As somebody who trusts nothing reads them. */
export function readSections(campaign: string, skill: string): Promise<Recorded<KeptSections>> {
  return readRecord(sectionsFile(campaign, skill), keptSectionsSchema);
}

function sectionsFile(campaign: string, skill: string): string {
  return join(campaign, "sections", `${skill}.json`);
}
