import type { FileTree } from "../artefacts/tree.ts";

/** Something that one format has and the other has no place for. */
export type Loss = {
  /** Where it stands in the original: `task.toml [agent] timeout_sec`. */
  readonly part: string;
  /** What becomes of it. */
  readonly words: string;
};

/** A task of another format as a bundle's folder, not yet through the gate; or why it cannot be one. */
export type Imported =
  | {
      readonly kind: "imported";
      readonly id: string;
      /** Of a bundle, as an author delivers it. */
      readonly tree: FileTree;
      readonly losses: readonly Loss[];
      /** The very bundle that was once exported, byte for byte. */
      readonly readBack?: true;
    }
  | { readonly kind: "refused"; readonly id: string; readonly reasons: readonly string[] };

/** A bundle as a folder of another format, or why it cannot be one. */
export type Exported =
  | { readonly kind: "exported"; readonly tree: FileTree; readonly losses: readonly Loss[] }
  | { readonly kind: "refused"; readonly reasons: readonly string[] };

export type ImportTools = {
  /** Carries a script out in a network-less agent's container on a workspace, and gives the workspace it leaves. */
  readonly perform: (request: {
    readonly workspace: FileTree;
    /** By absolute path, written before the script starts. */
    readonly files: Readonly<Record<string, string>>;
    readonly script: string;
  }) => Promise<FileTree>;
};
