import { z } from "zod";
import { canonicalJson, sha256 } from "../hash.ts";

/** Names a folder of the campaign: safe in every file system, and never `.` or `..`. */
export const armIdSchema = z
  .string()
  .max(120)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]*$/);

const labelRule = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/;
const labelWords = "a label has letters, digits, dot, dash or underscore, at most 32";

/** What an arm gives to the agent, as data. */
export const armTreatmentSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("without_skill") }),
  z.object({ kind: z.literal("with_skill") }),
  z.object({ kind: z.literal("placebo") }),
  /** Skill folders delivered together, in this order. */
  z.object({ kind: z.literal("pack"), folders: z.array(z.string()) }),
  /** The skill's folder as it was at a git ref. */
  z.object({ kind: z.literal("version"), ref: z.string() }),
  /** SKILL.md without one section: a heading, or the id of a cluster for all sections of it. */
  z.object({ kind: z.literal("ablation"), of: z.string() }),
]);
export type ArmTreatment = z.infer<typeof armTreatmentSchema>;

/** One ablation per section or per cluster of the skill: known only once the skill has been read. */
export type ManyAblations = { readonly kind: "ablations"; readonly each: "section" | "cluster" };

/** An arm as the YAML names it. */
export type ArmSpec = {
  /** Unique in the campaign, also without regard to case. Of many ablations only what their ids begin with. */
  readonly id: string;
  /** Tells repetitions of one treatment apart, as in `without_skill@again`; null for the first. */
  readonly label: string | null;
  readonly treatment: ArmTreatment | ManyAblations;
};

/** An arm of one skill, nothing left to expand. */
export type ResolvedArm = ArmSpec & { readonly treatment: ArmTreatment };

const plainArm = /^(without_skill|with_skill|placebo)(?:@([A-Za-z0-9][A-Za-z0-9._-]{0,31}))?$/;

const plainArmSchema = z
  .string()
  .regex(
    plainArm,
    `an arm is without_skill, with_skill or placebo, with @label to repeat one (${labelWords}), ` +
      "or an object with placebo, pack, version or ablation",
  );

const folder = z.string().min(1, "a skill folder has a name");
const kinds = ["placebo", "pack", "version", "ablation"] as const;

/** Refs and what git makes of them (`HEAD~2`), but no ranges, no paths in a commit and nothing like an option. */
export const gitRefSchema = z
  .string()
  .regex(/^(?![-/])(?!.*\.\.)[^\p{C}\p{Z}\\?*[:]+$/u, "expected one git ref: a tag, a branch or a commit");

const objectArmSchema = z
  .strictObject({
    placebo: z.strictObject({}).optional(),
    /** One skill folder or several, delivered together in this order. */
    pack: z
      .union([folder, z.array(folder).min(1, "a pack needs at least one skill folder")], {
        error: "expected a skill folder, or a list of skill folders",
      })
      .optional(),
    /** Tag, branch or commit of the repository that the skill's folder is in. */
    version: gitRefSchema.optional(),
    /** A heading of SKILL.md (`Title`, or `Parent > Title`), a cluster's id, every-section or every-cluster. */
    ablation: z.string().trim().min(1, "an ablation names a heading or a cluster").optional(),
    /** What the arm is called; made from its treatment when absent. */
    name: z.string().regex(labelRule, labelWords.replace("label", "name")).optional(),
    /** To repeat an arm: the same treatment with another label. */
    label: z.string().regex(labelRule, labelWords).optional(),
  })
  .superRefine((entry, context) => {
    const folders = typeof entry.pack === "string" ? [] : (entry.pack ?? []);
    const twice = folders.filter((one, index) => folders.indexOf(one) !== index);
    if (twice.length > 0) {
      const message = `names ${[...new Set(twice)].join(", ")} more than once`;
      context.addIssue({ code: "custom", path: ["pack"], message, input: entry });
    }
    const named = kinds.filter((kind) => entry[kind] !== undefined);
    if (named.length === 1) return;
    const came = named.length === 0 ? "none" : named.join(" and ");
    context.addIssue({
      code: "custom",
      message: `an arm names one of ${kinds.join(", ")}; here: ${came}`,
      input: entry,
    });
  });

const entrySchema = z.union([plainArmSchema, objectArmSchema], {
  error: ({ errors }) => problemOfEntry(errors),
});
type Entry = z.output<typeof entrySchema>;

/** Arms of a campaign, as the YAML lists them; all problems are named at once. */
export const armsSchema = z
  .array(entrySchema)
  .min(2, "a campaign compares at least two arms")
  .superRefine(
    (entries: readonly unknown[], context) => {
      for (const { index, message } of clashes(entries)) {
        context.addIssue({ code: "custom", message, path: [index], input: entries[index] });
      }
    },
    // Also beside an entry that is wrong for itself.
    { when: ({ value }) => Array.isArray(value) },
  )
  .transform((entries) => entries.map(specOf));

/** One arm, as the YAML has it. */
export const armSpecSchema = entrySchema.transform(specOf);

/** What is wrong with an entry of the right kind; what it should have been when it is neither text nor object. */
function problemOfEntry(errors: unknown): string {
  const branches = z
    .array(z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })))
    .safeParse(errors);
  const [, ofObject = []] = branches.data ?? [];
  const inside = ofObject.filter(({ path }) => path.length > 0);
  if (inside.length > 0) return inside.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
  return "an arm is a text (without_skill, with_skill, placebo) or an object with placebo, pack, version or ablation";
}

