import { join, relative } from "node:path";
import type { AnalysisSettings } from "../artefacts/analysis.ts";
import { estimateTrials } from "../campaign-estimate.ts";
import { CampaignLooks } from "../campaign-looks.ts";
import { planOf } from "../campaign-plan.ts";
import { type Assumptions, assumptionsFrom, shiftFor, usualAssumptions } from "../campaign-assumptions.ts";
import { type Design, detectableUplift, limitsOf, powerOf } from "../campaign-power.ts";
import { reportSchema } from "../artefacts/report.ts";
import type { Plan } from "../artefacts/plan.ts";
import { UserError } from "../errors.ts";
import { readArtefact } from "../store/artefact.ts";
import { CampaignStore } from "../store/campaign.ts";
import { campaignFolder } from "./campaign-folder.ts";
import { describe, type Foreseen } from "./foreseen.ts";
import { overridesFrom, type Prepared, prepare } from "./eval.ts";
import { type AddCommand, commaList, type Io, type Loaded, loadCampaignFile } from "./io.ts";
import { withoutDraining } from "./signals.ts";
import { claimCampaign, wireSandbox } from "./wire-sandbox.ts";

type Options = {
  readonly config?: string;
  readonly models?: string;
  readonly trials?: string;
  readonly skills?: string;
  readonly only?: string;
  readonly pilot?: string;
  readonly uplift: string;
  readonly repetitions: string;
  readonly json?: boolean;
};

/** `skillproof plan`: what the design can find and what it costs; freezes the plan. */
export const addPlan: AddCommand = (program, io, done) => {
  program
    .command("plan")
    .description("power, smallest detectable effect, dollars and hours of the campaign; freezes its plan")
    .option("-c, --config <file>", "the campaign's YAML")
    .option("--models <ids>", "instead of evaluation.models, comma-separated")
    .option("--trials <n>", "instead of evaluation.trials")
    .option("--skills <folders>", "instead of skills, comma-separated")
    .option("--only <ids>", "only these benchmarks, comma-separated")
    .option("--pilot <campaign>", "take pass rates from this earlier campaign, which is not counted again")
    .option("--uplift <points>", "the uplift to find", "20")
    .option("--repetitions <n>", "simulated campaigns per design", "200")
    .option("--json", "print what was found on stdout")
    .action(async (options: Options) => {
      const loaded = await loadCampaignFile(io, options.config, overridesFrom(options, io));
      const only = options.only === undefined ? null : commaList(options.only);
      const prepared = await prepare(loaded, { only, yes: true }, io);
      // Before the plan is frozen: what is asked for wrongly leaves nothing behind.
      const asked = await askedIn(options, prepared, loaded, io);
      const plan = await freeze(prepared, loaded, io);
      const foreseen = foresee({ ...prepared, plan }, loaded, asked);
      const path = relative(io.cwd, join(prepared.folder, "plan.json"));
      if (options.json === true) io.out(`${JSON.stringify({ plan: path, ...foreseen }, null, 2)}\n`);
      else io.out(describe(foreseen, plan, path));
      done(0);
    });
};

/** Benchmarks and trials per arm to look at besides the campaign's own. */
const benchmarkSteps = [5, 10, 16, 30];
const trialSteps = [1, 3, 5, 10];
const upliftSteps = Array.from({ length: 12 }, (_, at) => (at + 1) * 0.05);

type Asked = {
  readonly assumptions: Assumptions;
  readonly repetitions: number;
  readonly seed: number;
  /** A fraction, for which the assumptions leave room. */
  readonly uplift: number;
};

