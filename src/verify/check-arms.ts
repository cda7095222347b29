import type { Trial } from "../artefacts/trial.ts";
import { trialName } from "../artefacts/trial.ts";
import { canonicalJson } from "../hash.ts";
import { type CampaignFound, type TrialFound, valueOf } from "./found.ts";
import type { Difference } from "../artefacts/verification.ts";
import { type Look, short } from "./look.ts";

type Done = { readonly one: TrialFound; readonly trial: Trial; readonly place: string };

/** All trials started from one image and kept one set of limits; what cannot be told of the image is said. */
export function checkStart(found: CampaignFound): Look {
  const done = doneIn(found);
  const { image, inputs } = found.plan;
  const turns = inputs.limits["turns"];
  const differences = done.flatMap(({ trial, place }): readonly Difference[] =>
    turns === undefined || trial.usage.modelCalls <= turns
      ? []
      : [
          {
            place: `${place}: usage`,
            expected: `at most ${turns} turns, as planned`,
            came: `${trial.usage.modelCalls} model calls`,
          },
        ],
  );
  const probes = found.canaries.flatMap(({ canary }) => valueOf(canary) ?? []);
  const ids = new Set([
    ...done.map(({ trial }) => trial.image),
    ...probes.map((canary) => canary.image),
    image.id,
  ]);
  const words = `${done.length} trials and ${probes.length} canaries: recipe ${short(image.recipe)}, ${ids.size} image id(s)`;
  if (ids.size === 1) return { differences, words };
  const unknown = "whether images of one recipe hold the same packages cannot be told from here";
  return { differences, words: `${words} (${[...ids].map(short).join(", ")}); ${unknown}`, partial: true };
}

/** One text of the task per benchmark, one system prompt for all that get the same; records, transcripts, bundles agree. */
export function checkTask(found: CampaignFound): Look {
  const done = doneIn(found);
  const { prompts } = found.plan.inputs;
  const tasks = new OneEach("one task for all trials of a benchmark");
  const systems = new OneEach("one system prompt for all trials that are delivered the same");
  const deliveries = deliveriesOf(found);
  for (const { benchmark, skill, found: material } of found.benchmarks) {
    if (material.kind !== "there" || material.task === null) continue;
    tasks.add(`${skill}/${benchmark}`, material.task, `${material.place}/task.md`);
  }
  const differences: Difference[] = [];
  for (const { one, trial, place } of done) {
    const { skill, benchmark, arm } = one.planned;
    // A repeated arm is delivered the same under another id, and nothing is the same for all skills.
    const delivered = deliveries.get(JSON.stringify([skill, arm])) ?? "nothing";
    if (delivered === "nothing") systems.add(delivered, prompts.system, "plan.json");
    tasks.add(`${skill}/${benchmark}`, trial.prompts.task, place);
    systems.add(delivered, trial.prompts.system, place);
    const pairs = [
      ["tools", prompts.tools, trial.prompts.tools],
      ["task in the transcript", trial.prompts.task, one.said.task ?? trial.prompts.task],
      ["system prompt in the transcript", trial.prompts.system, one.said.system ?? trial.prompts.system],
    ] as const;
    for (const [what, expected, came] of pairs) {
      if (expected === came) continue;
      differences.push({ place: `${place}: ${what}`, expected: short(expected), came: short(came) });
    }
  }
  const words = `prompts of ${done.length} trials: ${tasks.size} task(s), ${systems.size} system prompt(s)`;
  return { differences: [...tasks.differences, ...systems.differences, ...differences], words };
}

/** Hash of what each arm of each skill delivers; only of arms that deliver anything. */
function deliveriesOf({ plan }: CampaignFound): ReadonlyMap<string, string> {
  return new Map(
    plan.inputs.skills.flatMap(({ id, arms }) =>
      arms.flatMap(({ id: arm, delivered }): [string, string][] =>
        delivered === null ? [] : [[JSON.stringify([id, arm]), delivered]],
      ),
    ),
  );
}

/** In a block all arms asked the same model in the same way, and were answered by the same one. */
export function checkModel(found: CampaignFound): Look {
  const sent = new OneEach("the same request parameters in all arms of a block");
  const served = new OneEach("the same model and provider behind all arms of a block");
  const differences: Difference[] = [];
  const done = doneIn(found).filter(({ trial }) => trial.request !== null);
  for (const { one, trial, place } of done) {
    const { model, block, seed } = one.planned;
    sent.add(String(block), canonicalJson(trial.request), place);
    served.add(String(block), canonicalJson(trial.served), place);
    const asked: readonly (readonly [string, string | number])[] = [
      ["model", model],
      ["seed", seed],
    ];
    for (const [name, expected] of asked) {
      const came = trial.request?.sent[name];
      if (came === undefined || came === expected) continue;
      differences.push({
        place: `${place}: request.${name}`,
        expected: String(expected),
        came: JSON.stringify(came),
      });
    }
  }
  const words = `requests and answers of ${done.length} trials in ${sent.size} block(s)`;
  return { differences: [...sent.differences, ...served.differences, ...differences], words };
}

function doneIn({ trials }: CampaignFound): readonly Done[] {
  return trials.flatMap((one) => {
    const trial = valueOf(one.trial);
    return trial === null ? [] : [{ one, trial, place: `trials/${trialName(one.planned)}/trial.json` }];
  });
}

/** Collects what must be one value for each name, and what is not. */
class OneEach {
  readonly differences: Difference[] = [];
  private readonly what: string;
  private readonly known = new Map<string, { readonly value: string; readonly place: string }>();

  constructor(what: string) {
    this.what = what;
  }

  get size(): number {
    return this.known.size;
  }

  add(name: string, value: string, place: string): void {
    const first = this.known.get(name);
    if (first === undefined) this.known.set(name, { value, place });
    else if (first.value !== value) {
      const expected = `${this.what}: ${shown(first.value)} as in ${first.place}`;
      this.differences.push({ place, expected, came: shown(value) });
    }
  }
}

/** Hashes short, anything else so far as it fits in a line. */
function shown(value: string): string {
  if (/^[0-9a-f]{64}$/.test(value)) return short(value);
  return value.length > 160 ? `${value.slice(0, 160)}…` : value;
}