function clashes(entries: readonly unknown[]): readonly { index: number; message: string }[] {
  const byTreatment = new Map<string, number>();
  const byId = new Map<string, number>();
  return entries.flatMap((entry, index) => {
    const parsed = entrySchema.safeParse(entry);
    if (!parsed.success) return [];
    const { id, label, treatment } = specOf(parsed.data);
    const key = canonicalJson([treatment, label]);
    const twin = byTreatment.get(key);
    const namesake = byId.get(id.toLowerCase());
    byTreatment.set(key, twin ?? index);
    byId.set(id.toLowerCase(), namesake ?? index);
    if (twin !== undefined) {
      return [
        {
          index,
          message: `the same arm as number ${twin + 1}; to repeat one, give it a label: ${repeated(treatment)}`,
        },
      ];
    }
    if (namesake === undefined) return [];
    return [{ index, message: `called ${id} like number ${namesake + 1}; give one of them a name` }];
  });
}

function repeated(treatment: ArmSpec["treatment"]): string {
  switch (treatment.kind) {
    case "without_skill":
    case "with_skill":
    case "placebo":
      return `${treatment.kind}@again`;
    case "pack":
    case "version":
    case "ablation":
    case "ablations":
      return "label: again";
  }
}

function specOf(entry: Entry): ArmSpec {
  if (typeof entry === "string") {
    const [, base = entry, label = null] = plainArm.exec(entry) ?? [];
    return { id: entry, label, treatment: { kind: base as "without_skill" | "with_skill" | "placebo" } };
  }
  const label = entry.label ?? null;
  const treatment = treatmentOf(entry);
  const base = treatment.kind === "ablations" ? "ablation" : treatment.kind;
  const name = entry.name ?? derivedName(treatment);
  return { id: armId(name === null ? base : `${base}-${name}`, label), label, treatment };
}

/** The id of an arm from its name and its label. */
export function armId(name: string, label: string | null): string {
  return label === null ? name : `${name}@${label}`;
}

function treatmentOf(entry: Exclude<Entry, string>): ArmSpec["treatment"] {
  const { pack, version, ablation } = entry;
  if (pack !== undefined) return { kind: "pack", folders: typeof pack === "string" ? [pack] : pack };
  if (version !== undefined) return { kind: "version", ref: version };
  if (ablation === undefined) return { kind: "placebo" };
  if (ablation === "every-section") return { kind: "ablations", each: "section" };
  if (ablation === "every-cluster") return { kind: "ablations", each: "cluster" };
  return { kind: "ablation", of: ablation };
}

function derivedName(treatment: ArmSpec["treatment"]): string | null {
  switch (treatment.kind) {
    case "pack":
      return slugOf(treatment.folders.map(lastPart).join(" "));
    case "version":
      return slugOf(treatment.ref);
    case "ablation":
      return slugOf(treatment.of);
    case "without_skill":
    case "with_skill":
    case "placebo":
    case "ablations":
      return null;
  }
}

function lastPart(path: string): string {
  return path.split(/[\\/]+/).findLast((part) => !/^\.*$/.test(part)) ?? "folder";
}

const longestSlug = 48;

/**
 * A text as part of an id: lower case, other characters as dashes. What is cut off or has no letters that are left
 * (titles in other scripts) is told apart by a piece of its hash.
 */
export function slugOf(text: string): string {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const slug = plain.replace(/[^a-z0-9._]+/g, "-").replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, "");
  const isWhole = slug.length <= longestSlug && !/[^\p{ASCII}]/u.test(plain) && slug !== "";
  if (isWhole) return slug;
  return [slug.slice(0, longestSlug).replace(/[^a-z0-9]+$/, ""), sha256(text).slice(0, 8)]
    .filter((part) => part !== "")
    .join("-");
}
