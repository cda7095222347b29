import type { FileTree } from "./tree.ts";

/** A skill folder as read from disk. Its id is its folder's name; `files` leaves out nested skills. */
export type Skill = {
  readonly id: string;
  /** Every file below the folder, nested skills' files included, as the chunker needs to see them. */
  readonly tree: FileTree;
};
