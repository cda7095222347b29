import type { Benchmark } from "../artefacts/benchmark.ts";
import type { FileTree } from "../artefacts/tree.ts";
import type { Container, ContainerRequest, Sandbox } from "../sandbox/port.ts";
import { baseSystemPrompt } from "./prompts.ts";
import type { Delivered } from "./treatments/deliver.ts";

/** What an arm gives to the agent; null for an arm without a skill. */
export type Treatment = Delivered | null;

/** What is constant, then what the arm adds. */
export function systemPrompt(treatment: Treatment): string {
  return baseSystemPrompt + (treatment?.prompt ?? "");
}

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
  const system = systemPrompt(treatment);
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
