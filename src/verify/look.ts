import type { Difference } from "../artefacts/verification.ts";

/** What one check saw. */
export type Look = {
  readonly differences: readonly Difference[];
  readonly words: string;
  /** Something of it could not be compared; `words` say what and why. */
  readonly partial?: boolean;
};

/** As people read it; whole hashes are in the files. */
export function short(hash: string | null): string {
  return hash === null ? "none" : hash.slice(0, 12);
}
