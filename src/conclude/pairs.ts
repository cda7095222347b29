import type { ArmCell, Comparison, LeftOutCell } from "../artefacts/analysis.ts";
import type { Tally } from "../artefacts/tally.ts";

/** Two arms of one benchmark × model. */
export type Pair = {
  readonly skill: string;
  readonly benchmark: string;
  readonly model: string;
  readonly taskClass: string | null;
  readonly treated: Tally;
  readonly control: Tally;
};

/** Cells that plan both arms of the comparison, in the order given. */
export function pairsOf(cells: readonly ArmCell[], { arm, against }: Comparison): readonly Pair[] {
  return cells.flatMap(({ skill, benchmark, model, taskClass, arms }) => {
    const [treated, control] = [arms[arm], arms[against]];
    if (treated === undefined || control === undefined) return [];
    if (treated.planned === 0 || control.planned === 0) return [];
    return [{ skill, benchmark, model, taskClass: taskClass ?? null, treated, control }];
  });
}

/** Both arms have a verdict, so the pair has an uplift. */
export function isUsable({ treated, control }: Pair): boolean {
  return treated.graded > 0 && control.graded > 0;
}

export function leftOutOf(pairs: readonly Pair[], comparison: Comparison): readonly LeftOutCell[] {
  return pairs
    .filter((pair) => !isUsable(pair))
    .map(({ skill, benchmark, model, treated, control }) => ({
      skill,
      benchmark,
      model,
      comparison,
      without: [
        ...(treated.graded === 0 ? [comparison.arm] : []),
        ...(control.graded === 0 ? [comparison.against] : []),
      ],
    }));
}

/** Every trial without a verdict gets one: all to the treatment's harm, or all to its gain. */
export function imputed(pairs: readonly Pair[], way: "against" | "inFavour"): readonly Pair[] {
  return pairs.map((pair) => ({
    ...pair,
    treated: way === "against" ? failed(pair.treated) : passed(pair.treated),
    control: way === "against" ? passed(pair.control) : failed(pair.control),
  }));
}

function failed(tally: Tally): Tally {
  return { ...tally, graded: tally.planned };
}

function passed(tally: Tally): Tally {
  return { ...tally, passed: tally.passed + tally.planned - tally.graded, graded: tally.planned };
}

export function summed(tallies: readonly Tally[]): Tally {
  const of = (count: (tally: Tally) => number): number => tallies.reduce((sum, one) => sum + count(one), 0);
  return {
    passed: of((one) => one.passed),
    graded: of((one) => one.graded),
    planned: of((one) => one.planned),
  };
}

/** Throws `RangeError` for a cell that stands there twice or whose counts cannot be. */
export function requireCells(cells: readonly ArmCell[]): void {
  const seen = new Set<string>();
  for (const { skill, benchmark, model, arms } of cells) {
    const key = JSON.stringify([skill, benchmark, model]);
    if (seen.has(key)) throw new RangeError(`cells: ${key} stands there twice`);
    seen.add(key);
    for (const [arm, { passed: k, graded, planned }] of Object.entries(arms)) {
      const whole = [k, graded, planned].every(Number.isSafeInteger);
      if (!whole || k < 0 || k > graded || graded > planned)
        throw new RangeError(`cells: ${key}, ${arm}: ${k} passed of ${graded} graded of ${planned} planned`);
    }
  }
}
