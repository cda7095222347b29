import type { Plan } from "../artefacts/plan.ts";
import type { Design, Detectable, Power } from "../campaign-power.ts";
import { dollars, nanoOf } from "../artefacts/nano-usd.ts";
import { planWords } from "../plan-words.ts";

/** What a plan says before anything is spent. */
export type Foreseen = {
  readonly uplift: number;
  readonly assumptions: string;
  readonly repetitions: number;
  readonly design: Design;
  readonly trials: number;
  readonly limits: readonly string[];
  /** The campaign's own design and others around it. */
  readonly grid: readonly (Power & { readonly detectable: Detectable })[];
  readonly estimate: readonly string[];
  readonly expectedUsdPerTrial: number | null;
  /** At the limits of the YAML; most trials end earlier. */
  readonly hoursAtMost: number;
};

export function describe(foreseen: Foreseen, plan: Plan, path: string): string {
  const { design, limits, grid } = foreseen;
  const own = grid.find((one) => isOwn(one, design));
  const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
  const points = (fraction: number | null): string =>
    fraction === null
      ? "none that there is room for, up to +60 points"
      : `+${(fraction * 100).toFixed(0)} points`;
  const least = (fraction: number | null): string =>
    fraction === null ? "none" : `+${(fraction * 100).toFixed(0)}`;
  const rows = grid.map(({ benchmarks, trials, detectable, ...power }) => [
    `${benchmarks}${isOwn({ benchmarks, trials }, design) ? " (yours)" : ""}`,
    String(trials),
    ...[percent(power.set), percent(power.tasks)],
    `${least(detectable.set)} / ${least(detectable.tasks)}`,
    `${percent(power.wrongSet)} / ${percent(power.wrongTasks)}`,
    costOf(benchmarks * trials, foreseen),
    ((foreseen.hoursAtMost * benchmarks * trials) / (design.benchmarks * design.trials)).toFixed(1),
  ]);
  const all = [
    [
      "benchmarks",
      "trials",
      "finds it: this set",
      "tasks like these",
      "least it finds",
      "wrong at 0",
      "expected",
      "hours at most",
    ],
    ...rows,
  ];
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const table = all.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [
    `${foreseen.trials} trials${plan.analysis?.looks == null ? "" : " at most"}: ${benchmarkWords(plan)} × ${design.models} model(s) × ${design.trials} trial(s) per arm; at most ${foreseen.hoursAtMost.toFixed(1)} hours at the limits of the YAML`,
    ...planWords(plan),
    ...foreseen.estimate,
    ...limits.map((words) => `! ${words}`),
    ...(own === undefined
      ? []
      : [
          `smallest uplift found with the wanted power: ${points(own.detectable.set)} for this set, ${points(own.detectable.tasks)} for tasks like these`,
        ]),
    ...(grid.length === 0 ? [] : ["", powerWords(foreseen, plan), ...table]),
    "",
    `plan frozen: ${path}`,
    "",
  ].join("\n");
}

function isOwn(
  { benchmarks, trials }: Pick<Design, "benchmarks" | "trials">,
  own: Pick<Design, "benchmarks" | "trials">,
): boolean {
  return benchmarks === own.benchmarks && trials === own.trials;
}

/** What the table below it was simulated with. */
function powerWords(
  { uplift, repetitions, assumptions, grid: [first] }: Foreseen,
  { analysis }: Plan,
): string {
  const error = `± ${(200 * (first?.standardError ?? 0)).toFixed(0)} %`;
  const all = (analysis?.comparisons.length ?? 0) > 1 ? ", in every arm that is compared" : "";
  return `Power to find +${(uplift * 100).toFixed(0)} points on average${all}, by ${repetitions} simulated campaigns a design (${error}); ${assumptions}`;
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
