import type { FileTree } from "../../artefacts/tree.ts";

/** Names the layout that an exported task is read back by; in task.toml [metadata.skillproof]. */
export const layoutFormat = "skillproof/harbor@1";

/** Where each part of a bundle lies in an exported task, byte for byte. A name that ends with `/` is a folder. */
const places: Readonly<Record<string, string>> = {
  "benchmark.yaml": "tests/benchmark.yaml",
  "task.md": "instruction.md",
  "fixtures/": "environment/fixtures/",
  "reference/": "solution/reference/",
  "grader/": "tests/grader/",
};

/** A bundle's files at their places in a Harbor task. */
export function laidInTask(bundle: FileTree): FileTree {
  return moved(bundle, Object.entries(places));
}

/** The bundle's files in an exported task; whatever else the task has is left out. */
export function takenFromTask(task: FileTree): FileTree {
  return moved(
    task,
    Object.entries(places).map(([from, to]) => [to, from] as const),
  );
}

function moved(tree: FileTree, pairs: readonly (readonly [from: string, to: string])[]): FileTree {
  return tree.flatMap((entry) => {
    const pair = pairs.find(([from]) =>
      from.endsWith("/") ? entry.path.startsWith(from) : entry.path === from,
    );
    return pair === undefined ? [] : [{ ...entry, path: pair[1] + entry.path.slice(pair[0].length) }];
  });
}
