import type { Benchmark } from "../artefacts/benchmark.ts";
import type { FileTree } from "../artefacts/tree.ts";
import type { Container, ContainerRequest, Sandbox } from "../sandbox/port.ts";
import { type DeliveredSkill, systemPrompt } from "./prompts.ts";

/** What an arm gives to the agent; null for the arm without. */
export type Treatment = { readonly skill: DeliveredSkill; readonly files: FileTree } | null;

export type TrialPlace = {
  readonly sandbox: Sandbox;
  readonly pack: (tree: FileTree) => AsyncIterable<Uint8Array>;
  readonly labels: ContainerRequest["labels"];
  readonly signal?: AbortSignal;
};

/** All that an agent starts from. */
export type OpenedTrial = {
  readonly system: string;
  readonly task: string;
  /** Fresh, with the fixtures in /workspace. The caller disposes of it. */
  readonly container: Container;
};

/**
 * The one way to the start of a trial: canaries come through here too, so that what they prove holds for trials.
 * Throws what `Sandbox` and `Container` throw.
 */
export async function openTrial(
  benchmark: Benchmark,
  treatment: Treatment,
  place: TrialPlace,
): Promise<OpenedTrial> {
  const system = systemPrompt(treatment?.skill ?? null);
  const { task, fixtures } = benchmark.bundle;
  const request = { role: "agent", labels: place.labels, skill: treatment?.files ?? null } as const;
  const container = await place.sandbox.open(request, place.signal);
  try {
    await container.unpack(place.pack(fixtures), "/workspace");
    return { system, task, container };
  } catch (error) {
    await container.dispose();
    throw error;
  }
}
