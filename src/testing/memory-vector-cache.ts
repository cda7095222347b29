import type { CachedVector, VectorCache } from "../embed/port.ts";

/** A vector cache that forgets with the test. */
export function memoryVectorCache(): VectorCache {
  const vectors = new Map<string, CachedVector>();
  return {
    warnings: [],
    get: (keys) => Promise.resolve(keys.map((key) => vectors.get(key))),
    set: (entries) => {
      for (const { key, vector } of entries) vectors.set(key, vector);
      return Promise.resolve();
    },
  };
}
