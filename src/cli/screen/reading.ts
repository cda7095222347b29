import type { Spending } from "../../artefacts/ledger.ts";
import { nanoOf } from "../../artefacts/nano-usd.ts";
import type { LaneReading, StageName } from "../../events.ts";
import type { Reading } from "./port.ts";

export const buildStages: readonly StageName[] = ["chunk", "embed", "cluster", "author", "gate"];
export const gradeStages: readonly StageName[] = ["verdicts", "report"];
export const campaignStages: readonly StageName[] = ["isolation", "trials", "verdicts", "report"];

type Sources = {
  readonly ledger: { total(): { readonly all: Spending } };
  readonly access: { laneReadings(): readonly LaneReading[] };
  /** Dollars; undefined where no limit is set. */
  readonly budgetUsd: number | undefined;
  readonly awaited?: () => number;
};

/** How a command stands, asked of those who know. */
export function readingOf({ ledger, access, budgetUsd, awaited }: Sources): Reading {
  return {
    spent: {
      spending: ledger.total().all,
      limitNanoUsd: budgetUsd === undefined ? null : nanoOf(budgetUsd),
    },
    lanes: access.laneReadings(),
    containersAwaited: awaited?.() ?? 0,
  };
}
