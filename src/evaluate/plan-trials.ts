import type { CampaignInputs, PlannedArm } from "../artefacts/plan.ts";
import type { PlannedTrial } from "../artefacts/trial.ts";
import { hashJson } from "../hash.ts";
import { randomFrom, shuffled } from "../seed.ts";

type PlannedSkill = CampaignInputs["skills"][number];
type Block = {
  readonly skill: PlannedSkill;
  readonly benchmark: PlannedSkill["benchmarks"][number];
  readonly model: string;
  readonly n: number;
  readonly block: number;
};

/**
 * Every trial of a campaign in the order of work: repetitions outermost, so that an early stop leaves a balanced
 * table; inside, one block per benchmark × model with its arms back to back. In as many blocks of a cell as there are
 * arms each goes first once, in an order fixed by the seed.
 * `recipe` is the hash of what the sandbox image is made from.
 */
export function planTrials(inputs: CampaignInputs, recipe: string): PlannedTrial[] {
  return [...eachTrial(inputs, recipe)];
}

/** The same, one at a time. */
export function* eachTrial(inputs: CampaignInputs, recipe: string): Generator<PlannedTrial> {
  const cells = inputs.skills.flatMap((skill) =>
    skill.benchmarks.flatMap((benchmark) => inputs.models.map((model) => ({ skill, benchmark, model }))),
  );
  let block = 0;
  for (let n = 1; n <= inputs.trials; n++)
    for (const cell of cells) yield* planBlock({ ...cell, n, block: block++ }, inputs, recipe);
}

function planBlock(cell: Block, inputs: CampaignInputs, recipe: string): PlannedTrial[] {
  const { skill, benchmark, model, n, block } = cell;
  const random = randomFrom(inputs.seed, "block", skill.id, benchmark.id, model, n);
  const seed = Math.floor(random() * 2 ** 31);
  return orderedArms(cell, inputs.seed).map((arm) => ({
    skill: skill.id,
    benchmark: benchmark.id,
    model,
    arm: arm.id,
    n,
    block,
    seed,
    key: trialKey(cell, arm, seed, inputs, recipe),
  }));
}

/** Drawn anew for every round of blocks, and turned by one from block to block in it. */
function orderedArms({ skill, benchmark, model, n }: Block, seed: number): readonly PlannedArm[] {
  const { arms } = skill;
  const [round, turn] = [Math.floor((n - 1) / arms.length), (n - 1) % arms.length];
  const drawn = shuffled(arms, randomFrom(seed, "order", skill.id, benchmark.id, model, round));
  return [...drawn.slice(turn), ...drawn.slice(0, turn)];
}

/**
 * Hash of all that can change a trial's outcome: not the number of trials, other models, other arms or the concurrency.
 * An arm that is repeated delivers the same; by its id its trials are others.
 */
function trialKey(
  cell: Block,
  arm: PlannedArm,
  seed: number,
  inputs: CampaignInputs,
  recipe: string,
): string {
  return hashJson({
    skill: cell.skill.id,
    delivered: arm.delivered,
    bundle: cell.benchmark.bundleHash,
    model: cell.model,
    settings: inputs.modelSettings[cell.model] ?? null,
    arm: arm.id,
    n: cell.n,
    seed,
    delivery: inputs.delivery,
    limits: inputs.limits,
    sandbox: inputs.sandbox,
    prompts: inputs.prompts,
    standInPolicy: inputs.standInPolicy,
    recipe,
  });
}
