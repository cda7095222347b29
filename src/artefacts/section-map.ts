import { z } from "zod";
import { ablationSchema } from "./ablation.ts";
import { comparisonSchema } from "./analysis.ts";
import { tallySchema } from "./tally.ts";
import { armSchema } from "./trial.ts";

export const sectionsFormat = "skillproof/sections@1";

const count = z.number().int().min(0);
const interval = z.tuple([z.number(), z.number()]).readonly();

/** Names files of the campaign and of its report, and a plan may come from anywhere. */
const skillId = z
  .string()
  .regex(/^(?!\.{1,2}$)[^/\\\0]+$/, "expected the name of a skill's folder, without any path");

/** One section of a skill, its own text without its sub-sections, as it was when the campaign was planned. */
export const keptSectionSchema = z.object({
  /** Shortest name that no other section of the skill has: `Title`, `Parent > Title`, with the file where it is linked. */
  name: z.string(),
  file: z.string(),
  /** 1 to 6; 0 for text before the first heading. */
  level: z.number().int(),
  /** Titles of the enclosing headings, then its own; empty before the first heading. */
  path: z.array(z.string()),
  /** 1-based, both included. */
  startLine: z.number().int(),
  endLine: z.number().int(),
  /** o200k_base tokens of its text. */
  tokens: count,
  boilerplate: z.boolean(),
  /** Id of the cluster it belongs to; null where it belongs to none. */
  cluster: z.string().nullable(),
  /** Ids of the campaign's benchmarks that were made from that cluster. */
  benchmarks: z.array(z.string()),
});
export type KeptSection = z.infer<typeof keptSectionSchema>;

/** The sections of one skill with its text, frozen at planning by hash: what a section map is made of. */
export const keptSectionsSchema = z.object({
  format: z.literal(sectionsFormat),
  skill: skillId,
  /** Of the tree that was chunked. */
  treeHash: z.string(),
  /** SKILL.md first, then the linked documents that have sections. Line n is `lines[n - 1]`. */
  documents: z.array(
    z.object({
      file: z.string(),
      lines: z.array(z.string()),
      /** First line behind the frontmatter; null when that never closes, since then nothing is known to be body. */
      bodyLine: z.number().int().nullable(),
    }),
  ),
  /** In the order of documents and lines. */
  sections: z.array(keptSectionSchema),
  /** Benchmarks that are tied to a cluster by its name alone: they were made from another text, or by hand. */
  byName: z.array(z.string()),
  /** Benchmarks of which nobody knows the sections they were made from. */
  unknown: z.array(z.string()),
  /** What the ablations of this skill left out, in the order of the arms. */
  ablations: z.array(ablationSchema.extend({ arm: armSchema })),
});
export type KeptSections = z.infer<typeof keptSectionsSchema>;

/**
 * Why there is no section map. `not_built`: no chunks and clusters · `other_text`: they are those of another state of
 * the skill, or do not fit each other · `unreadable`: of another version · `changed`: what was kept is not what the plan
 * froze, or is gone.
 */
export const noSectionsSchema = z.enum(["not_built", "other_text", "unreadable", "changed"]);
export type NoSections = z.infer<typeof noSectionsSchema>;

/** What a plan holds of a skill's sections: the hash of what was kept, or why there is none. */
export const plannedSectionsSchema = z.object({
  skill: skillId,
  hash: z.string().nullable(),
  missing: noSectionsSchema.nullable(),
});
export type PlannedSections = z.infer<typeof plannedSectionsSchema>;

/** A difference of pass rates, as a fraction, over some benchmark × model cells. Exploratory. */
export const sectionEffectSchema = z.object({
  /** Mean over benchmarks of the mean over their models; null without a cell that has both arms. */
  difference: z.number().nullable(),
  /** At the map's confidence; not adjusted for the number of sections. */
  interval: interval.nullable(),
  /** Of one cell, or of several weighed. */
  method: z.enum(["newcombe", "stratified"]).nullable(),
  /** With a graded trial in both arms, of those that planned both. */
  cells: count,
  cellsPlanned: count,
  /** The arm with more of the skill, and the one with less; over the planned cells. */
  with: tallySchema,
  without: tallySchema,
  /** Smallest two-sided p that so many graded trials can give; 1 without a cell. */
  smallestP: z.number(),
});
export type SectionEffect = z.infer<typeof sectionEffectSchema>;

export const sectionNoteSchema = z.enum(["carries", "no_effect_seen", "hurts", "cannot_tell", "not_tested"]);
export type SectionNote = z.infer<typeof sectionNoteSchema>;

export const mappedSectionSchema = keptSectionSchema.extend({
  /** Of the tokens of all sections of the map; null where they have none. */
  share: z.number().nullable(),
  /** Sections that the same cluster has, itself included: its benchmarks are about all of them. */
  clusterSections: count,
  /** The whole skill against the control, on the benchmarks made from its cluster; null where it has none. */
  uplift: sectionEffectSchema.nullable(),
  /** The whole skill against the skill without this section, by the arm that leaves out the least; null without one. */
  ablation: z
    .object({
      arm: armSchema,
      /** As the YAML names it. */
      of: z.string(),
      /** Sections that the arm leaves out, itself included. */
      sections: count,
      /** On its own benchmarks; null where it has none. */
      own: sectionEffectSchema.nullable(),
      /** On all benchmarks of the skill. */
      all: sectionEffectSchema,
    })
    .nullable(),
  note: sectionNoteSchema,
  /** What the note rests on; null when nothing was tested. */
  basis: z.enum(["ablation", "benchmarks"]).nullable(),
});
export type MappedSection = z.infer<typeof mappedSectionSchema>;

/** Which sections of one skill carry its effect. */
export const sectionMapSchema = z.object({
  skill: z.string(),
  /** Why there is none; null when there is. */
  missing: noSectionsSchema.nullable(),
  /** Arms that `uplift` compares. */
  comparison: comparisonSchema,
  /** Of the intervals, as a fraction. */
  confidence: z.number(),
  /** Margin within which a difference means nothing, as a fraction. */
  delta: z.number(),
  /** Sum over the sections, which leaves out headings without text and the frontmatter. */
  tokens: count,
  /** Benchmarks of the skill that are counted, and those that no section is known of or that are tied by name alone. */
  benchmarks: z.array(z.string()),
  unknown: z.array(z.string()),
  byName: z.array(z.string()),
  sections: z.array(mappedSectionSchema),
});
export type SectionMap = z.infer<typeof sectionMapSchema>;
