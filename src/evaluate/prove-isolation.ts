import type { Canary } from "../artefacts/canary.ts";
import { hashTree } from "../artefacts/tree.ts";
import type { PlannedTrial } from "../artefacts/trial.ts";
import { InfrastructureError } from "../errors.ts";
import type { Listen } from "../events.ts";
import { SandboxError } from "../sandbox/port.ts";
import { type CanaryRequest, type CanaryTools, probeArm } from "./canary.ts";

/** A probe container may be lost like a trial's. */
const attempts = 3;

/** Where the evidence lies: what was answered in this campaign, in order, and a place for more. */
export type CanaryShelf = {
  readCanaries(): Promise<readonly Canary[]>;
  /** Resolves to the path. */
  writeCanary(canary: Canary): Promise<string>;
};

export type IsolationTools = CanaryTools & { readonly shelf: CanaryShelf; readonly listen: Listen };

/** One trial of each skill and arm: its container stands for those of the others. */
export function oneOfEachArm(trials: readonly PlannedTrial[]): PlannedTrial[] {
  const seen = new Set<string>();
  return trials.filter(({ skill, arm }) => {
    const name = JSON.stringify([skill, arm]);
    const isFirst = !seen.has(name);
    seen.add(name);
    return isFirst;
  });
}

/**
 * Sends a canary into each arm on each engine before its first trial; what was proven in this campaign for the same
 * engine, image, skill and delivery is not repeated. Keeps the evidence, then throws `InfrastructureError` that names the probes
 * that failed; an engine that takes no canary gets no trial either, so that it throws then as well.
 */
export async function proveIsolation(
  requests: readonly CanaryRequest[],
  tools: IsolationTools,
): Promise<void> {
  const known = await tools.shelf.readCanaries();
  for (const request of requests) {
    for (const place of placesOf(tools)) {
      if (known.some((canary) => isProof(canary, request, place))) continue;
      const canary = await probePatiently(request, { ...tools, ...place });
      const path = await tools.shelf.writeCanary(canary);
      const passed = canary.probes.filter((probe) => probe.passed).length;
      const words = `${nameOf(canary)}: ${passed} of ${canary.probes.length} isolation probes passed`;
      tools.listen({ kind: "stage", stage: "canary", words });
      if (!canary.passed) throw notIsolated(canary, path);
    }
  }
}

type Place = Pick<CanaryTools, "sandbox" | "endpoint">;

function placesOf({ sandbox }: IsolationTools): readonly Place[] {
  return (
    sandbox.endpoints?.map(({ name, sandbox: one }) => ({ endpoint: name, sandbox: one })) ?? [{ sandbox }]
  );
}

function isProof(canary: Canary, request: CanaryRequest, { sandbox, endpoint }: Place): boolean {
  const { skill, arm, subject } = request;
  const there = canary.endpoint === (endpoint ?? null) && canary.image === sandbox.image.id;
  const about = canary.skill === skill && canary.arm === arm.id;
  const same = canary.treeHash === hashTree(subject.files) && canary.delivered === arm.delivered;
  return canary.passed && there && about && same;
}

function nameOf({ skill, arm, endpoint }: Canary): string {
  return `${skill}/${arm}${endpoint === null ? "" : ` on ${endpoint}`}`;
}

async function probePatiently(request: CanaryRequest, tools: IsolationTools): Promise<Canary> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await probeArm(request, tools);
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      if (attempt < attempts) continue;
      const where = tools.endpoint === undefined ? "" : ` to ${tools.endpoint}`;
      throw new InfrastructureError(`no canary could be sent${where}, ${attempts} times: ${error.message}`, {
        cause: error,
      });
    }
  }
}

function notIsolated(canary: Canary, path: string): InfrastructureError {
  const failed = canary.probes.filter(({ passed }) => !passed);
  const words = failed.map(
    ({ probe, asked, expected, answered }) => `${probe}: ${asked}: expected ${expected}, found ${answered}`,
  );
  return new InfrastructureError(
    `isolation of ${nameOf(canary)} is not proven, so no trial is begun.\n${words.join("\n")}\nThe evidence ` +
      `is in ${path}. Mend the engine or the image (\`sandbox\` in the YAML) and repeat the command.`,
  );
}
