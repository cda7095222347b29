import { analysisRulesSchema, type Comparison } from "../../artefacts/analysis.ts";
import type { Plan } from "../../artefacts/plan.ts";
import type { Cell } from "../../artefacts/report.ts";
import type {
  KeptSection,
  KeptSections,
  MappedSection,
  NoSections,
  SectionMap,
} from "../../artefacts/section-map.ts";
import { sectionEffect } from "./effect.ts";
import { noteOf } from "./note.ts";

/** What is kept of one skill's sections, or why nothing is. */
export type SectionsFound = {
  readonly skill: string;
  readonly kept: KeptSections | null;
  readonly missing: NoSections | null;
};

const whole = "with_skill";

/** Which sections of each skill carry its effect, from the cells that count. */
export function mapSections(
  found: readonly SectionsFound[],
  cells: readonly Cell[],
  { analysis }: Pick<Plan, "analysis">,
): SectionMap[] {
  const { alpha, delta } = analysis ?? analysisRulesSchema.parse({});
  const comparison = analysis?.comparisons.find(({ arm }) => arm === whole);
  const rule: Rule = {
    comparison: comparison ?? { arm: whole, against: "without_skill" },
    confidence: 1 - alpha,
    delta,
  };
  return found.map(({ skill, kept, missing }) => {
    const own = cells.filter((cell) => cell.skill === skill);
    const benchmarks = [...new Set(own.map(({ benchmark }) => benchmark))];
    if (kept === null) {
      const nothing = { tokens: 0, unknown: [], byName: [], sections: [] };
      return { skill, missing: missing ?? "changed", ...rule, benchmarks, ...nothing };
    }
    const { unknown, byName } = kept;
    const tokens = kept.sections.reduce((sum, section) => sum + section.tokens, 0);
    const sections = kept.sections.map((section) => mapped(section, kept, { cells: own, tokens, rule }));
    return { skill, missing: null, ...rule, tokens, benchmarks, unknown, byName, sections };
  });
}

type Rule = { readonly comparison: Comparison; readonly confidence: number; readonly delta: number };
type Known = { readonly cells: readonly Cell[]; readonly tokens: number; readonly rule: Rule };

function mapped(section: KeptSection, kept: KeptSections, { cells, tokens, rule }: Known): MappedSection {
  const { cluster } = section;
  const own = cells.filter(({ benchmark }) => section.benchmarks.includes(benchmark));
  const uplift =
    section.benchmarks.length === 0 ? null : sectionEffect(own, rule.comparison, rule.confidence);
  const ablation = ablationOf(section, kept, { cells, own, rule });
  return {
    ...section,
    share: tokens === 0 ? null : section.tokens / tokens,
    clusterSections: cluster === null ? 1 : kept.sections.filter((other) => other.cluster === cluster).length,
    ...{ uplift, ablation },
    ...noteOf({ uplift, ablation }, rule),
  };
}

/** By the arm that leaves out the fewest sections with this one; of several the first. */
function ablationOf(
  section: KeptSection,
  { ablations, sections }: KeptSections,
  known: { readonly cells: readonly Cell[]; readonly own: readonly Cell[]; readonly rule: Rule },
): MappedSection["ablation"] {
  const [narrowest] = ablations
    .filter(({ cuts }) => isCut(section, cuts))
    .map(({ arm, of, cuts }) => ({ arm, of, sections: sections.filter((one) => isCut(one, cuts)).length }))
    .sort((a, b) => a.sections - b.sections);
  if (narrowest === undefined) return null;
  const { comparison, confidence } = { ...known.rule, comparison: { arm: whole, against: narrowest.arm } };
  return {
    ...narrowest,
    own: section.benchmarks.length === 0 ? null : sectionEffect(known.own, comparison, confidence),
    all: sectionEffect(known.cells, comparison, confidence),
  };
}

/** A cut reaches the end of what it takes; it may leave a heading in place whose sub-sections stay. */
function isCut({ file, endLine }: KeptSection, cuts: KeptSections["ablations"][number]["cuts"]): boolean {
  return cuts.some((cut) => cut.file === file && cut.fromLine <= endLine && endLine <= cut.toLine);
}

/** Names of the sections that a benchmark was made from, those that say something of a capability; none where unknown. */
export function headingsOf(
  found: readonly SectionsFound[],
): (skill: string, benchmark: string) => readonly string[] {
  return (skill, benchmark) => {
    const kept = found.find((one) => one.skill === skill)?.kept;
    const own = (kept?.sections ?? []).filter(({ benchmarks }) => benchmarks.includes(benchmark));
    const telling = own.filter(({ boilerplate }) => !boilerplate);
    return (telling.length > 0 ? telling : own).map(({ name }) => name);
  };
}
