import { join } from "node:path";
import { type ArmRecord, armRecordFormat } from "./artefacts/arm-record.ts";
import type { ArmSpec, ResolvedArm } from "./artefacts/arm.ts";
import { chunksSchema } from "./artefacts/chunks.ts";
import { clustersSchema } from "./artefacts/clusters.ts";
import type { PlannedArm } from "./artefacts/plan.ts";
import { type FileTree, hashTree } from "./artefacts/tree.ts";
import { outlineSkill } from "./chunk/outline.ts";
import { findSkillMarkdown, skillFiles } from "./chunk/skill-files.ts";
import { UserError } from "./errors.ts";
import type { Treatment } from "./evaluate/open-trial.ts";
import { type Deliverable, deliverableOf } from "./evaluate/treatments/deliverable.ts";
import { type Delivered, deliver, type Delivery, injectedTokens } from "./evaluate/treatments/deliver.ts";
import { expandArms } from "./evaluate/treatments/expand-arms.ts";
import { type ArmMaterial, type DeliveredFolder, skillsOfArm } from "./evaluate/treatments/skills-of-arm.ts";
import { canonicalJson, hashJson, sha256 } from "./hash.ts";
import { readArtefactIfThere } from "./store/artefact.ts";
import { readSkill } from "./store/benchmarks.ts";
import { readGitTree } from "./store/git-tree.ts";
import { tokenizer } from "./tokens.ts";

/** A skill under test and where its parts are. */
export type SkillPlace = {
  readonly skill: DeliveredFolder;
  readonly folder: string;
  /** Where its chunks and clusters are, if it was built. */
  readonly benchmarks: string;
};

/** The arms of one skill. */
export type SkillArms = {
  readonly planned: readonly PlannedArm[];
  /** By arm. */
  readonly treatments: ReadonlyMap<string, Treatment>;
  readonly records: readonly ArmRecord[];
  readonly warnings: readonly string[];
};

/** What is wrong with arms, told all at once in the end. */
export class ArmProblems {
  private readonly words: string[] = [];

  /** Undefined, and the problem noted, where `make` throws a `UserError`. */
  async catch<T>(arm: string, make: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await make();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.words.push(`${arm}: ${error.message}`);
      return undefined;
    }
  }

  throwIfAny(): void {
    if (this.words.length === 0) return;
    const lines = this.words.map((words) => `  ${words}`).join("\n");
    throw new UserError(`evaluation.arms: ${this.words.length} problem(s)\n${lines}`);
  }
}

/** A skill's folder as an arm delivers it. Throws `UserError` when it is none. */
export async function readDelivery(folder: string): Promise<DeliveredFolder> {
  const { id, tree } = await readSkill(folder);
  const files = deliveredFiles(tree);
  if (findSkillMarkdown(files) === undefined)
    throw new UserError(`${folder}: no SKILL.md in it. Name a skill's folder.`);
  return { id, files };
}

/** Nested skills are other skills, and `evals/` would hand the agent a skill's own test prompts. */
function deliveredFiles(tree: FileTree): FileTree {
  return skillFiles(tree).filter(({ path }) => !path.startsWith("evals/"));
}

/** The skills of packs, by folder; a folder that is none is noted. */
export async function readPacks(
  specs: readonly ArmSpec[],
  problems: ArmProblems,
): Promise<ArmMaterial["packs"]> {
  const packs = new Map<string, DeliveredFolder>();
  for (const { id, treatment } of specs) {
    for (const folder of treatment.kind === "pack" ? treatment.folders : []) {
      if (packs.has(folder)) continue;
      const read = await problems.catch(id, () => readDelivery(folder));
      if (read !== undefined) packs.set(folder, read);
    }
  }
  return packs;
}

/** The skill under test as the arm with it delivers it. */
export function subjectOf(skill: DeliveredFolder): Deliverable {
  return deliverableOf(skill.id, skill.files, outlineOf(skill));
}

/** Every arm of one skill with what it delivers; what cannot be made is noted and left out. */
export async function armsOfSkill(
  place: SkillPlace,
  { arms, delivery }: { readonly arms: readonly ArmSpec[]; readonly delivery: Delivery },
  packs: ArmMaterial["packs"],
  problems: ArmProblems,
): Promise<SkillArms> {
  const { skill } = place;
  const versions = await readVersions(arms, place.folder, problems);
  const clustered = await readClustered(arms, place.benchmarks);
  const material: ArmMaterial = { skill, packs, versions, clustered, outline: outlineOf };
  const made: MadeArm[] = [];
  for (const arm of await resolve(arms, material, problems)) {
    // Noted already where it could not be read.
    if (!isRead(arm, material)) continue;
    const one = await problems.catch(arm.id, () => makeArm(arm, material, delivery));
    if (one !== undefined) made.push(one);
  }
  return {
    planned: made.map(({ planned }) => planned),
    treatments: new Map(made.map(({ planned, treatment }) => [planned.id, treatment])),
    records: made.map(({ record }) => record),
    warnings: likeOthers(made, subjectOf(skill), delivery),
  };
}

