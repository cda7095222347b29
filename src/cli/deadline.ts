import type { Report } from "../artefacts/report.ts";
import type { Config } from "../config.ts";
import type { Io } from "./io.ts";

/** Timers hold no more than 2³¹ − 1 milliseconds: 24.8 days. */
const longestTimerMs = 2 ** 31 - 1;

export type Deadline = {
  /** Aborts when the time is over; never where there is no limit. */
  readonly signal: AbortSignal;
  /** Whoever is done early waits for nothing. */
  readonly callOff: () => void;
};

/** The end of `hours` from now; `undefined`: no limit. `say` is called once, when they have passed. */
export function deadlineAfter(hours: number | undefined, say: () => void): Deadline {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const wait = (leftMs: number): void => {
    const ms = Math.min(leftMs, longestTimerMs);
    timer = setTimeout(() => {
      if (leftMs > ms) {
        wait(leftMs - ms);
        return;
      }
      say();
      controller.abort();
    }, ms);
  };
  if (hours !== undefined) wait(hours * 3_600_000);
  return {
    signal: controller.signal,
    callOff: () => {
      clearTimeout(timer);
    },
  };
}

/** That of one start of `eval`, which says on stderr when it has passed. */
export function evaluationDeadline({ evaluation: { deadlineHours } }: Config, io: Pick<Io, "err">): Deadline {
  return deadlineAfter(deadlineHours, () => {
    io.err(
      `deadline: ${deadlineHours ?? 0} hour(s) have passed; no further trial is begun, those under way are finished and graded\n`,
    );
  });
}

/** Whether the deadline has left trials undone; then it says how many are done. */
export function stoppedBy(
  { signal }: Deadline,
  { trials }: Pick<Report, "trials">,
  io: Pick<Io, "err">,
): boolean {
  if (!signal.aborted || trials.finished === trials.planned) return false;
  io.err(`deadline: ${trials.finished} of ${trials.planned} trials done; the same command goes on\n`);
  return true;
}
