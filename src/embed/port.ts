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
