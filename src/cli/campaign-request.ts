import { basename, join } from "node:path";
import type { z } from "zod";
import { mostTrials } from "../campaign-analysis.ts";
import type { CampaignRequest } from "../campaign-material.ts";
import type { Config } from "../config.ts";
import { toolsHash, toolTokens } from "./wire.ts";
import type { ModelAccess } from "./wire-models.ts";

export type RequestOptions = {
  /** Benchmarks to use, null for all. */
  readonly only: readonly string[] | null;
  /** The rule, when the trials are a probe's. */
  readonly probe?: CampaignRequest["probe"];
};

/** What the material is loaded for, from the file and the command line. */
export async function requestFor(
  config: Config,
  options: RequestOptions,
  access: ModelAccess,
): Promise<CampaignRequest> {
  const { evaluation, sandbox } = config;
  const { cpus, memoryMiB, workspace, workspaceMiB, pids, packages, image } = sandbox;
  return {
    name: config.name,
    seed: config.seed,
    skills: config.skills.map(({ folder, benchmarks }) => ({
      folder,
      benchmarks: benchmarks ?? join(config.benchmarks, basename(folder)),
    })),
    models: [...evaluation.models],
    arms: evaluation.arms,
    trials:
      options.probe === undefined ? mostTrials(config.analysis.looks, evaluation.trials) : evaluation.trials,
    delivery: evaluation.delivery,
    limits: evaluation.limits,
    sandbox: { cpus, memoryMiB, workspace, workspaceMiB, pids, packages, image: image ?? null },
    judges: [...config.judge.models],
    modelSettings: settingsOf(config),
    standInPolicy: await access.policyHash(),
    probe: options.probe ?? null,
    exclude: options.probe === undefined ? evaluation.exclude : [],
    only: options.only,
    toolsHash: toolsHash(),
    toolTokens: toolTokens(),
    concurrency: evaluation.concurrency,
  };
}

/** What the YAML fixes for the models that take part and that can change what they do. */
function settingsOf({ models, evaluation, judge }: Config): CampaignRequest["modelSettings"] {
  const named = [...new Set([...evaluation.models, ...judge.models])].sort();
  const entries = named.flatMap((id) => {
    const { pin, parameters, temperature, reasoning } = models.settings[id] ?? {};
    const fixed = { pin, parameters, temperature, reasoning };
    const given = Object.entries(fixed).filter(([, value]) => value !== undefined);
    return given.length === 0 ? [] : [[id, Object.fromEntries(given) as z.core.util.JSONType] as const];
  });
  return Object.fromEntries(entries);
}
