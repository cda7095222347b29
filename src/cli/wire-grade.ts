import type { GradeSnapshot } from "../campaign-judges.ts";
import type { Regression } from "../artefacts/honesty.ts";
import type { Config } from "../config.ts";
import type { GradeOptions } from "../gate/check.ts";
import { matchesGlob } from "../gate/globs.ts";
import { type MeasureDamage, measureDamage } from "../grade/damage/measure-damage.ts";
import { runRegression } from "../grade/damage/run-regression.ts";
import { gradeSnapshot } from "../grade/grade-snapshot.ts";
import type { ChatModel } from "../models/port.ts";
import type { Sandbox } from "../sandbox/port.ts";
import { tarMembers } from "../sandbox/tar-members.ts";
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

/** How a bundle's command for its existing tests ends on a workspace. */
export type RunExistingTests = (
  command: string,
  workspace: () => AsyncIterable<Uint8Array>,
) => Promise<Regression>;

/** In a grading container of its own each time, with the time of a grading. */
export function wireExistingTests(
  { name, gate }: Config,
  sandbox: Sandbox,
  signal: AbortSignal,
): RunExistingTests {
  const tools = { sandbox, labels: { campaign: name, trial: "existing tests" } };
  const options = { timeoutMs: gate.graderSeconds * 1000, signal };
  return (command, workspace) => runRegression(command, workspace, tools, options);
}

/** What an agent did besides its task. */
export function wireDamage(config: Config, sandbox: Sandbox, signal: AbortSignal): MeasureDamage {
  const runExistingTests = wireExistingTests(config, sandbox, signal);
  return (bundle, workspace, outcome) =>
    measureDamage(bundle, workspace, outcome, {
      members: tarMembers,
      matches: matchesGlob,
      runExistingTests,
    });
}
