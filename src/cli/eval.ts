import { join, relative, resolve } from "node:path";
import type { AnalysisSettings } from "../artefacts/analysis.ts";
import type { Endpoint } from "../artefacts/endpoint.ts";
import { dollars, nanoOf } from "../artefacts/nano-usd.ts";
import type { Report } from "../artefacts/report.ts";
import { evaluateCampaign } from "../campaign.ts";
import { analysisFor, armsIn } from "../campaign-analysis.ts";
import { type CampaignMaterial, type CampaignRequest, loadMaterial } from "../campaign-material.ts";
import { type CampaignEstimate, neededTokens } from "../campaign-estimate.ts";
import { campaignId } from "../campaign-plan.ts";
import { type Config, type ConfigOverrides, mostTrialsPerCell } from "../config.ts";
import { UserError } from "../errors.ts";
import { CampaignStore } from "../store/campaign.ts";
import { agree } from "./agree.ts";
import { evaluationDeadline, stoppedBy } from "./deadline.ts";
import { requestFor } from "./campaign-request.ts";
import { spentWords, withLedger } from "./campaign-ledger.ts";
import { campaignFindings, campaignWords, endOn, failOnFrom, failOnHelp } from "./fail-on.ts";
import {
  type AddCommand,
  commaList,
  type ExitCode,
  type Io,
  listenOn,
  type Loaded,
  loadCampaignFile,
} from "./io.ts";
import { countAwaited } from "./screen/awaited-containers.ts";
import { campaignStages, readingOf } from "./screen/reading.ts";
import { sayReport } from "./say-report.ts";
import { sayWhenDraining, withoutDraining } from "./signals.ts";
import { wireCampaign } from "./wire.ts";
import { isStandIn, ModelAccess } from "./wire-models.ts";
import { claimCampaign, wireSandbox } from "./wire-sandbox.ts";

type Options = {
  readonly config?: string;
  readonly models?: string;
  readonly trials?: string;
  readonly skills?: string;
  readonly only?: string;
  readonly yes?: boolean;
  readonly failOn?: string;
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
    .option("--fail-on <words>", "end with exit code 1 when one of them holds, see below")
    .option("--json", "print report.json on stdout")
    .addHelpText("after", failOnHelp(campaignWords))
    .action(async (options: Options) => {
      const failOn = failOnFrom(options.failOn, campaignWords);
      const loaded = await loadCampaignFile(io, options.config, overridesFrom(options, io));
      const only = options.only === undefined ? null : commaList(options.only);
      const deadline = evaluationDeadline(loaded.config, io);
      try {
        const yes = options.yes === true;
        const { report, folder } = await evaluate(loaded, { only, yes, deadline: deadline.signal }, io);
        if (options.json === true) io.out(`${JSON.stringify(report, null, 2)}\n`);
        else sayReport(report, relative(io.cwd, join(folder, "report", "index.html")), io);
        const code = stoppedBy(deadline, report, io) ? 4 : exitCodeFor(report);
        done(endOn(failOn, { findings: campaignFindings(report), code, io }));
      } finally {
        deadline.callOff();
      }
    });
};