async function askedIn(
  options: Options,
  { material, analysis }: Prepared,
  { config }: Loaded,
  io: Io,
): Promise<Asked> {
  const uplift = wholeNumber("--uplift", options.uplift) / 100;
  const repetitions = wholeNumber("--repetitions", options.repetitions);
  const assumptions = await assumptionsOf(options.pilot, analysis, config.out, io);
  if (shiftFor(uplift, assumptions) === null) {
    const mean = assumptions.baseline.reduce((sum, rate) => sum + rate, 0) / assumptions.baseline.length;
    throw new UserError(
      `--uplift ${options.uplift}: the control is taken to pass ${(mean * 100).toFixed(0)} % (${assumptions.words}), ` +
        "which leaves no room for so much. Say less.",
    );
  }
  return { uplift, repetitions, assumptions, seed: material.inputs.seed };
}

function foresee(
  { material, plan, endpoints }: Prepared & { readonly plan: Plan },
  { config }: Loaded,
  { uplift, ...context }: Asked,
): Foreseen {
  const { inputs, limits } = material;
  const design = {
    // What is said of a skill rests on its own benchmarks, and on those of no other.
    benchmarks: Math.min(...inputs.skills.map((skill) => skill.benchmarks.length)),
    skills: inputs.skills.length,
    models: inputs.models.length,
    trials: config.evaluation.trials,
  };
  const settings = plan.analysis;
  const trials = new CampaignLooks(plan).atMost(plan.trials);
  const planned = trials.length;
  // Of all trials; what a campaign that was begun has done already is not taken off.
  const { words, total } = estimateTrials(trials, [], material, endpoints, config.judge.claims ? 0 : null);
  return {
    uplift,
    assumptions: context.assumptions.words,
    repetitions: context.repetitions,
    design,
    trials: planned,
    limits:
      settings === null
        ? ["The arms give no hypothesis: nothing will be concluded."]
        : limitsOf(design, settings),
    grid:
      settings === null
        ? []
        : designsAround(design).map((one) => ({
            ...powerOf(one, uplift, { ...context, settings }),
            detectable: detectableUplift(one, upliftSteps, { ...context, settings }),
          })),
    estimate: words,
    expectedUsdPerTrial: total.expected === null || planned === 0 ? null : total.expected / 1e9 / planned,
    hoursAtMost: (planned * limits.seconds) / config.evaluation.concurrency / 3600,
  };
}

function designsAround({ benchmarks, trials, ...rest }: Design): readonly Design[] {
  const steps = (own: number, usual: readonly number[]): readonly number[] =>
    [...new Set([...usual, own])].sort((a, b) => a - b);
  return steps(benchmarks, benchmarkSteps).flatMap((count) =>
    steps(trials, trialSteps).map((each) => ({ ...rest, benchmarks: count, trials: each })),
  );
}

async function assumptionsOf(
  pilot: string | undefined,
  settings: AnalysisSettings | null,
  out: string,
  io: Io,
): Promise<Assumptions> {
  if (pilot === undefined || settings === null) return usualAssumptions;
  const folder = await campaignFolder(pilot, out, io.cwd);
  const report = await readArtefact(
    join(folder, "report", "report.json"),
    reportSchema,
    `Run: skillproof report ${pilot}`,
  );
  const assumptions = assumptionsFrom(report.cells, settings);
  if (assumptions === null)
    throw new UserError(`--pilot ${pilot}: no cell of it has graded trials of both arms that are compared.`);
  return assumptions;
}

/** The same plan that `eval` would make, so that `eval` finds it and goes on from it. */
async function freeze(
  { material, analysis, folder, endpoints, replay }: Prepared,
  { config }: Loaded,
  io: Io,
): Promise<Plan> {
  const sandbox = await wireSandbox(config, withoutDraining(io));
  try {
    const { image } = sandbox;
    const findings = {
      image,
      endpoints,
      replay,
      standIn: material.inputs.models.some((id) => id.startsWith("stand-in/")),
      leaky: config.report.leaky,
      analysis,
      sections: material.sections,
    };
    return await claimCampaign(folder, () =>
      planOf(material.inputs, material.benchmarks, findings, new CampaignStore(folder)),
    );
  } finally {
    await sandbox.close();
  }
}

function wholeNumber(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new UserError(`${option} ${text}: say a whole number of at least 1.`);
  return value;
}
