import type { Plan } from "../artefacts/plan.ts";
import type { KeptSections } from "../artefacts/section-map.ts";
import { differenceEnds, normalEnds, within } from "./recount-intervals.ts";
import { errorOf } from "./recount-intervals-evidence.ts";
import { logWays } from "./recount-intervals-p.ts";
import { type ArmCell, isGraded, pairsOf } from "./recount-intervals-rows.ts";
import { sharesOf, upliftIn } from "./recount-intervals-units.ts";

/** Where the plan has no analysis. */
const usual = { alpha: 0.05, delta: 0.1, comparisons: [] };
const whole = "with_skill";

/**
 * Section maps from what was kept of the sections and from the cells that count; in the order of the plan. A skill of
 * which nothing is kept that the plan froze has no sections in its map.
 */
export function sectionsAgain(
  { analysis, sections }: Pick<Plan, "analysis" | "sections">,
  kept: readonly KeptSections[],
  cells: readonly ArmCell[],
): readonly unknown[] {
  const { alpha, delta, comparisons } = analysis ?? usual;
  const against = comparisons.find(({ arm }) => arm === whole)?.against ?? "without_skill";
  const confidence = 1 - alpha;
  return sections.map(({ skill }) => {
    const own = cells.filter((cell) => cell.skill === skill);
    const its = kept.find((one) => one.skill === skill);
    return {
      ...{ skill, comparison: { arm: whole, against }, confidence, delta },
      tokens: (its?.sections ?? []).reduce((sum, { tokens }) => sum + tokens, 0),
      sections: its === undefined ? [] : rowsOf(its, own, { against, confidence }),
    };
  });
}

type Rule = { readonly against: string; readonly confidence: number };

function rowsOf(
  { sections, ablations }: KeptSections,
  cells: readonly ArmCell[],
  { against, confidence }: Rule,
): readonly unknown[] {
  const all = sections.reduce((sum, { tokens }) => sum + tokens, 0);
  const gone = ablations.map(({ arm, cuts }) => ({
    arm,
    cut: sections.filter(({ file, endLine }) =>
      cuts.some((cut) => file === cut.file && endLine >= cut.fromLine && endLine <= cut.toLine),
    ),
  }));
  return sections.map((section) => {
    const { name, level, startLine, endLine, tokens, cluster, benchmarks } = section;
    const own = cells.filter(({ benchmark }) => benchmarks.includes(benchmark));
    const effect = (some: readonly ArmCell[], less: string): unknown => effectOf(some, less, confidence);
    const cuts = gone.filter(({ cut }) => cut.includes(section));
    const least = cuts.find(({ cut }) => cuts.every((other) => other.cut.length >= cut.length));
    return {
      ...{ name, level, startLine, endLine, tokens, share: all === 0 ? null : tokens / all },
      clusterSections: cluster === null ? 1 : sections.filter((other) => other.cluster === cluster).length,
      uplift: benchmarks.length === 0 ? null : effect(own, against),
      ablation:
        least === undefined
          ? null
          : {
              ...{ arm: least.arm, sections: least.cut.length },
              own: benchmarks.length === 0 ? null : effect(own, least.arm),
              all: effect(cells, least.arm),
            },
    };
  });
}

/** The whole skill against an arm with less of it. */
function effectOf(cells: readonly ArmCell[], against: string, confidence: number): unknown {
  const pairs = pairsOf(cells, { arm: whole, against });
  const graded = pairs.filter(isGraded);
  const [first, second] = graded;
  const counts = {
    ...{ cells: graded.length, cellsPlanned: pairs.length, smallestP: smallestP(graded) },
  };
  if (first === undefined) return { ...counts, difference: null, interval: null, method: null };
  const shares = sharesOf(graded, "tasks");
  const difference = graded.reduce((sum, pair, at) => sum + (shares[at] ?? NaN) * upliftIn(pair), 0);
  const interval =
    second === undefined
      ? differenceEnds(first.treated, first.control, confidence)
      : within(normalEnds(difference, errorOf(graded, shares), confidence));
  return { ...counts, difference, interval, method: second === undefined ? "newcombe" : "stratified" };
}

/** Of the ways in which verdicts can be dealt out within all cells, the two ends. */
function smallestP(pairs: ReturnType<typeof pairsOf>): number {
  if (pairs.length === 0) return 1;
  const ways = pairs.reduce(
    (sum, { treated, control }) => sum + logWays(treated.graded + control.graded, control.graded),
    0,
  );
  return Math.min(1, 2 * Math.exp(-ways));
}
