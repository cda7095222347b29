import { basename, join, resolve } from "node:path";
import { type ProbedBenchmark, probeRule } from "../artefacts/headroom.ts";
import type { Plan } from "../artefacts/plan.ts";
import type { Report } from "../artefacts/report.ts";
import type { Tally } from "../artefacts/tally.ts";
import type { Config } from "../config.ts";
import { UserError } from "../errors.ts";
import { headroomOf, tryWithSkill } from "../probe-benchmarks.ts";
import { randomFrom } from "../seed.ts";
import { readIfThere } from "../store/artefact.ts";
import { CampaignStore } from "../store/campaign.ts";
import { writeHeadroom } from "../store/headroom.ts";
import { evaluate, exitCodeFor, modelsFrom, trialsFrom } from "./eval.ts";
import { type AddCommand, type ExitCode, type Io, type Loaded, loadCampaignFile } from "./io.ts";

type Options = {
  readonly config?: string;
  readonly models?: string;
  readonly trials?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
};

/** `skillproof probe BENCHMARK…`: headroom, by trials that choose benchmarks and are then thrown away. */
export const addProbe: AddCommand = (program, io, done) => {
  program
    .command("probe")
    .description("headroom: trials that mark benchmarks as ceiling or floor and are counted nowhere else")
    .argument("[benchmark...]", "folders or ids of benchmarks; all of the YAML's skills when none is named")
    .option("-c, --config <file>", "the campaign's YAML")
    .option("--models <ids>", "instead of probe.models, comma-separated")
    .option("--trials <n>", "instead of probe.trials")
    .option("-y, --yes", "agree to the estimate of what it costs")
    .option("--json", "print what was found on stdout")
    .action(async (named: readonly string[], options: Options) => {
      const loaded = await loadCampaignFile(io, options.config, {});
      const only =
        named.length === 0 ? null : await Promise.all(named.map((name) => nameOf(name, loaded, io)));
      const { probed, code } = await probe(loaded, { ...options, only }, io);
      if (options.json === true)
        io.out(`${JSON.stringify({ rule: probeRule, benchmarks: probed }, null, 2)}\n`);
      else io.out(tableOf(probed));
      done(code);
    });
};

type Probed = ProbedBenchmark & { readonly skill: string };

/** Baseline first; the skill is tried only where no baseline trial passed. */
async function probe(
  loaded: Loaded,
  options: Options & { readonly only: readonly string[] | null },
  io: Io,
): Promise<{ readonly probed: readonly Probed[]; readonly code: ExitCode }> {
  const yes = options.yes === true;
  const trialsOf = async (arm: ProbedArm, only: readonly string[] | null): Promise<Tried> => {
    const config = configFor(loaded.config, arm, options);
    const ended = await evaluate({ ...loaded, config }, { only, yes, probe: { ...probeRule } }, io);
    return { ...ended, plan: await new CampaignStore(ended.folder).readPlan() };
  };
  const baseline = await trialsOf("without_skill", options.only);
  const open = tryWithSkill(baseline.report, baseline.plan);
  const treated = open.length === 0 ? null : await trialsOf("with_skill", open);
  const campaigns = [baseline, treated].flatMap((tried) => (tried === null ? [] : [basename(tried.folder)]));
  const probed = headroomOf(baseline, treated?.report ?? null, campaigns);
  for (const { folder, benchmarks } of loaded.config.skills) {
    const its = probed.filter(({ skill }) => skill === basename(folder));
    if (its.length > 0)
      await writeHeadroom(benchmarks ?? join(loaded.config.benchmarks, basename(folder)), its);
  }
  const codes = [baseline, treated].map((tried) => (tried === null ? 0 : exitCodeFor(tried.report)));
  return { probed, code: codes.find((code) => code !== 0) ?? 0 };
}

type ProbedArm = "without_skill" | "with_skill";

type Tried = { readonly report: Report; readonly folder: string; readonly plan: Plan };

/** Another name and another seed: no trial of a later campaign is one of these again. */
function configFor(config: Config, arm: ProbedArm, options: Options): Config {
  const { evaluation, probe: given } = config;
  return {
    ...config,
    name: `${config.name}-probe`,
    seed: Math.floor(randomFrom(config.seed, "probe")() * 2 ** 31),
    evaluation: {
      ...evaluation,
      arms: [{ id: arm, label: null, treatment: { kind: arm } }],
      models: options.models === undefined ? (given.models ?? evaluation.models) : modelsFrom(options.models),
      trials: trialsFrom(options.trials) ?? given.trials,
    },
  };
}

/** `skill/id` of a benchmark given by its folder; an id stays what it is. */
async function nameOf(name: string, { config }: Loaded, io: Io): Promise<string> {
  const folder = resolve(io.cwd, name);
  if ((await readIfThere(join(folder, "benchmark.yaml"))) === undefined) return name;
  const home = resolve(folder, "..");
  const skill = config.skills.find(
    (one) => resolve(one.benchmarks ?? join(config.benchmarks, basename(one.folder))) === home,
  );
  if (skill === undefined)
    throw new UserError(`${name}: belongs to no skill of the YAML. Name its skill under \`skills:\`.`);
  return `${basename(skill.folder)}/${basename(folder)}`;
}

function tableOf(probed: readonly Probed[]): string {
  const words = (tally: Tally | null): string =>
    tally === null ? "not tried" : `${tally.passed} of ${tally.graded} passed (${tally.planned} planned)`;
  const rows = probed.map(({ skill, benchmark, mark, baseline, treated }) => [
    `${skill}/${benchmark}`,
    mark,
    words(baseline),
    words(treated),
  ]);
  const all = [["benchmark", "mark", "without the skill", "with it"], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const lines = all.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const rule = `ceiling: ${probeRule.ceiling}. floor: ${probeRule.floor}. Nothing is left out unless evaluation.exclude says so.`;
  return `${lines.join("\n")}\n${rule}\n`;
}
