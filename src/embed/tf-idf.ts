import { unitLength } from "./unit-length.ts";

/**
 * One vector of length 1 per document, over the sorted vocabulary of all: (1 + ln tf) · (ln((1 + N) / (1 + df)) + 1),
 * with tf the word's count in the document, df the documents that have it, N the documents. None may be without a word.
 */
export function tfIdfVectors(documents: readonly (readonly string[])[]): readonly (readonly number[])[] {
  const counts = documents.map(countWords);
  const documentFrequency = countWords(counts.flatMap((count) => [...count.keys()]));
  const vocabulary = [...documentFrequency.keys()].sort();
  return counts.map((count) => {
    const row = vocabulary.map((word) => {
      const tf = count.get(word) ?? 0;
      const df = documentFrequency.get(word) ?? 0;
      return tf === 0 ? 0 : (1 + Math.log(tf)) * (Math.log((1 + documents.length) / (1 + df)) + 1);
    });
    return unitLength(row);
  });
}

function countWords(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
