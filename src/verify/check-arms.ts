import { type Trial, trialName } from "../artefacts/trial.ts";
import type { Difference } from "../artefacts/verification.ts";
import { canonicalJson } from "../hash.ts";
import { type CampaignFound, type TrialFound, valueOf } from "./found.ts";
import { type Look, short } from "./look.ts";
import type { Check, Observer } from "./observer.ts";
import { OneEach } from "./one-each.ts";

/** All trials started from one image and kept one set of limits; what cannot be told of the image is said. */
export const checkStart: Check = (found) => {
  const { image, inputs } = found.plan;
  const turns = inputs.limits["turns"];
  const differences: Difference[] = [];
  const images = new Set<string>();
  let done = 0;
  return ofDone(
    ({ usage, image: its }, place) => {
      done++;
      images.add(its);
      if (turns === undefined || usage.modelCalls <= turns) return;
      const expected = `at most ${turns} turns, as planned`;
      differences.push({ place: `${place()}: usage`, expected, came: `${usage.modelCalls} model calls` });
    },
    () => {
      const probes = found.canaries.flatMap(({ canary }) => valueOf(canary) ?? []);
      const ids = new Set([...images, ...probes.map((canary) => canary.image), image.id]);
      const words = `${done} trials and ${probes.length} canaries: recipe ${short(image.recipe)}, ${ids.size} image id(s)`;
      if (ids.size === 1) return { differences, words };
      const unknown = "whether images of one recipe hold the same packages cannot be told from here";
      return {
        differences,
        words: `${words} (${[...ids].map(short).join(", ")}); ${unknown}`,
        partial: true,
      };
    },
  );
};

/** One text of the task per benchmark, one system prompt for all that get the same; records, transcripts, bundles agree. */
export const checkTask: Check = (found) => {
  const { prompts } = found.plan.inputs;
  const tasks = new OneEach("one task for all trials of a benchmark");
  const systems = new OneEach("one system prompt for all trials that are delivered the same");
  const deliveries = deliveriesOf(found);
  for (const { benchmark, skill, found: material } of found.benchmarks) {
    if (material.kind !== "there" || material.task === null) continue;
    tasks.add(`${skill}/${benchmark}`, material.task, () => `${material.place}/task.md`);
  }
  const differences: Difference[] = [];
  let done = 0;
  return ofDone(
    (trial, place, one) => {
      done++;
      const { skill, benchmark, arm } = one.planned;
      // A repeated arm is delivered the same under another id, and nothing is the same for all skills.
      const delivered = deliveries.get(JSON.stringify([skill, arm])) ?? "nothing";
      if (delivered === "nothing") systems.add(delivered, prompts.system, () => "plan.json");
      tasks.add(`${skill}/${benchmark}`, trial.prompts.task, place);
      systems.add(delivered, trial.prompts.system, place);
      const pairs = [
        ["tools", prompts.tools, trial.prompts.tools],
        ["task in the transcript", trial.prompts.task, one.said.task ?? trial.prompts.task],
        ["system prompt in the transcript", trial.prompts.system, one.said.system ?? trial.prompts.system],
      ] as const;
      for (const [what, expected, came] of pairs) {
        if (expected === came) continue;
        differences.push({ place: `${place()}: ${what}`, expected: short(expected), came: short(came) });
      }
    },
    () => ({
      differences: [...tasks.differences, ...systems.differences, ...differences],
      words: `prompts of ${done} trials: ${tasks.size} task(s), ${systems.size} system prompt(s)`,
    }),
  );
};

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
export const checkModel: Check = ({ plan }) => {
  const sent = new OneEach("the same request parameters in all arms of a block");
  const served = new OneEach("the same model and provider behind all arms of a block");
  const left = trialsByBlock(plan.trials);
  const differences: Difference[] = [];
  let done = 0;
  const see: Seen = (trial, place, one) => {
    if (trial.request === null) return;
    done++;
    const { model, block, seed } = one.planned;
    sent.add(String(block), canonicalJson(trial.request), place);
    served.add(String(block), canonicalJson(trial.served), place);
    const asked: readonly (readonly [string, string | number])[] = [
      ["model", model],
      ["seed", seed],
    ];
    for (const [name, expected] of asked) {
      const came = trial.request.sent[name];
      if (came === undefined || came === expected) continue;
      const words = { expected: String(expected), came: JSON.stringify(came) };
      differences.push({ place: `${place()}: request.${name}`, ...words });
    }
  };
  const observer = ofDone(see, () => ({
    differences: [...sent.differences, ...served.differences, ...differences],
    words: `requests and answers of ${done} trials in ${sent.size} block(s)`,
  }));
  return {
    ...observer,
    see: (one) => {
      observer.see(one);
      const { block } = one.planned;
      const more = (left.get(block) ?? 0) - 1;
      left.set(block, more);
      if (more > 0) return;
      left.delete(block);
      for (const each of [sent, served]) each.forget(String(block));
    },
  };
};

/** What was one value in a block is no longer needed behind its last trial. */
function trialsByBlock(trials: CampaignFound["plan"]["trials"]): Map<number, number> {
  const left = new Map<number, number>();
  for (const { block } of trials) left.set(block, (left.get(block) ?? 0) + 1);
  return left;
}

type Seen = (trial: Trial, place: () => string, one: TrialFound) => void;

/** Looks at the record of every trial that has one. */
function ofDone(see: Seen, look: () => Look): Observer {
  return {
    see: (one) => {
      const { trial, planned } = one;
      if (trial.kind === "there") see(trial.value, () => `trials/${trialName(planned)}/trial.json`, one);
    },
    look,
  };
}
