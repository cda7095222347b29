import { hashTree, sortedTree, type FileTree } from "../../artefacts/tree.ts";
import type { Imported, Loss } from "../losses.ts";
import { layoutFormat, takenFromTask } from "./exported-layout.ts";
import { isTable, valueWords } from "./task-fields.ts";

/**
 * A task that was exported from a bundle, as that bundle: nothing is carried out and nothing rewritten, since its
 * parts lie there byte for byte. Null for every other task. `table` is its task.toml.
 */
export function readBack(
  id: string,
  task: FileTree,
  table: Readonly<Record<string, unknown>>,
): Imported | null {
  const { metadata } = table;
  const ours = isTable(metadata) ? metadata["skillproof"] : undefined;
  if (!isTable(ours)) return null;
  if (ours["format"] !== layoutFormat) {
    const came = valueWords(ours["format"]);
    const reason = `task.toml [metadata.skillproof] format: is ${came}; "${layoutFormat}" is read. Export the bundle again, or take the table out to import the task as any other.`;
    return { kind: "refused", id, reasons: [reason] };
  }
  const tree = sortedTree(takenFromTask(task));
  if (hashTree(tree) === ours["bundle"]) return { kind: "imported", id, tree, losses: [], readBack: true };
  const loss: Loss = {
    part: "task.toml [metadata.skillproof] bundle",
    words:
      "the files are no longer those that were exported: the bundle's own are taken as they are now, and changes of anything else (test.sh, solve.sh, Dockerfile, task.toml) are not",
  };
  return { kind: "imported", id, tree, losses: [loss] };
}
