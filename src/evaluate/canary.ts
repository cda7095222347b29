import { randomBytes } from "node:crypto";
import type { Benchmark } from "../artefacts/benchmark.ts";
import { type Canary, canaryFormat } from "../artefacts/canary.ts";
import type { PlannedArm } from "../artefacts/plan.ts";
import { type FileTree, hashTree } from "../artefacts/tree.ts";
import { InfrastructureError } from "../errors.ts";
import type { Sandbox } from "../sandbox/port.ts";
import {
  answerSchema,
  bundleProbes,
  type CanaryAnswer,
  marked,
  mountProbe,
  networkProbes,
  promptProbe,
  skillProbes,
} from "./canary-probes.ts";
import { canaryScript } from "./canary-script.ts";
import { type Needle, plantMarkers, type PlantedSkill, SkillMarkers } from "./markers.ts";
import { openTrial, type OpenedTrial, type Treatment } from "./open-trial.ts";
import { deliver, type Delivery } from "./treatments/deliver.ts";
import type { Deliverable } from "./treatments/deliverable.ts";

const limitMs = 120_000;
const maxOutputBytes = 512 * 1024;

export type CanaryRequest = {
  readonly campaign: string;
  readonly skill: string;
  readonly arm: PlannedArm;
  readonly delivery: Delivery;
  readonly benchmark: Benchmark;
  /** The skill under test: nothing of it may be found in an arm that does not deliver it. */
  readonly subject: Deliverable;
  /** The arm's own skills, where it delivers others than the one under test. */
  readonly skills: readonly Deliverable[];
  /** What the arm's agent gets, decided by whoever decides it for trials, of the copies that `plant` makes. */
  readonly deliver: (plant: (skill: Deliverable) => Deliverable) => Treatment;
};

export type CanaryTools = {
  readonly sandbox: Sandbox;
  /** Its engine's address, where there are several. */
  readonly endpoint?: string;
  readonly pack: (tree: FileTree) => AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
  /** A new random text of letters and digits at each call. */
  readonly newMarker?: () => string;
};

/**
 * Opens a container as the trials of an arm open theirs, with markers planted in copies of the skills and the bundle,
 * and looks from inside for a network and for what the agent must not see. A failed probe is in the answer. Throws
 * `SandboxError` for a lost container and `InfrastructureError` when the probes could not be carried out.
 */
export async function probeArm(request: CanaryRequest, tools: CanaryTools): Promise<Canary> {
  const { skill, arm, benchmark, subject, skills } = request;
  const { image } = tools.sandbox;
  const born = performance.now();
  const newMarker = tools.newMarker ?? (() => randomBytes(16).toString("hex"));
  const planted = plantMarkers(benchmark, [subject, ...skills], newMarker);
  const markers = new SkillMarkers(newMarker);
  markers.plant(subject, `${subject.name} (under test)`);
  const expected = expectedSkills(request).map((one) => markers.plant(one));
  const treatment = request.deliver((one) => markers.plant(one).skill);
  const labels = { campaign: request.campaign, trial: `canary ${skill} ${arm.id}` };
  const opened = await openTrial(planted.benchmark, treatment, { ...tools, labels });
  try {
    const told = markers.planted.flatMap(({ contents, description }) => [contents, description]);
    const needles = [...planted.needles, ...told];
    const ageSeconds = Math.ceil((performance.now() - born) / 1000);
    const asked = { ageSeconds, wholeImage: image.base === "user" };
    const answer = await ask(opened, needles, asked, tools.signal);
    const probes = [
      ...networkProbes(answer),
      mountProbe(answer, expected.length > 0),
      ...skillProbes(answer, placesOf(expected, request.delivery)),
      ...bundleProbes(answer, planted),
      promptProbe(opened, needles, inPrompt(expected, request.delivery)),
    ];
    return {
      format: canaryFormat,
      skill,
      arm: arm.id,
      endpoint: tools.endpoint ?? null,
      benchmark: benchmark.bundle.id,
      bundleHash: benchmark.bundle.hash,
      treeHash: hashTree(subject.files),
      delivered: arm.delivered,
      image: image.id,
      searched: answer.searched,
      probes,
      passed: probes.every(({ passed }) => passed),
    };
  } finally {
    await opened.container.dispose();
  }
}

/** By what the plan says of the arm and not by what was delivered: a wrong delivery must be found. */
function expectedSkills({ arm, subject, skills }: CanaryRequest): readonly Deliverable[] {
  switch (arm.treatment.kind) {
    case "without_skill":
      return [];
    case "with_skill":
      return [subject];
    case "placebo":
    case "pack":
    case "version":
    case "ablation":
      return skills;
  }
}

/** Where the markers of skills must be found in the container. */
function placesOf(
  skills: readonly PlantedSkill[],
  delivery: Delivery,
): ReadonlyMap<Needle, readonly string[]> {
  if (skills.length === 0) return new Map();
  const placed = deliver(
    skills.map(({ skill }) => skill),
    delivery,
  ).skills;
  return new Map(
    skills.map(({ contents, markerFile, skill }, index) => {
      const root = placed[index]?.root ?? "";
      return [contents, [`${root}/${skill.file}`, ...marked(`${root}/${markerFile}`)]];
    }),
  );
}

/** What of skills must stand in the system prompt. */
function inPrompt(skills: readonly PlantedSkill[], delivery: Delivery): readonly Needle[] {
  switch (delivery) {
    case "inject":
      return skills.map(({ contents }) => contents);
    case "discover":
      return skills.map(({ description }) => description);
  }
}

async function ask(
  { container }: OpenedTrial,
  needles: readonly Needle[],
  asked: { readonly ageSeconds: number; readonly wholeImage: boolean },
  signal: AbortSignal | undefined,
): Promise<CanaryAnswer> {
  const hexed = needles.map(({ bytes }, n) => ({ name: String(n), hex: Buffer.from(bytes).toString("hex") }));
  const env = { CANARY: JSON.stringify({ ...asked, needles: hexed }), CANARY_SCRIPT: canaryScript };
  const command = 'exec python3 -I -c "$CANARY_SCRIPT"';
  const outcome = await container.run({ command, timeoutMs: limitMs, maxOutputBytes, env }, signal);
  const text = Buffer.concat([outcome.stdout.head, outcome.stdout.tail]).toString("utf8");
  if (outcome.exitCode !== 0 || outcome.stdout.totalBytes > maxOutputBytes) {
    const ended = outcome.timedOut
      ? "it took too long"
      : `exit code ${outcome.exitCode ?? outcome.signal ?? ""}`;
    const words = Buffer.concat([outcome.stderr.head, outcome.stderr.tail]).toString("utf8").slice(-1000);
    throw new InfrastructureError(`the isolation probes could not be carried out (${ended}): ${words}`);
  }
  const { found, ...answer } = answerSchema.parse(JSON.parse(text));
  return { ...answer, places: new Map(needles.map((needle, n) => [needle, found[String(n)] ?? []])) };
}
