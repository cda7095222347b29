import { join, relative } from "node:path";
import type { AnalysisSettings } from "../artefacts/analysis.ts";
import { dollars, nanoOf } from "../artefacts/nano-usd.ts";
import { estimateTrials } from "../campaign-estimate.ts";
import { CampaignLooks } from "../campaign-looks.ts";
import { planOf } from "../campaign-plan.ts";
import {
  assumptionsFrom,
  type Assumptions,
  type Design,
  detectableUplift,
  limitsOf,
  type Power,
  powerOf,
  usualAssumptions,
} from "../campaign-power.ts";
import { planWords } from "../plan-words.ts";
import { reportSchema } from "../artefacts/report.ts";
import type { Plan } from "../artefacts/plan.ts";
import { UserError } from "../errors.ts";
import { readArtefact } from "../store/artefact.ts";
import { CampaignStore } from "../store/campaign.ts";
import { campaignFolder } from "./campaign-folder.ts";
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
      const plan = await freeze(prepared, loaded, io);
      const foreseen = await foresee({ ...prepared, plan }, loaded, options, io);
      const path = relative(io.cwd, join(prepared.folder, "plan.json"));
      if (options.json === true) io.out(`${JSON.stringify({ plan: path, ...foreseen }, null, 2)}\n`);
      else io.out(describe(foreseen, plan, path));
      done(0);
    });
};

type Foreseen = {
  readonly uplift: number;
  readonly assumptions: string;
  readonly repetitions: number;
  readonly design: Design;
  readonly trials: number;
  readonly detectable: { readonly set: number | null; readonly tasks: number | null } | null;
  readonly limits: readonly string[];
  readonly grid: readonly Power[];
  readonly estimate: readonly string[];
  readonly expectedUsdPerTrial: number | null;
  /** At the limits of the YAML; most trials end earlier. */
  readonly hoursAtMost: number;
};

/** Benchmarks and trials per arm to look at besides the campaign's own. */
const benchmarkSteps = [5, 10, 16, 30];
const trialSteps = [1, 3, 5, 10];
const upliftSteps = Array.from({ length: 12 }, (_, at) => (at + 1) * 0.05);

async function foresee(
  { material, plan, endpoints }: Prepared & { readonly plan: Plan },
  { config }: Loaded,
  options: Options,
  io: Io,
): Promise<Foreseen> {
  const { inputs, limits } = material;
  const design = {
    // What is said of a skill rests on its own benchmarks, and on those of no other.
    benchmarks: Math.min(...inputs.skills.map((skill) => skill.benchmarks.length)),
    skills: inputs.skills.length,
    models: inputs.models.length,
    trials: config.evaluation.trials,
  };
  const settings = plan.analysis;
  const context = {
    assumptions: await assumptionsOf(options.pilot, settings, config.out, io),
    repetitions: wholeNumber("--repetitions", options.repetitions),
    seed: inputs.seed,
  };
  const uplift = wholeNumber("--uplift", options.uplift) / 100;
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
    detectable: settings === null ? null : detectableUplift(design, upliftSteps, { ...context, settings }),
    limits:
      settings === null
        ? ["The arms give no hypothesis: nothing will be concluded."]
        : limitsOf(design, settings),
    grid:
      settings === null
        ? []
        : designsAround(design).map((one) => powerOf(one, uplift, { ...context, settings })),
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

function describe(foreseen: Foreseen, plan: Plan, path: string): string {
  const { design, uplift, assumptions, repetitions, detectable, limits, grid } = foreseen;
  const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
  const points = (fraction: number | null): string =>
    fraction === null ? "none up to +60 points" : `+${(fraction * 100).toFixed(0)} points`;
  const rows = grid.map(({ benchmarks, trials, tasks, set, wrongTasks, wrongSet }) => [
    `${benchmarks}${benchmarks === design.benchmarks && trials === design.trials ? " (yours)" : ""}`,
    String(trials),
    percent(set),
    percent(tasks),
    `${percent(wrongSet)} / ${percent(wrongTasks)}`,
    costOf(benchmarks * trials, foreseen),
  ]);
  const all = [
    ["benchmarks", "trials", "finds it: this set", "tasks like these", "wrong at 0", "expected"],
    ...rows,
  ];
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const table = all.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const [errors] = grid;
  return [
    `${foreseen.trials} trials${plan.analysis?.looks == null ? "" : " at most"}: ${benchmarkWords(plan)} × ${design.models} model(s) × ${design.trials} trial(s) per arm; at most ${foreseen.hoursAtMost.toFixed(1)} hours at the limits of the YAML`,
    ...planWords(plan),
    ...foreseen.estimate,
    ...limits.map((words) => `! ${words}`),
    ...(detectable === null
      ? []
      : [
          `smallest uplift found with the wanted power: ${points(detectable.set)} for this set, ${points(detectable.tasks)} for tasks like these`,
        ]),
    "",
    `Power to find +${(uplift * 100).toFixed(0)} points, by ${repetitions} simulated campaigns a design (± ${percent((errors?.standardError ?? 0) * 2)}); ${assumptions}`,
    ...table,
    "",
    `plan frozen: ${path}`,
    "",
  ].join("\n");
}

/** With several skills how many each has: every one of them is concluded about by itself. */
function benchmarkWords({ inputs: { skills } }: Plan): string {
  const counts = skills.map(({ benchmarks }) => benchmarks.length);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const each = least === most ? String(least) : `${least} to ${most}`;
  return skills.length === 1
    ? `${each} benchmark(s)`
    : `${skills.length} skills with ${each} benchmark(s) each`;
}

/** Of a design with so many benchmarks × trials, at what a trial of this plan is expected to cost. */
function costOf(benchmarksTimesTrials: number, { design, trials, expectedUsdPerTrial }: Foreseen): string {
  if (expectedUsdPerTrial === null) return "unknown";
  const each = trials / Math.max(1, design.benchmarks * design.trials);
  return dollars(nanoOf(expectedUsdPerTrial * each * benchmarksTimesTrials));
}

function wholeNumber(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new UserError(`${option} ${text}: say a whole number of at least 1.`);
  return value;
}
