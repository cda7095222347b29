import type { Bundle } from "../artefacts/bundle.ts";
import { type FileTree, overlay } from "../artefacts/tree.ts";

/** The workspace as the bundled solution leaves it. */
export function referenceWorkspace(bundle: Bundle): FileTree {
  return overlay(bundle.fixtures, bundle.reference, bundle.spec.removes);
}
