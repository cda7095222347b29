import type { SkillOutline } from "../../artefacts/outline.ts";
import { type PlaceboRecord, placeboFormat } from "../../artefacts/placebo.ts";
import { type FileTree, hashTree, isExecutable, type TreeEntry } from "../../artefacts/tree.ts";
import { tokenizer } from "../../tokens.ts";
import { type Deliverable, skillBytes } from "./deliverable.ts";
import { injectedTokens } from "./deliver.ts";
import { allowedDifference, matchedDeliveries } from "./placebo.ts";
import { sequencesIn, sequenceWords } from "./sequences.ts";

const mostTold = 20;

/** A skill and how its SKILL.md is built. */
export type Outlined = { readonly skill: Deliverable; readonly outline: SkillOutline };

/** Measures a placebo against its skill anew: the record says all of what was found, and whether it may be used. */
export function checkPlacebo(of: Outlined, placebo: Outlined): PlaceboRecord {
  const tokens = matchedDeliveries.map((delivery) => {
    const [ours, theirs] = [of, placebo].map(({ skill }) => injectedTokens([skill], delivery));
    const counts = { skill: ours ?? 0, placebo: theirs ?? 0 };
    return { delivery, ...counts, difference: (counts.placebo - counts.skill) / counts.skill };
  });
  const headings = { skill: of.outline.headings.length, placebo: placebo.outline.headings.length };
  const differs = differences(of.skill, placebo.skill);
  const known = sequencesIn(of.skill.files);
  const shared = [...sequencesIn(placebo.skill.files)].filter((sequence) => known.has(sequence)).sort();
  const isNear = tokens.every(({ difference }) => Math.abs(difference) <= allowedDifference);
  const sameForm = headings.skill === headings.placebo && differs.length === 0;
  return {
    format: placeboFormat,
    skill: of.skill.name,
    name: placebo.skill.name,
    skillHash: hashTree(of.skill.files),
    placeboHash: hashTree(placebo.skill.files),
    tokenizer,
    tokens,
    allowedDifference,
    headings,
    listing: {
      files: of.skill.files.length,
      differs: [...differs],
      markdownBytes: {
        skill: skillBytes(of.skill).length,
        placebo: skillBytes(placebo.skill).length,
      },
    },
    shared: shared.slice(0, mostTold),
    sequenceWords,
    passed: isNear && sameForm && shared.length === 0 && of.skill.name !== placebo.skill.name,
  };
}

function differences(skill: Deliverable, placebo: Deliverable): readonly string[] {
  const [ours, theirs] = [listed(skill.files, skill.file), listed(placebo.files, skill.file)];
  const paths = [...new Set([...ours.keys(), ...theirs.keys()])].sort();
  return paths.filter((path) => ours.get(path) !== theirs.get(path));
}

function listed(files: FileTree, markdown: string): ReadonlyMap<string, string> {
  return new Map(files.map((entry) => [entry.path, formOf(entry, markdown)]));
}

function formOf(entry: TreeEntry, markdown: string): string {
  if (entry.kind === "link") return `link to ${entry.target}`;
  const size = entry.path === markdown ? "of its tokens" : `${entry.bytes.length} bytes`;
  return `${isExecutable(entry.mode) ? "program" : "file"}, ${size}`;
}
