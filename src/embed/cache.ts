/** A stored vector; null for a text that the embedder could not place. */
export type CachedVector = readonly number[] | null;

/** Remembers what an embedder answered. Keys are hashes that cover all the answer depends on. */
export interface VectorCache {
  /** One entry per key, in order; undefined where nothing usable is stored. Throws `InfrastructureError` on a broken disk. */
  get(keys: readonly string[]): Promise<readonly (CachedVector | undefined)[]>;
  /** Stores all entries; each is there whole or not at all. Throws `InfrastructureError` when it cannot write. */
  set(entries: readonly { readonly key: string; readonly vector: CachedVector }[]): Promise<void>;
}
