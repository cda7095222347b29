import { expect, test } from "vitest";
import type { Agent, AgentEnd } from "../agents/port.ts";
import { type PlannedTrial, stopReasonSchema } from "../artefacts/trial.ts";
import type { PipelineEvent } from "../events.ts";
import { randomFrom } from "../seed.ts";
import { type bothArms, deliverableWith } from "../testing/arms.ts";
import { answerBenchmark, sampleInputs } from "../testing/benchmark.ts";
import { fakeContainer } from "../testing/fake-container.ts";
import { collect, streamOf } from "../testing/sandbox-containers.ts";
import { noUsage } from "../testing/trials.ts";
import { performTrial, type TrialAttempt } from "./perform-trial.ts";
import { planTrials } from "./plan-trials.ts";
import { type AttemptEnd, workThrough } from "./schedule.ts";
import { deliver } from "./treatments/deliver.ts";

const plan = planTrials(sampleInputs(), "recipe");
const treatment = deliver([deliverableWith("sample", { "SKILL.md": "# Sample\n" })], "inject");

type Arm = (typeof bothArms)[number];

/** One of every kind there is: a new kind does not compile until it stands here. */
const ends: Readonly<Record<AgentEnd["kind"], readonly AgentEnd[]>> = {
  ended: stopReasonSchema.options.map((stop) => ({ kind: "ended", stop })),
  void: [{ kind: "void", reason: "HTTP 502" }],
  blocked: [{ kind: "blocked", reason: "an input filter" }],
  stop_model: [{ kind: "stop_model", reason: "gone" }],
  stop_all: [{ kind: "stop_all", reason: "no credits" }],
  budget: [{ kind: "budget", reason: "no room" }],
};

/** One attempt in an arm, by an agent that ends like this. */
async function attemptIn(arm: Arm, end: AgentEnd): Promise<TrialAttempt> {
  const planned = plan.find((trial) => trial.arm === arm);
  if (planned === undefined) throw new Error(`no trial of ${arm}`);
  const agent: Agent = {
    id: "quick",
    standIn: true,
    work: () =>
      Promise.resolve({
        ...{ end, finalMessage: null, usage: noUsage, request: null },
        served: { models: [], providers: [] },
      }),
  };
  const container = {
    ...fakeContainer(),
    unpack: () => Promise.resolve({ refused: "" }),
    snapshot: () => streamOf(new Uint8Array(7)),
  };
  const tools = {
    sandbox: {
      image: { id: "sha256:1", recipe: "recipe", base: "registry" as const },
      open: () => Promise.resolve(container),
    },
    ...{ agent, pack: () => streamOf(), record: () => undefined },
    spool: async (tar: AsyncIterable<Uint8Array>) => ({ sha256: "s", bytes: (await collect(tar)).length }),
  };
  const limits = { turns: 1, outputTokens: 1, seconds: 1, commandSeconds: 1, maxTokensPerTurn: 1 };
  const context = { campaign: "c", limits, toolsHash: "t", voids: 0 };
  return performTrial(planned, answerBenchmark(), arm === "with_skill" ? treatment : null, tools, context);
}

/** Without what names the arm: the planned trial, the hash of a system prompt with or without the skill, its files. */
function armless(attempt: TrialAttempt): unknown {
  if (attempt.kind !== "trial") return attempt;
  const { prompts } = attempt.trial;
  return { ...attempt.trial, trial: null, activations: [], prompts: { ...prompts, system: "" } };
}

test.each(Object.values(ends).flat())("$kind $stop: an attempt ends alike in both arms", async (end) => {
  const [withSkill, without] = [await attemptIn("with_skill", end), await attemptIn("without_skill", end)];
  expect(armless(withSkill)).toEqual(armless(without));
  if (withSkill.kind !== "trial" || without.kind !== "trial") return;
  // They were two arms indeed.
  expect(withSkill.trial.prompts.system).not.toBe(without.trial.prompts.system);
});

type Course = {
  readonly attempts: readonly string[];
  readonly events: readonly unknown[];
  readonly error: string;
};

/** How a schedule goes when trials of `arm` meet these ends in turn, and all others are done at once. */
async function courseOf(arm: Arm, met: readonly AttemptEnd[]): Promise<Course> {
  const attempts: string[] = [];
  const events: unknown[] = [];
  const left = [...met];
  // One after the other and always in the same order, whichever arm of a block comes first.
  const trials = plan.toSorted((a, b) => a.block - b.block || Number(b.arm === arm) - Number(a.arm === arm));
  const nameOf = ({ arm: own, block }: PlannedTrial): string => `${block} ${own === arm ? "met" : "other"}`;
  const attempt = (trial: PlannedTrial): Promise<AttemptEnd> => {
    attempts.push(nameOf(trial));
    const next = trial.arm === arm ? left.shift() : undefined;
    return Promise.resolve(next ?? { kind: "done", words: "" });
  };
  const listen = (event: PipelineEvent): void => {
    events.push("trial" in event ? { ...event, trial: nameOf(event.trial) } : event);
  };
  const error = await workThrough(trials, { concurrency: 1, attempt, listen }).then(
    () => "",
    (thrown: unknown) => String(thrown),
  );
  return { attempts, events, error };
}

test("whatever trials of one arm meet, the schedule goes as if the other had met it", async () => {
  const random = randomFrom("arms");
  const kinds: readonly AttemptEnd[] = [
    { kind: "done", words: "passed" },
    { kind: "void", reason: "HTTP 502" },
    { kind: "void", reason: "engine" },
    { kind: "stop_model", reason: "gone" },
    { kind: "stop_all", reason: "no credits" },
    { kind: "budget", reason: "no room" },
  ];
  const seen = new Set<string>();
  for (let round = 0; round < 200; round++) {
    const met = Array.from({ length: Math.ceil(random() * 12) }, (): AttemptEnd => {
      // What stops all is rare, or nothing would come after it.
      const some = random() < 0.8 ? kinds.slice(0, 3) : kinds;
      return some[Math.floor(random() * some.length)] ?? { kind: "done", words: "" };
    });
    const course = await courseOf("with_skill", met);
    expect(await courseOf("without_skill", met), JSON.stringify(met)).toEqual(course);
    seen.add(course.error.replace(/:.*/, ""));
  }
  expect([...seen].sort()).toEqual(["", "BudgetError", "InfrastructureError"]);
});
