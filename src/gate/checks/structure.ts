import type { Bundle } from "../../artefacts/bundle.ts";
import { hashTree } from "../../artefacts/tree.ts";
import type { Check } from "../check.ts";
import { matchesGlob } from "../globs.ts";
import { referenceWorkspace } from "../workspaces.ts";

/** The parts fit each other: the reference changes something, and only what the bundle says it may. */
export const structure: Check = {
  name: "structure",
  prove: (bundle) => {
    const faults = [...outputFaults(bundle), ...changeFaults(bundle)];
    const counts = {
      fixtures: bundle.fixtures.length,
      reference: bundle.reference.length,
      grader: bundle.grader.length,
    };
    return Promise.resolve({
      passed: faults.length === 0,
      words: faults.length === 0 ? "The parts of the bundle fit each other." : faults.join("\n"),
      evidence: { ...counts, bundleHash: bundle.hash, faults },
    });
  },
};

function outputFaults({ spec, reference }: Bundle): readonly string[] {
  const changed = [...reference.map((entry) => entry.path), ...spec.removes];
  return changed
    .filter((path) => !spec.outputs.some((glob) => matchesGlob(path, glob)))
    .map(
      (path) =>
        `reference/${path}: changed by the reference, but no glob of benchmark.yaml's outputs matches it. Add it to outputs, or leave it out of the reference.`,
    );
}

function changeFaults(bundle: Bundle): readonly string[] {
  const faults: string[] = [];
  if (hashTree(referenceWorkspace(bundle)) === hashTree(bundle.fixtures)) {
    faults.push("reference/: laid over the fixtures it changes nothing, so no task is left to do.");
  }
  if (hashTree(bundle.tree) !== bundle.hash)
    faults.push("The files changed while the bundle was read. Read it again.");
  return faults;
}
