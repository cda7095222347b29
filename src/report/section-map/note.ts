import type { MappedSection, SectionEffect, SectionMap, SectionNote } from "../../artefacts/section-map.ts";

type Rule = Pick<SectionMap, "confidence" | "delta">;

/**
 * What one can say of a section, from an interval and never from a point. The first that applies:
 * `not_tested`: no cell has a graded trial in both arms · `no_effect_seen`: the interval lies within ±δ ·
 * `cannot_tell`: so few trials that not even the clearest outcome would be significant · `carries`: the interval lies
 * above 0 · `hurts`: it lies below 0 · else `cannot_tell`. The direct test counts where it ran: the ablation on the
 * section's own benchmarks, or on all of them where it has none; else the uplift of its benchmarks, which is that of the
 * whole skill on tasks made from this section and the others of its cluster.
 */
export function noteOf(
  { uplift, ablation }: Pick<MappedSection, "uplift" | "ablation">,
  rule: Rule,
): Pick<MappedSection, "note" | "basis"> {
  const ablated = ablation === null ? null : (ablation.own ?? ablation.all);
  if (ablated !== null && ablated.difference !== null)
    return { note: said(ablated, rule), basis: "ablation" };
  if (uplift !== null && uplift.difference !== null) return { note: said(uplift, rule), basis: "benchmarks" };
  return { note: "not_tested", basis: null };
}

function said({ interval, smallestP }: SectionEffect, { confidence, delta }: Rule): SectionNote {
  if (interval === null) return "cannot_tell";
  const [low, high] = interval;
  if (low > -delta && high < delta) return "no_effect_seen";
  if (smallestP > 1 - confidence) return "cannot_tell";
  if (low > 0) return "carries";
  return high < 0 ? "hurts" : "cannot_tell";
}

/** The rule as it is printed. */
export function ruleWords({ confidence, delta, comparison: { arm, against } }: SectionMap): string {
  const margin = `±${Number((delta * 100).toFixed(1))} points`;
  return (
    `How the notes are made: always from the ${Number((confidence * 100).toFixed(1))} % interval, never from a point. ` +
    "Carries: it lies above 0. Hurts: it lies below 0. No effect seen: it lies within " +
    `${margin}. Cannot tell: neither, or so few trials that not even the clearest outcome would be significant. ` +
    "An ablation counts before the uplift, since it takes away this section alone (or with those that are named); the " +
    `uplift is ${arm} against ${against} on the benchmarks made from the section's cluster, so the sections of one ` +
    "cluster share it. All of it is exploratory: the intervals are not adjusted for the number of sections."
  );
}
