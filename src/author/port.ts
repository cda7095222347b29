import type { FileTree } from "../artefacts/tree.ts";

export type AuthorRequest = {
  /** `<skill>/<cluster id>`; names the recording for `replay`, the labels for containers. */
  readonly id: string;
  /** Titles of the cluster's units, leading one first. */
  readonly titles: readonly string[];
  /** 1-based. */
  readonly attempt: number;
  /** Contract, cluster texts, image tool list and, from the second attempt on, the previous faults. */
  readonly prompt: string;
  /** Scripts and assets the cluster links to, for the author to look at. */
  readonly assets: FileTree;
  /** The author's previous draft, to be repaired rather than begun again; empty on the first attempt. */
  readonly previous: FileTree;
};

export type AuthorAnswer =
  | { readonly kind: "draft"; readonly tree: FileTree; readonly log: string }
  /** The author gave up, crashed, ran out of time, or had no recording. Counts as an attempt. */
  | { readonly kind: "nothing"; readonly reason: string; readonly log: string };

/** Writes a bundle for one cluster. */
export interface Author {
  /** `openrouter`, `command`, `replay`, with what it used: `openrouter vendor/model`. */
  readonly backend: string;
  /** False when it runs on the host. */
  readonly isolated: boolean;
  /** Throws `InfrastructureError` when its world broke (provider, container); that is not an attempt. */
  draft(request: AuthorRequest, signal?: AbortSignal): Promise<AuthorAnswer>;
}
