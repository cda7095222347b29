import { InfrastructureError } from "../errors.ts";
import { hashJson } from "../hash.ts";
import type { CachedVector, VectorCache } from "./port.ts";
import type { Embedder } from "./port.ts";
import { lengthOf } from "./unit-length.ts";

export interface NamedText {
  /** What an error calls the text: its unit. */
  readonly name: string;
  readonly text: string;
}

/**
 * One vector per text, in order, from the cache where it is there, else from the embedder in at most one call. Only
 * vectors that passed the check are stored.
 *
 * @throws InfrastructureError naming the text whose vector is zero, not finite or of another dimension.
 */
export async function embedTexts(
  texts: readonly NamedText[],
  embedder: Embedder,
  cache: VectorCache,
  signal: AbortSignal | undefined,
): Promise<readonly CachedVector[]> {
  signal?.throwIfAborted();
  const batch = embedder.wholeBatch ? hashJson(texts.map(({ text }) => text)) : null;
  const { provider, model } = embedder;
  // A vector depends on the text, on who made it and, for a whole-batch embedder, on all texts beside it.
  const keyed = texts.map(({ name, text }) => ({
    name,
    text,
    key: hashJson({ provider, model, text, batch }),
  }));
  const keys = keyed.map(({ key }) => key);
  const vectors = new Map<string, CachedVector>();
  (await cache.get(keys)).forEach((vector, i) => {
    const key = keys[i];
    if (vector !== undefined && key !== undefined) vectors.set(key, vector);
  });
  const missing = keyed.filter(({ key }, i) => !vectors.has(key) && keys.indexOf(key) === i);
  const asked = embedder.wholeBatch && missing.length > 0 ? keyed : missing;
  const answers = asked.length > 0 ? await askEmbedder(asked, embedder, signal) : [];
  const fresh = asked.map(({ key }, i) => ({ key, vector: answers[i] ?? null }));
  for (const { key, vector } of fresh) vectors.set(key, vector);
  checkOneDimension(keyed, vectors, embedder);
  await cache.set(fresh);
  return keys.map((key) => vectors.get(key) ?? null);
}

async function askEmbedder(
  texts: readonly NamedText[],
  embedder: Embedder,
  signal: AbortSignal | undefined,
): Promise<readonly CachedVector[]> {
  const who = `${embedder.provider}/${embedder.model}`;
  const vectors = await embedder.embed(
    texts.map(({ text }) => text),
    signal,
  );
  if (vectors.length !== texts.length) {
    throw new InfrastructureError(`${who}: ${vectors.length} vectors came for ${texts.length} texts`);
  }
  for (const [i, { name }] of texts.entries()) {
    const vector = vectors[i];
    if (!vector || (Number.isFinite(lengthOf(vector)) && lengthOf(vector) > 0)) continue;
    throw new InfrastructureError(
      `${who}: the vector for ${name} is zero or not finite. The server cannot embed this text, or answers in an encoding that was not asked for.`,
    );
  }
  return vectors;
}

function checkOneDimension(
  texts: readonly { readonly name: string; readonly key: string }[],
  vectors: ReadonlyMap<string, CachedVector>,
  { provider, model }: Embedder,
): void {
  let first: number | undefined;
  for (const { name, key } of texts) {
    const dimensions = vectors.get(key)?.length;
    first ??= dimensions;
    if (dimensions === undefined || dimensions === first) continue;
    throw new InfrastructureError(
      `${provider}/${model}: the vector for ${name} has ${dimensions} dimensions, others have ${first ?? 0}. If the server changed its model, empty the vector cache.`,
    );
  }
}
