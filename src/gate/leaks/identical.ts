import type { Bundle } from "../../artefacts/bundle.ts";
import type { Leak } from "../../artefacts/gate.ts";
import type { FileTree } from "../../artefacts/tree.ts";
import { sha256 } from "../../hash.ts";
import { isNamed } from "./given.ts";

/** Smaller files are alike by chance. */
const leastBytes = 4;

/**
 * Files of the reference that stand in the fixtures byte by byte, images and short answers among them, which have no
 * lines to compare. One that the task names may be meant to be copied.
 */
export function identicalLeaks(bundle: Bundle, task: string, changed: ReadonlySet<string>): readonly Leak[] {
  const reference = hashesOf(bundle.reference);
  const kept = hashesOf(bundle.fixtures.filter(({ path }) => !changed.has(path) && !isNamed(path, task)));
  return reference.flatMap(({ path, hash, size }) =>
    kept
      .filter((fixture) => fixture.hash === hash)
      .map((fixture): Leak => {
        const places = { from: `reference/${path}`, to: `fixtures/${fixture.path}` };
        return { kind: "reference", ...places, passage: `the whole file, ${size} bytes` };
      }),
  );
}

type Hashed = { readonly path: string; readonly hash: string; readonly size: number };

function hashesOf(tree: FileTree): readonly Hashed[] {
  return tree.flatMap((entry) =>
    entry.kind === "file" && entry.bytes.length >= leastBytes
      ? [{ path: entry.path, hash: sha256(entry.bytes), size: entry.bytes.length }]
      : [],
  );
}
