import { type Canary, canaryFormat, type Probe } from "../artefacts/canary.ts";

/** A canary of the arm without the skill that asked one thing: the network interfaces. */
export function sampleCanary(over: Partial<Probe> = {}, endpoint: string | null = null): Canary {
  const asked = { probe: "interfaces", asked: "network interfaces", expected: "lo" } as const;
  const probe = { ...asked, answered: "lo", passed: true, ...over };
  return {
    format: canaryFormat,
    skill: "sample",
    arm: "without_skill",
    endpoint,
    benchmark: "answer",
    bundleHash: "b",
    treeHash: "t",
    delivered: null,
    image: "sha256:0",
    searched: {
      files: 12,
      bytes: 3400,
      unreadableFiles: 1,
      filesOfImage: 9,
      processes: 3,
      unreadableProcesses: 1,
    },
    probes: [probe],
    passed: probe.passed,
  };
}
