/** Turns texts into vectors. */
export interface Embedder {
  readonly provider: string;
  readonly model: string;
  /**
   * True when a vector depends on the other texts of its batch (lexical): the cache must then be keyed by the
   * whole batch, and all texts must be given in one call.
   */
  readonly wholeBatch: boolean;
  /**
   * One vector per text, in order, all of one dimension. A text the embedder cannot place is null (lexical: no
   * word left); a provider that returns a zero, non-finite or missing vector throws `InfrastructureError`
   * naming the text's index. Called once per skill; waits and retries inside, and gives up on `signal`.
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly (readonly number[] | null)[]>;
}

/** A stored vector; null for a text that the embedder could not place. */
export type CachedVector = readonly number[] | null;

/** Remembers what an embedder answered. Keys are hashes that cover all the answer depends on. */
export interface VectorCache {
  /** What was found damaged so far, one sentence each; such an entry counts as absent and is written anew. */
  readonly warnings: readonly string[];
  /** One entry per key, in order; undefined where nothing usable is stored. Throws `InfrastructureError` on a broken disk. */
  get(keys: readonly string[]): Promise<readonly (CachedVector | undefined)[]>;
  /** Stores all entries; each is there whole or not at all. Throws `InfrastructureError` when it cannot write. */
  set(entries: readonly { readonly key: string; readonly vector: CachedVector }[]): Promise<void>;
}
