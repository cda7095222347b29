import { basename, join, relative, resolve } from "node:path";
import type { z } from "zod";
import type { AnalysisSettings } from "../artefacts/analysis.ts";
import type { Endpoint } from "../artefacts/endpoint.ts";
import { dollars, nanoOf } from "../artefacts/nano-usd.ts";
import type { Report } from "../artefacts/report.ts";
import { evaluateCampaign } from "../campaign.ts";
import { analysisFor, armsIn } from "../campaign-analysis.ts";
import { type CampaignMaterial, type CampaignRequest, loadMaterial } from "../campaign-material.ts";
import { type CampaignEstimate, neededTokens } from "../campaign-estimate.ts";
import { campaignId } from "../campaign-plan.ts";
import type { Config, ConfigOverrides } from "../config.ts";
import { UserError } from "../errors.ts";
import { CampaignStore } from "../store/campaign.ts";
import { agree } from "./agree.ts";
import { spentWords, withLedger } from "./campaign-ledger.ts";
import {
  type AddCommand,
  commaList,
  type ExitCode,
  type Io,
  listenOn,
  type Loaded,
  loadCampaignFile,
} from "./io.ts";
import { sayReport } from "./say-report.ts";
import { sayWhenDraining, withoutDraining } from "./signals.ts";
import { toolsHash, toolTokens, wireCampaign } from "./wire.ts";
import { ModelAccess } from "./wire-models.ts";
import { claimCampaign, wireSandbox } from "./wire-sandbox.ts";

type Options = {
  readonly config?: string;
  readonly models?: string;
  readonly trials?: string;
  readonly skills?: string;
  readonly only?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
};

/** `skillproof eval`: trials and verdicts; the same command resumes. */
export const addEval: AddCommand = (program, io, done) => {
  program
    .command("eval")
    .description("trials of every arm, verdicts and a report; the same command goes on where it stopped")
    .option("-c, --config <file>", "the campaign's YAML")
    .option("--models <ids>", "instead of evaluation.models, comma-separated")
    .option("--trials <n>", "instead of evaluation.trials")
    .option("--skills <folders>", "instead of skills, comma-separated")
    .option("--only <ids>", "only these benchmarks, comma-separated")
    .option("-y, --yes", "agree to the estimate of what it costs")
    .option("--json", "print report.json on stdout")
    .action(async (options: Options) => {
      const loaded = await loadCampaignFile(io, options.config, overridesFrom(options, io));
      const only = options.only === undefined ? null : commaList(options.only);
      const { report, folder } = await evaluate(loaded, { only, yes: options.yes === true }, io);
      if (options.json === true) io.out(`${JSON.stringify(report, null, 2)}\n`);
      else sayReport(report, relative(io.cwd, join(folder, "report", "report.md")), io);
      done(exitCodeFor(report));
    });
};

/** One campaign from its file to its report. */
export async function evaluate(
  loaded: Loaded,
  options: EvaluateOptions,
  io: Io,
): Promise<{ readonly report: Report; readonly folder: string }> {
  const { config } = loaded;
  const { access, material, analysis, folder, cast, endpoints, begun } = await prepare(loaded, options, io);
  const sandbox = await wireSandbox(config, withoutDraining(io));
  io.drain.throwIfAborted();
  const callOff = sayWhenDraining(io);
  try {
    const ended = await claimCampaign(folder, () =>
      withLedger(folder, config, async (ledger) => {
        const agents = await access.agents(cast.agent, endpoints, ledger);
        const judges = await access.judges(cast.judge, endpoints, ledger);
        const listen = listenOn(io, () => spentWords(ledger));
        const { drain, signal } = io;
        const ports = wireCampaign(config, {
          ...{ sandbox, agents, judges, endpoints, listen, drain, signal },
          leaky: config.report.leaky,
          analysis,
          agree: async (estimate) => {
            // What a replay asks for was paid when it was recorded.
            if (config.models.replay === undefined) {
              warnOfKeyLimit(estimate, access, io);
              await agree(estimate, options.yes, io);
            }
            if (!begun) await access.probeWindows(endpoints, neededTokens(material), ledger);
          },
          settle: () => access.settle(ledger, endpoints),
        });
        return evaluateCampaign(material, folder, ports);
      }),
    );
    io.drain.throwIfAborted();
    return ended;
  } finally {
    callOff();
    await sandbox.close();
  }
}

