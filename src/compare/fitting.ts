import type { CampaignComparison } from "../artefacts/comparison.ts";
import type { Cell } from "../artefacts/report.ts";
import type { Tally } from "../artefacts/tally.ts";
import { canonicalJson } from "../hash.ts";
import type { Compared, Sides } from "./compared.ts";

/** One benchmark × model that both sides have, with verdicts of the compared arm on both. */
export type FittingCell = {
  readonly skill: string;
  readonly benchmark: string;
  readonly model: string;
  readonly arm: { readonly a: Tally; readonly b: Tally };
  /** Null where a side has no verdict of the control: then there is no uplift to compare. */
  readonly control: { readonly a: Tally; readonly b: Tally } | null;
};

type LeftOut = CampaignComparison["leftOut"][number];

export type Fitting = { readonly cells: readonly FittingCell[]; readonly leftOut: readonly LeftOut[] };

/** Cells that can be compared, and all others with the reason why not. */
export function fittingCells(sides: Sides): Fitting {
  const whole = wholeReasons(sides);
  if (whole.length > 0) {
    const leftOut = whole.map((reason) => ({ skill: null, benchmark: null, model: null, reason }));
    return { cells: [], leftOut };
  }
  const inB = new Map(sides.b.report.cells.map((cell) => [keyOf(cell), cell]));
  const inA = new Set(sides.a.report.cells.map(keyOf));
  const cells: FittingCell[] = [];
  const leftOut: LeftOut[] = [];
  for (const a of sides.a.report.cells) {
    const { skill, benchmark, model } = a;
    const b = inB.get(keyOf(a));
    const found = b === undefined ? onlyIn("A", a, sides.b) : pairOf(a, b, sides);
    if (typeof found === "string") leftOut.push({ skill, benchmark, model, reason: found });
    else cells.push(found);
  }
  for (const b of sides.b.report.cells) {
    if (inA.has(keyOf(b))) continue;
    const { skill, benchmark, model } = b;
    leftOut.push({ skill, benchmark, model, reason: onlyIn("B", b, sides.a) });
  }
  return { cells, leftOut };
}

/** Why no cell of the two fits, whatever is in it. */
function wholeReasons({ a, b }: Sides): readonly string[] {
  const [inA, inB] = [a.plan.inputs, b.plan.inputs];
  const delivery =
    inA.delivery === inB.delivery
      ? []
      : [`the skill is delivered in another way: A ${inA.delivery}, B ${inB.delivery}`];
  const limits =
    canonicalJson(inA.limits) === canonicalJson(inB.limits)
      ? []
      : [`agents have other limits: A ${canonicalJson(inA.limits)}, B ${canonicalJson(inB.limits)}`];
  return [...delivery, ...limits];
}

function keyOf({ skill, benchmark, model }: Pick<Cell, "skill" | "benchmark" | "model">): string {
  return JSON.stringify([skill, benchmark, model]);
}

function onlyIn(side: "A" | "B", { skill, benchmark, model }: Cell, other: Compared): string {
  const name = side === "A" ? "B" : "A";
  const planned = other.plan.inputs.skills.find(({ id }) => id === skill);
  if (planned === undefined) return `${name} has no such skill`;
  if (!planned.benchmarks.some(({ id }) => id === benchmark)) return `${name} has no such benchmark`;
  return other.plan.inputs.models.includes(model) ? `${name} has no such cell` : `${name} has no such model`;
}

/** The pair, or why it is none. */
function pairOf(inA: Cell, inB: Cell, { a, b, control }: Sides): FittingCell | string {
  const { skill, benchmark, model } = inA;
  if (bundleHash(a, inA) !== bundleHash(b, inA))
    return "the benchmark is another one: its bundle hash differs";
  if (isJudged(a, inA) && canonicalJson(a.plan.inputs.judges) !== canonicalJson(b.plan.inputs.judges))
    return "judged by other models";
  for (const [name, side] of [
    ["A", a],
    ["B", b],
  ] as const) {
    if (isLeaky(side, inA)) return `${name} leaves the benchmark out of its figures: the gate found leaks`;
  }
  const arm = { a: inA.arms[a.arm], b: inB.arms[b.arm] };
  const missing = lacking("A", a.arm, arm.a) ?? lacking("B", b.arm, arm.b);
  if (missing !== null) return missing;
  const none = { a: inA.arms[control], b: inB.arms[control] };
  const hasControl = lacking("A", control, none.a) === null && lacking("B", control, none.b) === null;
  return {
    ...{ skill, benchmark, model },
    arm: { a: arm.a ?? nothing, b: arm.b ?? nothing },
    control: hasControl ? { a: none.a ?? nothing, b: none.b ?? nothing } : null,
  };
}

const nothing: Tally = { passed: 0, graded: 0, planned: 0 };

function lacking(side: string, arm: string, tally: Tally | undefined): string | null {
  if (tally === undefined || tally.planned === 0) return `${side} planned no trial of ${arm} here`;
  return tally.graded === 0 ? `${side} has no verdict of ${arm}: 0 of ${tally.planned} planned trials` : null;
}

function bundleHash({ plan }: Compared, { skill, benchmark }: Cell): string | undefined {
  const planned = plan.inputs.skills.find(({ id }) => id === skill);
  return planned?.benchmarks.find(({ id }) => id === benchmark)?.bundleHash;
}

function isJudged({ plan }: Compared, cell: Cell): boolean {
  return plan.benchmarks.some(
    ({ skill, benchmark, judged }) => judged && skill === cell.skill && benchmark === cell.benchmark,
  );
}

function isLeaky({ report }: Compared, cell: Cell): boolean {
  return report.leaks.benchmarks.some(
    ({ skill, benchmark, leftOut }) => leftOut && skill === cell.skill && benchmark === cell.benchmark,
  );
}