function outlineOf({ id, files }: DeliveredFolder): ReturnType<typeof outlineSkill> {
  return outlineSkill({ id, tree: files });
}

async function readVersions(
  specs: readonly ArmSpec[],
  folder: string,
  problems: ArmProblems,
): Promise<ArmMaterial["versions"]> {
  const versions = new Map<string, { readonly commit: string; readonly files: FileTree }>();
  for (const { id, treatment } of specs) {
    if (treatment.kind !== "version" || versions.has(treatment.ref)) continue;
    const read = await problems.catch(id, () => readGitTree(folder, treatment.ref));
    if (read !== undefined)
      versions.set(treatment.ref, { commit: read.commit, files: deliveredFiles(read.tree) });
  }
  return versions;
}

/** Read only where an arm asks for it: chunks of another format are no reason to refuse the others. */
async function readClustered(specs: readonly ArmSpec[], folder: string): Promise<ArmMaterial["clustered"]> {
  if (!specs.some(({ treatment: { kind } }) => kind === "ablation" || kind === "ablations")) return null;
  const remedy = "Run: skillproof build --until cluster";
  const chunks = await readArtefactIfThere(join(folder, "chunks.json"), chunksSchema, remedy);
  const clusters = await readArtefactIfThere(join(folder, "clusters.json"), clustersSchema, remedy);
  return chunks === null || clusters === null ? null : { chunks, clusters };
}

async function resolve(
  specs: readonly ArmSpec[],
  material: ArmMaterial,
  problems: ArmProblems,
): Promise<readonly ResolvedArm[]> {
  const skill = subjectOf(material.skill);
  const parts = { outline: outlineOf(material.skill), clustered: material.clustered };
  const sound: ArmSpec[] = [];
  for (const spec of specs) {
    const alone = await problems.catch(spec.id, () => expandArms([spec], skill, parts));
    if (alone !== undefined) sound.push(spec);
  }
  const resolved = expandArms(sound, skill, parts);
  if (specs.length > 1 && sound.length === specs.length && resolved.length < 2) {
    await problems.catch(skill.name, () => {
      const only = resolved.map(({ id }) => id).join(", ");
      throw new UserError(
        `all its arms come to one, ${only}. A campaign compares at least two: add without_skill.`,
      );
    });
  }
  return resolved;
}

function isRead({ treatment }: ResolvedArm, { packs, versions }: ArmMaterial): boolean {
  switch (treatment.kind) {
    case "pack":
      return treatment.folders.every((folder) => packs.has(folder));
    case "version":
      return versions.has(treatment.ref);
    case "without_skill":
    case "with_skill":
    case "placebo":
    case "ablation":
      return true;
  }
}

type MadeArm = {
  readonly planned: PlannedArm;
  readonly treatment: Treatment;
  readonly record: ArmRecord;
};

function makeArm(arm: ResolvedArm, material: ArmMaterial, delivery: Delivery): MadeArm {
  const { skills, evidence } = skillsOfArm(arm.treatment, material);
  const treatment = skills.length === 0 ? null : deliver(skills, delivery);
  const delivered = treatment === null ? null : hashDelivered(treatment);
  const planned: PlannedArm = { id: arm.id, treatment: placeless(arm, material), delivered };
  const placed = treatment?.skills ?? [];
  return {
    planned,
    treatment,
    record: {
      format: armRecordFormat,
      skill: material.skill.id,
      arm: arm.id,
      treatment: planned.treatment,
      delivery,
      delivered,
      prompt: treatment?.prompt ?? null,
      tokenizer,
      tokens: treatment === null ? 0 : injectedTokens(skills, delivery),
      skills: placed.map(({ skill, root }) => ({ name: skill.name, root, treeHash: hashTree(skill.files) })),
      evidence,
    },
  };
}

function hashDelivered({ prompt, files }: Delivered): string {
  return hashJson({ prompt: sha256(prompt), files: hashTree(files) });
}

/** Where the folders of a pack are on this machine is no part of a plan. */
function placeless({ treatment }: ResolvedArm, { packs }: ArmMaterial): PlannedArm["treatment"] {
  if (treatment.kind !== "pack") return treatment;
  return { ...treatment, folders: treatment.folders.flatMap((folder) => packs.get(folder)?.id ?? []) };
}

/** Arms of other names that deliver the same are repetitions without saying so. */
function likeOthers(made: readonly MadeArm[], subject: Deliverable, delivery: Delivery): readonly string[] {
  const today = hashDelivered(deliver([subject], delivery));
  return made.flatMap(({ planned: { id, treatment, delivered } }, index) => {
    if (delivered === null) return [];
    const twin = made
      .slice(0, index)
      .find(
        ({ planned }) =>
          planned.delivered === delivered && canonicalJson(planned.treatment) !== canonicalJson(treatment),
      );
    const isToday = treatment.kind === "version" && delivered === today;
    if (!isToday && twin === undefined) return [];
    const like = isToday ? "the skill as it is today" : (twin?.planned.id ?? "");
    return [
      `${subject.name}: the arm ${id} delivers the very same as ${like}. Compared with it, it shows noise alone (A/A).`,
    ];
  });
}
