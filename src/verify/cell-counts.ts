import type { Counted } from "./counted.ts";

/** Trials of one arm. */
export type Count = { passed: number; graded: number; planned: number };

/** One skill × benchmark × model, its trials counted by arm. */
export type CellCount = {
  readonly skill: string;
  readonly benchmark: string;
  readonly model: string;
  readonly arms: Map<string, Count>;
};

/** Counts trials by cell and arm, cells in the order of their first trial. */
export class CellCounts {
  private readonly cells = new Map<string, CellCount>();

  see(one: Counted): void {
    const { skill, benchmark, model, arm } = one.planned;
    const name = cellName(one.planned);
    const cell = this.cells.get(name) ?? { skill, benchmark, model, arms: new Map<string, Count>() };
    this.cells.set(name, cell);
    const count = cell.arms.get(arm) ?? { passed: 0, graded: 0, planned: 0 };
    cell.arms.set(arm, count);
    const passed = passedOf(one);
    count.planned += 1;
    if (passed !== null) count.graded += 1;
    if (passed === true) count.passed += 1;
  }

  all(): readonly CellCount[] {
    return [...this.cells.values()];
  }
}

export function cellName({ skill, benchmark, model }: Omit<CellCount, "arms">): string {
  return JSON.stringify([skill, benchmark, model]);
}

/** Null for what enters no denominator. */
export function passedOf({ trial, verdict }: Counted): boolean | null {
  if (trial?.outcome.kind !== "ended" || verdict === null || verdict.verdict === "ungraded") return null;
  return verdict.verdict === "passed";
}
