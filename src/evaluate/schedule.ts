import pLimit from "p-limit";
import type { PlannedTrial } from "../artefacts/trial.ts";
import { BudgetError, InfrastructureError } from "../errors.ts";
import type { Listen } from "../events.ts";

/** A trial may be lost to infrastructure this often before it is left ungraded. */
export const maxVoids = 2;

/** How one attempt at a planned trial ended, for the schedule. */
export type AttemptEnd =
  | { readonly kind: "done"; readonly words: string }
  | { readonly kind: "void"; readonly reason: string }
  | { readonly kind: "stop_model" | "stop_all" | "budget"; readonly reason: string };

export type Schedule = {
  readonly concurrency: number;
  readonly attempt: (trial: PlannedTrial) => Promise<AttemptEnd>;
  readonly listen: Listen;
  /** Aborts when nothing further is to be begun; attempts under way come to their end. */
  readonly drain?: AbortSignal;
  /** Aborts what is under way too. */
  readonly signal?: AbortSignal;
};

/**
 * Works through the trials that are left, block by block: the arms of one block one after the other, several
 * blocks at once. A void attempt is repeated at most twice; a stopped model leaves its other trials undone and
 * lets the other models go on. Throws `InfrastructureError` when nothing can go on and `BudgetError` when nothing more
 * can be paid for, after the blocks under way have come to their end.
 */
export async function workThrough(left: readonly PlannedTrial[], schedule: Schedule): Promise<void> {
  const limit = pLimit(schedule.concurrency);
  const state = new Progress(left.length, schedule);
  const ended = await Promise.allSettled(
    blocksOf(left).map((block) => limit(() => workOnBlock(block, schedule, state))),
  );
  for (const block of ended) if (block.status === "rejected") throw block.reason;
  if (state.stopped !== null) throw state.stopped;
}

class Progress {
  readonly stoppedModels = new Set<string>();
  stopped: InfrastructureError | BudgetError | null = null;
  private left: number;
  private readonly schedule: Schedule;

  constructor(left: number, schedule: Schedule) {
    this.left = left;
    this.schedule = schedule;
  }

  goesOn(trial: PlannedTrial): boolean {
    const { drain, signal } = this.schedule;
    if (drain?.aborted === true || signal?.aborted === true) return false;
    return this.stopped === null && !this.stoppedModels.has(trial.model);
  }

  done(trial: PlannedTrial, words: string): void {
    this.left--;
    this.schedule.listen({ kind: "trial_done", trial, words, left: this.left });
  }
}

async function workOnBlock(
  block: readonly PlannedTrial[],
  schedule: Schedule,
  state: Progress,
): Promise<void> {
  for (const trial of block) await workOnTrial(trial, schedule, state);
}

async function workOnTrial(trial: PlannedTrial, schedule: Schedule, state: Progress): Promise<void> {
  for (let voids = 0; state.goesOn(trial); voids++) {
    const end = await schedule.attempt(trial);
    switch (end.kind) {
      case "done":
        state.done(trial, end.words);
        return;
      case "void": {
        const again = voids < maxVoids;
        schedule.listen({ kind: "trial_void", trial, reason: end.reason, again });
        if (!again) return;
        break;
      }
      case "stop_model":
        if (!state.stoppedModels.has(trial.model)) {
          schedule.listen({ kind: "model_stopped", model: trial.model, reason: end.reason });
        }
        state.stoppedModels.add(trial.model);
        return;
      case "stop_all":
        state.stopped ??= new InfrastructureError(end.reason);
        return;
      case "budget":
        state.stopped ??= new BudgetError(end.reason);
        return;
    }
  }
}

function blocksOf(trials: readonly PlannedTrial[]): PlannedTrial[][] {
  const blocks = new Map<number, PlannedTrial[]>();
  for (const trial of trials) blocks.set(trial.block, [...(blocks.get(trial.block) ?? []), trial]);
  return [...blocks.values()];
}