/** One campaign from its file to its report. */
export async function evaluate(
  loaded: Loaded,
  options: EvaluateOptions,
  io: Io,
): Promise<{ readonly report: Report; readonly folder: string }> {
  const { config } = loaded;
  listenOn(io)({ kind: "began", title: config.name, part: null, stages: campaignStages });
  const { access, material, analysis, folder, cast, endpoints, begun, replay } = await prepare(
    loaded,
    options,
    io,
  );
  const { sandbox, awaited } = countAwaited(await wireSandbox(config, withoutDraining(io)));
  io.drain.throwIfAborted();
  const callOff = sayWhenDraining(io);
  try {
    const ended = await claimCampaign(folder, () =>
      withLedger(folder, config, async (ledger) => {
        const agents = await access.agents(cast.agent, endpoints, ledger);
        const judges = await access.judges(cast.judge, endpoints, ledger);
        const listen = listenOn(io, () => spentWords(ledger));
        const { budgetUsd } = config.evaluation;
        io.screen?.watch(() => readingOf({ ledger, access, budgetUsd, awaited }));
        const { signal } = io;
        const drain = AbortSignal.any([
          io.drain,
          ...(options.deadline === undefined ? [] : [options.deadline]),
        ]);
        const ports = wireCampaign(config, {
          ...{ sandbox, agents, judges, endpoints, replay, listen, drain, signal },
          claims: asksClaims(config, options),
          leaky: config.report.leaky,
          analysis,
          agree: async (estimate) => {
            // What a replay asks for was paid when it was recorded.
            if (replay === null) {
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
  /** Hash of the recording that answers; null when servers are asked. */
  readonly replay: string | null;
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
  const analysis =
    options.probe === undefined
      ? analysisFor(config.analysis, armsIn(material.inputs), config.evaluation.trials)
      : null;
  const folder = join(config.out, campaignId(material.inputs));
  const cast = castOf(config, material, asksClaims(config, options));
  const { endpoints, begun } = await endpointsOf(folder, cast, material, access);
  const replay = await access.replayHash();
  return { access, material, analysis, folder, cast, endpoints, replay, begun };
}

export type EvaluateOptions = {
  /** Benchmarks to use, null for all. */
  readonly only: readonly string[] | null;
  /** The estimate is agreed to without a question. */
  readonly yes: boolean;
  /** Aborts when no further trial is to be begun; the report is made all the same. */
  readonly deadline?: AbortSignal;
  /** The rule, when the trials are a probe's. */
  readonly probe?: CampaignRequest["probe"];
};

/** Trials that are missing for what broke under them. What was blocked, or divided the judges, was not lost. */
export function exitCodeFor({ ungraded }: Report): ExitCode {
  return ungraded.some(({ cause }) => cause === "missing" || cause === "judges_unreached") ? 3 : 0;
}

const panelSize = 3;

type CampaignCast = { readonly agent: readonly string[]; readonly judge: readonly string[] };

function castOf(config: Config, { benchmarks }: CampaignMaterial, claims: boolean): CampaignCast {
  const { models } = config.judge;
  if (claims && models.length !== panelSize) {
    throw new UserError(
      `judge.claims: ${models.length} named in judge.models, but the panel is ${panelSize}. Name ${panelSize} models, or leave judge.claims out.`,
    );
  }
  const judged = benchmarks.some(({ bundle }) => bundle.spec.judged);
  return { agent: config.evaluation.models, judge: judged || claims ? models : [] };
}

/** A probe's trials are thrown away, and so would be what was asked about them. */
function asksClaims({ judge }: Config, { probe }: EvaluateOptions): boolean {
  return judge.claims && probe === undefined;
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
  requireEndpoints(cast.judge, plan.endpoints, folder);
  return { endpoints: plan.endpoints, begun: store.isBegun(plan.trials) };
}

/** Where judges are asked was frozen with the plan; one that was made without any cannot be extended. */
function requireEndpoints(judges: readonly string[], endpoints: readonly Endpoint[], folder: string): void {
  const missing = judges.filter((id) => !isStandIn(id) && !endpoints.some(({ model }) => model === id));
  if (missing.length === 0) return;
  throw new UserError(
    `${folder}: its plan names no endpoint for ${missing.join(", ")}, because no judge was needed when it was frozen. ` +
      "Leave judge.claims out, or change `name` to begin a new campaign.",
  );
}

/** Said before the question: with such a key the campaign stops in its middle. */
function warnOfKeyLimit({ total }: CampaignEstimate, { keyLimitUsd }: ModelAccess, io: Io): void {
  if (keyLimitUsd === null || total.expected === null || total.expected <= nanoOf(keyLimitUsd)) return;
  const words =
    `the key may spend ${dollars(nanoOf(keyLimitUsd))} more, less than the ${dollars(total.expected)} expected: ` +
    "raise its limit, or the campaign stops in its middle.";
  listenOn(io)({ kind: "warning", words });
}

/** What `eval` and `plan` put over the file. */
export function overridesFrom(options: Options, io: Io): ConfigOverrides {
  const trials = trialsFrom(options.trials);
  return {
    ...(options.models === undefined ? {} : { models: modelsFrom(options.models) }),
    ...(trials === undefined ? {} : { trials }),
    ...(options.skills === undefined
      ? {}
      : { skills: commaList(options.skills).map((folder) => resolve(io.cwd, folder)) }),
  };
}

/** The ids of `--models`, each once: trials of a model that is named twice would count twice. */
export function modelsFrom(text: string): string[] {
  const ids = commaList(text);
  const twice = ids.find((id, at) => ids.indexOf(id) < at);
  if (twice !== undefined) throw new UserError(`--models ${text}: ${twice} stands there twice.`);
  return ids;
}

/** The number of `--trials`; undefined when the option is absent. */
export function trialsFrom(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const trials = Number(text);
  if (!Number.isInteger(trials) || trials < 1 || trials > mostTrialsPerCell)
    throw new UserError(`--trials ${text}: say a whole number from 1 to ${mostTrialsPerCell}.`);
  return trials;
}
