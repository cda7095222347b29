import type { Tally } from "../artefacts/tally.ts";
import { passedOf } from "./cell-counts.ts";
import type { Counted } from "./counted.ts";

type Row = {
  readonly skill: string;
  readonly model: string;
  readonly arm: string;
  trials: number;
  readonly opened: Mutable<Tally>;
  readonly notOpened: Mutable<Tally>;
};
type Mutable<T> = { -readonly [name in keyof T]: T[name] };

/** Finished trials of arms that deliver something, split by whether a file of it was opened in any turn. */
export class OpenedCounts {
  private readonly byName = new Map<string, Row>();

  see(one: Counted): void {
    const { planned, trial } = one;
    if (trial === null || trial.activations.length === 0) return;
    const { skill, model, arm } = planned;
    const name = JSON.stringify([skill, model, arm]);
    const none = (): Tally => ({ passed: 0, graded: 0, planned: 0 });
    const row = this.byName.get(name) ?? { skill, model, arm, trials: 0, opened: none(), notOpened: none() };
    this.byName.set(name, row);
    row.trials += 1;
    const isOpened = trial.activations.some(({ turn }) => turn !== null);
    const side = isOpened ? row.opened : row.notOpened;
    const passed = passedOf(one);
    side.planned += 1;
    side.graded += passed === null ? 0 : 1;
    side.passed += passed === true ? 1 : 0;
  }

  rows(): readonly Row[] {
    return [...this.byName.values()];
  }
}
