import type { Ablation } from "../../artefacts/ablation.ts";
import type { ArmTreatment } from "../../artefacts/arm.ts";
import type { Chunks } from "../../artefacts/chunks.ts";
import type { Clusters } from "../../artefacts/clusters.ts";
import type { SkillOutline } from "../../artefacts/outline.ts";
import type { PlaceboRecord } from "../../artefacts/placebo.ts";
import type { FileTree } from "../../artefacts/tree.ts";
import { UserError } from "../../errors.ts";
import { ablated } from "./ablation.ts";
import { checkPlacebo } from "./check-placebo.ts";
import { type Deliverable, deliverableOf } from "./deliverable.ts";
import { placeboFor } from "./placebo.ts";

/** A folder's name and what is delivered of it. */
export type DeliveredFolder = { readonly id: string; readonly files: FileTree };

/** All that the arms of one skill are made from, read from disk beforehand. */
export type ArmMaterial = {
  readonly skill: DeliveredFolder;
  /** By folder, as the arms name it. */
  readonly packs: ReadonlyMap<string, DeliveredFolder>;
  /** By ref: the same folder at a commit. */
  readonly versions: ReadonlyMap<string, { readonly commit: string; readonly files: FileTree }>;
  /** Null for a skill that was never built. */
  readonly clustered: { readonly chunks: Chunks; readonly clusters: Clusters } | null;
  /** The chunking stage's reading. Throws `UserError` without a SKILL.md. */
  readonly outline: (folder: DeliveredFolder) => SkillOutline;
};

/** What there is to keep about how an arm's skill came about. */
export type ArmEvidence =
  | { readonly kind: "placebo"; readonly record: PlaceboRecord }
  | { readonly kind: "version"; readonly ref: string; readonly commit: string }
  | { readonly kind: "ablation"; readonly ablation: Ablation };

export type ArmSkills = {
  /** In the order of delivery; none for the arm without. */
  readonly skills: readonly Deliverable[];
  readonly evidence: ArmEvidence | null;
};

/** The skills that an arm delivers. Throws `UserError` for an arm that cannot be made of this skill. */
export function skillsOfArm(treatment: ArmTreatment, material: ArmMaterial): ArmSkills {
  switch (treatment.kind) {
    case "without_skill":
      return { skills: [], evidence: null };
    case "with_skill":
      return { skills: [deliverable(material.skill, material)], evidence: null };
    case "placebo":
      return withPlacebo(material);
    case "pack": {
      const folders = treatment.folders.map((folder) => found(material.packs.get(folder), folder));
      return { skills: folders.map((folder) => deliverable(folder, material)), evidence: null };
    }
    case "version": {
      const { ref } = treatment;
      const { commit, files } = found(material.versions.get(ref), ref);
      const skill = deliverable({ id: material.skill.id, files }, material);
      return { skills: [skill], evidence: { kind: "version", ref, commit } };
    }
    case "ablation": {
      const whole = deliverable(material.skill, material);
      const parts = { outline: material.outline(material.skill), clustered: material.clustered };
      const { skill, ablation } = ablated(whole, treatment.of, parts);
      return { skills: [skill], evidence: { kind: "ablation", ablation } };
    }
  }
}

function deliverable(folder: DeliveredFolder, { outline }: ArmMaterial): Deliverable {
  return deliverableOf(folder.id, folder.files, outline(folder));
}

function found<T>(read: T | undefined, name: string): T {
  if (read === undefined) throw new Error(`${name} was not read for the arm that names it`);
  return read;
}

function withPlacebo(material: ArmMaterial): ArmSkills {
  const outline = material.outline(material.skill);
  const skill = deliverable(material.skill, material);
  const placebo = placeboFor(skill, outline);
  const outlined = { skill: placebo, outline: material.outline({ id: placebo.name, files: placebo.files }) };
  const record = checkPlacebo({ skill, outline }, outlined);
  if (!record.passed) {
    throw new UserError(
      `${skill.name}: no placebo could be made that is like it in form and unlike it in contents ` +
        `(${faultsOf(record).join("; ")}). Leave the arm placebo out.`,
    );
  }
  return { skills: [placebo], evidence: { kind: "placebo", record } };
}

function faultsOf({
  tokens,
  allowedDifference,
  headings,
  listing,
  shared,
}: PlaceboRecord): readonly string[] {
  const far = tokens.filter(({ difference }) => Math.abs(difference) > allowedDifference);
  return [
    ...far.map(({ delivery, skill, placebo }) => `${delivery}: ${placebo} tokens for ${skill}`),
    ...(headings.skill === headings.placebo ? [] : [`${headings.placebo} headings for ${headings.skill}`]),
    ...(listing.differs.length === 0 ? [] : [`files that differ: ${listing.differs.join(", ")}`]),
    ...(shared.length === 0 ? [] : [`shared words: ${shared.join(", ")}`]),
  ];
}
