import type { GradeSnapshot } from "../campaign-judges.ts";
import type { Config } from "../config.ts";
import type { GradeOptions } from "../gate/check.ts";
import { gradeSnapshot } from "../grade/grade-snapshot.ts";
import type { ChatModel } from "../models/port.ts";
import type { Sandbox } from "../sandbox/port.ts";
import { packTree, readTarMember } from "../sandbox/tar.ts";

/** As a campaign grades; the gate may change the circumstances. */
export type GradeUnder = (
  ...asked: [...Parameters<GradeSnapshot>, options?: Omit<GradeOptions, "packing">]
) => ReturnType<GradeSnapshot>;

/** Grading of one snapshot in a fresh container, with judges where a grader asks. */
export function wireGrade(
  config: Config,
  sandbox: Sandbox,
  judges: readonly ChatModel[],
  signal: AbortSignal,
): GradeUnder {
  const { seed, name, gate } = config;
  const mostMs = gate.graderSeconds * 1000;
  return ({ bundle }, workspace, { known, unasked, subject }, under = {}) =>
    gradeSnapshot(
      bundle,
      workspace,
      {
        sandbox,
        pack: packTree,
        readMembers: readTarMember,
        panel: { judges, seed, ...(unasked === undefined ? {} : { unasked }) },
        labels: { campaign: name, trial: `grade ${bundle.id}` },
      },
      { known, subject, signal, ...under, timeoutMs: Math.min(under.timeoutMs ?? Infinity, mostMs) },
    );
}
