import type { Embedder } from "../embed/port.ts";

/** An embedder that looks its vectors up in a table and records every batch it was asked for. */
export function tableEmbedder(
  vectorOf: (text: string, index: number) => readonly number[] | null,
  wholeBatch = false,
): Embedder & { readonly batches: readonly (readonly string[])[] } {
  const batches: (readonly string[])[] = [];
  return {
    provider: "table",
    model: "test",
    wholeBatch,
    batches,
    embed: (texts, signal) => {
      signal?.throwIfAborted();
      batches.push(texts);
      return Promise.resolve(texts.map(vectorOf));
    },
  };
}
