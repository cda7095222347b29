import type { AnalysisSettings } from "./artefacts/analysis.ts";
import type { Plan } from "./artefacts/plan.ts";
import { boundaryOf } from "./statistics/looks.ts";

/** What a plan freezes besides its trials, a line each: what will be concluded and how, when it stops, what is left out. */
export function planWords({ analysis, inputs, leaky, image }: Plan): readonly string[] {
  const excluded = inputs.excluded.map(({ skill, benchmark, mark }) => `${skill}/${benchmark} (${mark})`);
  return [
    ...(analysis === null
      ? ["hypotheses: none, so that nothing is concluded"]
      : [...hypotheses(analysis), `stopping: ${stopping(analysis)}`]),
    `exclusions: ${excluded.length === 0 ? "no benchmark" : excluded.join(", ")}; leaky benchmarks ${leaky === "exclude" ? "are left out of means" : "count and are named"}; trials lost to infrastructure are made again at most twice, then counted neither way and both ways as bounds`,
    `order: one block of all arms per benchmark × model at a time, each arm first equally often, by seed ${inputs.seed}; all first trials before any second`,
    `frozen by hash: ${inputs.skills.length} skill(s) with their arms, ${inputs.skills.reduce((sum, { benchmarks }) => sum + benchmarks.length, 0)} benchmark(s), prompts, limits, endpoints with prices, image recipe ${image.recipe.slice(0, 12)}`,
  ];
}

function hypotheses(analysis: AnalysisSettings): readonly string[] {
  const { comparisons, sides, alpha, delta, family, midP, minTasks, placebo } = analysis;
  const against = comparisons.map((one) => `${one.arm} against ${one.against}`).join("; ");
  const test = midP ? "mid-p" : "exact p";
  const correction = family === "holm" ? "Holm" : "Benjamini–Hochberg";
  return [
    `hypotheses, per skill and per skill × model: ${against}`,
    `tests: ${sides === 2 ? "two-sided" : "one-sided (only whether it helps)"}, ${test} at ${alpha} after ${correction} over each level; margin ±${(delta * 100).toFixed(0)} points; tasks like these from ${minTasks} benchmarks on` +
      (placebo === null ? "" : `; *helps* has to beat ${placebo} too where it ran`),
  ];
}

function stopping({ looks }: AnalysisSettings): string {
  if (looks === null) return "none: all planned trials are made";
  const { count, boundary, settle, trials } = looks;
  const levels = boundaryOf(boundary, count).map(({ nominalP }) => nominalP.toPrecision(2));
  const cells =
    settle === null
      ? ""
      : `; a cell whose verdicts are all alike after ${settle.after} pairs settles, and others get its trials, up to ${settle.mostPairs} pairs`;
  return `${count} looks (${boundary}, p at most ${levels.join(", ")}) within ${trials} trials per arm and cell; it ends when every skill has a conclusion${cells}`;
}
