import type { Spending } from "../../artefacts/ledger.ts";
import type { LaneReading, PipelineEvent } from "../../events.ts";

/** What is asked for at each drawing, since no event tells it. */
export type Reading = {
  /** So far, and what may be spent at most; null where no limit was set. */
  readonly spent: { readonly spending: Spending; readonly limitNanoUsd: number | null };
  readonly lanes: readonly LaneReading[];
  /** Requests for a container that are not met yet. */
  readonly containersAwaited: number;
};

/** The few lines at the foot of a terminal that say how a command stands. */
export interface Screen {
  /** Called for every event, in their order. Never throws. */
  show(event: PipelineEvent): void;
  /** `read` is called before each drawing, until another takes its place. */
  watch(read: () => Reading): void;
  /** Leaves the last picture in the scroll-back. What comes later begins a new one. Safe to call twice. */
  rest(how: "done" | "stopped"): void;
}