/** All that a campaign is made of, found before anything is started or paid for. */
export type Prepared = {
  readonly access: ModelAccess;
  readonly material: CampaignMaterial;
  readonly analysis: AnalysisSettings | null;
  readonly folder: string;
  readonly cast: CampaignCast;
  readonly endpoints: readonly Endpoint[];
  /** A trial of it is finished. */
  readonly begun: boolean;
};

/** Throws `UserError` for unknown models, missing keys and whatever does not fit. */
export async function prepare(loaded: Loaded, options: EvaluateOptions, io: Io): Promise<Prepared> {
  const { config } = loaded;
  if (config.evaluation.models.length === 0) {
    throw new UserError("evaluation.models: none named. Name some, or give --models a,b,c.");
  }
  const access = new ModelAccess(loaded, listenOn(io), io);
  const material = await loadMaterial(await requestFor(config, options, access));
  const analysis = options.probe === undefined ? analysisFor(config.analysis, armsIn(material.inputs)) : null;
  const folder = join(config.out, campaignId(material.inputs));
  const cast = castOf(config, material);
  const { endpoints, begun } = await endpointsOf(folder, cast, material, access);
  return { access, material, analysis, folder, cast, endpoints, begun };
}

export type EvaluateOptions = {
  /** Benchmarks to use, null for all. */
  readonly only: readonly string[] | null;
  /** The estimate is agreed to without a question. */
  readonly yes: boolean;
  /** The rule, when the trials are a probe's. */
  readonly probe?: CampaignRequest["probe"];
};

/** Trials that are missing for what broke under them. What was blocked, or divided the judges, was not lost. */
export function exitCodeFor({ ungraded }: Report): ExitCode {
  return ungraded.some(({ cause }) => cause === "missing" || cause === "judges_unreached") ? 3 : 0;
}

type CampaignCast = { readonly agent: readonly string[]; readonly judge: readonly string[] };

function castOf(config: Config, { benchmarks }: CampaignMaterial): CampaignCast {
  const judged = benchmarks.some(({ bundle }) => bundle.spec.judged);
  return { agent: config.evaluation.models, judge: judged ? config.judge.models : [] };
}

/** Those of the plan where there is one: a campaign stays where it began. `begun`: a trial of it is finished. */
async function endpointsOf(
  folder: string,
  cast: CampaignCast,
  material: CampaignMaterial,
  access: ModelAccess,
): Promise<{ readonly endpoints: readonly Endpoint[]; readonly begun: boolean }> {
  const store = new CampaignStore(folder);
  const plan = await store.readPlanIfThere();
  if (plan === null) {
    return { endpoints: await access.findEndpoints(cast, neededTokens(material)), begun: false };
  }
  await access.requireAccess(cast);
  return { endpoints: plan.endpoints, begun: store.isBegun(plan.trials) };
}

/** Said before the question: with such a key the campaign stops in its middle. */
function warnOfKeyLimit({ total }: CampaignEstimate, { keyLimitUsd }: ModelAccess, io: Io): void {
  if (keyLimitUsd === null || total.expected === null || total.expected <= nanoOf(keyLimitUsd)) return;
  const words =
    `the key may spend ${dollars(nanoOf(keyLimitUsd))} more, less than the ${dollars(total.expected)} expected: ` +
    "raise its limit, or the campaign stops in its middle.";
  listenOn(io)({ kind: "warning", words });
}

async function requestFor(
  config: Config,
  options: EvaluateOptions,
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
    trials: evaluation.trials,
    delivery: evaluation.delivery,
    limits: evaluation.limits,
    sandbox: { cpus, memoryMiB, workspace, workspaceMiB, pids, packages, image: image ?? null },
    judges: [...config.judge.models],
    modelSettings: settingsOf(config),
    replay: await access.replayHash(),
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

/** What `eval` and `plan` put over the file. */
export function overridesFrom(options: Options, io: Io): ConfigOverrides {
  const trials = trialsFrom(options.trials);
  return {
    ...(options.models === undefined ? {} : { models: commaList(options.models) }),
    ...(trials === undefined ? {} : { trials }),
    ...(options.skills === undefined
      ? {}
      : { skills: commaList(options.skills).map((folder) => resolve(io.cwd, folder)) }),
  };
}

/** The number of `--trials`; undefined when the option is absent. */
export function trialsFrom(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const trials = Number(text);
  if (!Number.isInteger(trials) || trials < 1)
    throw new UserError(`--trials ${text}: say a whole number of at least 1.`);
  return trials;
}
