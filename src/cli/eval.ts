import { basename, join, relative, resolve } from "node:path";
import { campaignId, evaluateCampaign } from "../campaign.ts";
import { type CampaignRequest, loadMaterial } from "../campaign-material.ts";
import type { Config, ConfigOverrides } from "../config.ts";
import { UserError } from "../errors.ts";
import type { Report } from "../artefacts/report.ts";
import { type AddCommand, commaList, type Io, listenOn, type Loaded, loadCampaignFile } from "./io.ts";
import { sayReport } from "./say-report.ts";
import { sayWhenDraining, withoutDraining } from "./signals.ts";
import { type Models, toolsHash, wireCampaign, wireModels } from "./wire.ts";
import { claimCampaign, wireSandbox } from "./wire-sandbox.ts";

type Options = {
  readonly config?: string;
  readonly models?: string;
  readonly trials?: string;
  readonly skills?: string;
  readonly only?: string;
  readonly json?: boolean;
};

/** `skillproof eval`: trials and verdicts; the same command resumes. */
export const addEval: AddCommand = (program, io, done) => {
  program
    .command("eval")
    .description("trials in both arms, verdicts and a report; the same command goes on where it stopped")
    .option("-c, --config <file>", "the campaign's YAML")
    .option("--models <ids>", "instead of evaluation.models, comma-separated")
    .option("--trials <n>", "instead of evaluation.trials")
    .option("--skills <folders>", "instead of skills, comma-separated")
    .option("--only <ids>", "only these benchmarks, comma-separated")
    .option("--json", "print report.json on stdout")
    .action(async (options: Options) => {
      const loaded = await loadCampaignFile(io, options.config, overridesFrom(options, io));
      const only = options.only === undefined ? null : commaList(options.only);
      const { report, folder } = await evaluate(loaded, only, io);
      if (options.json === true) io.out(`${JSON.stringify(report, null, 2)}\n`);
      else sayReport(report, relative(io.cwd, join(folder, "report", "report.md")), io);
      done(0);
    });
};

/** One campaign from its file to its report. */
export async function evaluate(
  loaded: Loaded,
  only: readonly string[] | null,
  io: Io,
): Promise<{ readonly report: Report; readonly folder: string }> {
  const { config } = loaded;
  if (config.evaluation.models.length === 0) {
    throw new UserError("evaluation.models: none named. Name some, or give --models a,b,c.");
  }
  const models = wireModels(loaded, io.drain);
  const material = await loadMaterial(await requestFor(config, only, models));
  // Unknown models and missing keys are found before anything is started.
  const agents = await models.agents(config.evaluation.models);
  const judged = material.benchmarks.some(({ bundle }) => bundle.spec.judged);
  const judges = judged ? await models.judges(config.judge.models) : [];
  const sandbox = await wireSandbox(config, withoutDraining(io));
  io.drain.throwIfAborted();
  const callOff = sayWhenDraining(io);
  try {
    const folder = join(config.out, campaignId(material.inputs));
    const { drain, signal } = io;
    const ports = wireCampaign(config, { sandbox, agents, judges, listen: listenOn(io), drain, signal });
    const ended = await claimCampaign(folder, () => evaluateCampaign(material, folder, ports));
    io.drain.throwIfAborted();
    return ended;
  } finally {
    callOff();
    await sandbox.close();
  }
}

async function requestFor(
  config: Config,
  only: readonly string[] | null,
  models: Models,
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
    arms: [...evaluation.arms],
    trials: evaluation.trials,
    delivery: evaluation.delivery,
    limits: evaluation.limits,
    sandbox: { cpus, memoryMiB, workspace, workspaceMiB, pids, packages, image: image ?? null },
    judges: [...config.judge.models],
    standInPolicy: await models.policyHash(),
    only,
    toolsHash: toolsHash(),
    concurrency: evaluation.concurrency,
  };
}

function overridesFrom(options: Options, io: Io): ConfigOverrides {
  const trials = options.trials === undefined ? undefined : Number(options.trials);
  if (trials !== undefined && (!Number.isInteger(trials) || trials < 1)) {
    throw new UserError(`--trials ${options.trials ?? ""}: say a whole number of at least 1.`);
  }
  return {
    ...(options.models === undefined ? {} : { models: commaList(options.models) }),
    ...(trials === undefined ? {} : { trials }),
    ...(options.skills === undefined
      ? {}
      : { skills: commaList(options.skills).map((folder) => resolve(io.cwd, folder)) }),
  };
}
