import type { ArmRate, Rate, Reliability } from "../../artefacts/further.ts";
import type { Tally } from "../../artefacts/tally.ts";
import { mean } from "../../statistics/bootstrap.ts";
import { passAtK } from "../../statistics/pass-at-k.ts";
import { wilson } from "../../statistics/rate-intervals.ts";
import { sum } from "../uplift.ts";
import { armsOf, ofArm, type Scope } from "./cell-trials.ts";

/** A tally with its Wilson interval. It takes trials as independent, which those of one task are not quite. */
export function rateOf(tally: Tally, confidence: number): Rate {
  const { passed, graded, planned } = tally;
  return { passed, graded, planned, interval: wilson({ k: passed, n: graded }, confidence) };
}

export function armRatesOf({ skill, model, cells }: Scope, confidence: number): readonly ArmRate[] {
  return armsOf(cells).map((arm) => {
    const tally = sum(ofArm(cells, arm).map((trials) => trials.tally));
    return { skill, model, arm, ...rateOf(tally, confidence) };
  });
}

/** `k`: trials that every cell has. A cell with fewer verdicts has neither figure and is left out. */
export function reliabilityOf({ skill, model, cells }: Scope, k: number): readonly Reliability[] {
  return armsOf(cells).map((arm) => {
    const all = ofArm(cells, arm).map(({ tally }) => passAtK(tally.graded, tally.passed, k));
    const atK = all.flatMap((one) => one.passAtK ?? []);
    const hatK = all.flatMap((one) => one.passHatK ?? []);
    return {
      skill,
      model,
      arm,
      k,
      cells: atK.length,
      of: all.length,
      passAtK: atK.length === 0 ? null : mean(atK),
      passHatK: hatK.length === 0 ? null : mean(hatK),
    };
  });
}
