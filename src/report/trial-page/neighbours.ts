import type { PlannedTrial } from "../../artefacts/trial.ts";

/** The trials that a reader compares a trial with. */
export type Neighbours = {
  /** Of the same skill, benchmark, model and arm. */
  readonly previous: PlannedTrial | null;
  readonly next: PlannedTrial | null;
  /** The other arms of its block, in the plan's order. */
  readonly twins: readonly PlannedTrial[];
};

/** Answers for every trial of a plan; made once, since a plan may have a hundred thousand. */
export function neighbourFinder(trials: readonly PlannedTrial[]): (planned: PlannedTrial) => Neighbours {
  const cells = new Map<string, Map<number, PlannedTrial>>();
  const blocks = new Map<number, PlannedTrial[]>();
  for (const planned of trials) {
    const cell = cells.get(cellOf(planned)) ?? new Map<number, PlannedTrial>();
    cells.set(cellOf(planned), cell.set(planned.n, planned));
    const block = blocks.get(planned.block) ?? [];
    block.push(planned);
    blocks.set(planned.block, block);
  }
  return (planned) => {
    const cell = cells.get(cellOf(planned));
    return {
      previous: cell?.get(planned.n - 1) ?? null,
      next: cell?.get(planned.n + 1) ?? null,
      twins: (blocks.get(planned.block) ?? []).filter(
        ({ skill, benchmark, model, arm }) =>
          arm !== planned.arm &&
          skill === planned.skill &&
          benchmark === planned.benchmark &&
          model === planned.model,
      ),
    };
  };
}

/** No part of it holds a line break. */
function cellOf({ skill, benchmark, model, arm }: PlannedTrial): string {
  return [skill, benchmark, model, arm].join("\n");
}
