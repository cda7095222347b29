import type { CampaignComparison, ComparedRow } from "../artefacts/comparison.ts";
import type { ConcludedRow } from "../artefacts/conclusion.ts";
import type { ConclusionKind } from "../artefacts/conclusion-kind.ts";
import type { ArmUsage, Mean } from "../artefacts/report.ts";
import { differing } from "../differing.ts";
import type { Compared, ComparedPlan, Sides } from "./compared.ts";

/** What both campaigns concluded for themselves about the same rows, by the question that both could answer. */
export function conclusionsBeside(
  { a, b, control }: Sides,
  rows: readonly ComparedRow[],
): CampaignComparison["conclusions"] {
  return rows.flatMap(({ level, skill, model }) => {
    if (level === "cell") return [];
    const place = { level, skill, model };
    const [inA, inB] = [concludedIn(a, place, control), concludedIn(b, place, control)];
    if (inA === undefined || inB === undefined) return [];
    const question = inA.tasks !== null && inB.tasks !== null ? "tasks" : "set";
    const [of, to] = [inA[question]?.kind, inB[question]?.kind];
    return of === undefined || to === undefined
      ? []
      : [{ skill, model, question, a: of, b: to, worse: isWorse(of, to) }];
  });
}

function concludedIn(
  { report, arm }: Compared,
  { level, skill, model }: Pick<ComparedRow, "level" | "skill" | "model">,
  control: string,
): ConcludedRow | undefined {
  return report.conclusions?.rows.find(
    (row) =>
      row.level === level &&
      row.skill === skill &&
      row.model === model &&
      row.comparison.arm === arm &&
      row.comparison.against === control,
  );
}

const rank: Readonly<Record<ConclusionKind, number>> = {
  helps: 2,
  no_meaningful_difference: 1,
  cannot_tell: 1,
  hurts: 0,
};

function isWorse(a: ConclusionKind, b: ConclusionKind): boolean {
  return rank[b] < rank[a];
}

/** Means per trial in B ÷ in A, where both are means over the compared cells and no others. */
export function usageBeside(
  { a, b }: Sides,
  { rows, leftOut }: Pick<CampaignComparison, "rows" | "leftOut">,
): CampaignComparison["usage"] {
  return rows.flatMap(({ level, skill, model }) => {
    if (level !== "skill-model" || model === null) return [];
    const others = leftOut.some((one) => one.skill === skill && one.model === model);
    const [ofA, ofB] = [usageIn(a, skill, model), usageIn(b, skill, model)];
    const ratio = (meanOf: (usage: ArmUsage) => Mean): CampaignComparison["usage"][number]["costUsd"] => {
      if (others)
        return {
          ratio: null,
          words: "unavailable: cells of it were left out, whose trials are in the means",
        };
      if (ofA === undefined || ofB === undefined) return { ratio: null, words: "unavailable: not reported" };
      return ratioOf(meanOf(ofA), meanOf(ofB));
    };
    return [
      {
        ...{ skill, model },
        inputTokens: ratio(({ inputTokens }) => inputTokens),
        outputTokens: ratio(({ outputTokens }) => outputTokens),
        costUsd: ratio(({ costUsd }) => costUsd),
      },
    ];
  });
}

function usageIn({ report, arm }: Compared, skill: string, model: string): ArmUsage | undefined {
  return report.usage.find((row) => row.skill === skill && row.model === model && row.arm === arm);
}

function ratioOf(a: Mean, b: Mean): CampaignComparison["usage"][number]["costUsd"] {
  const known = `known of A ${a.known} of ${a.of} trials, B ${b.known} of ${b.of}`;
  if (a.mean === null || b.mean === null) return { ratio: null, words: `unavailable: ${known}` };
  if (a.mean === 0) return { ratio: null, words: `unavailable: 0 in A; ${known}` };
  const ratio = b.mean / a.mean;
  return { ratio, words: `× ${ratio.toFixed(2)} (${known})` };
}

/** Whether the arm delivers the same bytes on both sides, by skill. */
export function deliveredBeside({ a, b }: Sides, skills: readonly string[]): CampaignComparison["skills"] {
  return skills.map((skill) => {
    const [inA, inB] = [deliveredIn(a, skill), deliveredIn(b, skill)];
    return { skill, sameDelivered: inA === undefined || inB === undefined ? null : inA === inB };
  });
}

function deliveredIn({ plan, arm }: Compared, skill: string): string | null | undefined {
  return plan.inputs.skills.find(({ id }) => id === skill)?.arms.find(({ id }) => id === arm)?.delivered;
}

/** What differs between the two besides skills and benchmarks, as `path: before → after`. */
export function circumstancesBeside({ a, b }: Sides): readonly string[] {
  return differing(circumstancesOf(a.plan), circumstancesOf(b.plan));
}

function circumstancesOf({ inputs, image, endpoints }: ComparedPlan): unknown {
  const { seed, trials, sandbox, judges, modelSettings, prompts, standInPolicy } = inputs;
  return {
    ...{ seed, trials, sandbox, judges, modelSettings, prompts, standInPolicy },
    image: image.recipe,
    endpoints: Object.fromEntries(
      endpoints.map(({ model, tag, provider, quantization }) => [model, { tag, provider, quantization }]),
    ),
  };
}
