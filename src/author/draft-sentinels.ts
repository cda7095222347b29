import type { BundleSpec, Sentinels } from "../artefacts/bundle.ts";
import { type FileTree, hashTree, subtree } from "../artefacts/tree.ts";

/** Both, or null when nothing was delivered for trying judges. */
export function sentinelsOf(tree: FileTree): Sentinels | null {
  if (subtree(tree, "sentinels").length === 0) return null;
  return { good: subtree(tree, "sentinels/good"), bad: subtree(tree, "sentinels/bad") };
}

/** What is wrong with the form of `sentinels/`; nothing when there is none. */
export function sentinelFaults(spec: BundleSpec, tree: FileTree): readonly string[] {
  const sentinels = sentinelsOf(tree);
  if (sentinels === null) return [];
  if (!spec.judged) {
    return [
      "sentinels/: only for bundles whose grader asks judges. Say `judged: true` in benchmark.yaml, or take it out.",
    ];
  }
  const { good, bad } = sentinels;
  const faults: string[] = [];
  if (subtree(tree, "sentinels").length > good.length + bad.length)
    faults.push("sentinels/: has only the folders good/ and bad/.");
  if (good.length === 0)
    faults.push("sentinels/good/: missing. It holds files on which every answer is as expected.");
  if (bad.length === 0)
    faults.push("sentinels/bad/: missing. It holds files on which at least one answer is not as expected.");
  if (faults.length === 0 && hashTree(good) === hashTree(bad))
    faults.push("sentinels/: good and bad hold the same files.");
  return faults;
}
