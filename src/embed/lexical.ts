import { Matrix } from "ml-matrix";
import { latentVectors } from "./latent.ts";
import type { Embedder } from "./port.ts";
import { centred } from "./unit-length.ts";
import { tfIdfVectors } from "./tf-idf.ts";
import { wordsOf } from "./words.ts";

/**
 * The embedded default: needs no network, no key and no weights. It compares words, not meanings: TF-IDF over the
 * batch, centred, reduced to about √n dimensions (latent semantic analysis). Its vectors mean something only beside
 * those of the same batch; never mix them with another embedder's. Deterministic. The model's name carries the
 * version of the recipe: change it whenever a vector could change.
 */
export function lexicalEmbedder(): Embedder {
  return {
    provider: "lexical",
    model: "tf-idf-lsa-1",
    wholeBatch: true,
    embed: (texts, signal) =>
      new Promise((resolve) => {
        signal?.throwIfAborted();
        resolve(lexicalVectors(texts));
      }),
  };
}

function lexicalVectors(texts: readonly string[]): readonly (readonly number[] | null)[] {
  const documents = texts.map(wordsOf);
  const worded = documents.filter((words) => words.length > 0);
  if (worded.length === 0) return texts.map(() => null);
  const weighted = tfIdfVectors(worded);
  const rows = new Matrix((centred(weighted) ?? weighted).map((row) => [...row]));
  const vectors = latentVectors(rows.mmul(rows.transpose())).values();
  return documents.map((words) => (words.length === 0 ? null : (vectors.next().value ?? null)));
}
