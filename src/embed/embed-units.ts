import type { Unit } from "../artefacts/chunks.ts";
import type { Clusters } from "../artefacts/clusters.ts";
import { InfrastructureError } from "../errors.ts";
import { hashJson } from "../hash.ts";
import type { CachedVector, VectorCache } from "./port.ts";
import { embedTexts, type NamedText } from "./embed-texts.ts";
import type { Embedder } from "./port.ts";
import { splitText } from "./split-text.ts";
import { centred, lengthOf, unitLength, weightedMean } from "./unit-length.ts";

/** One vector of length 1 per unit, in order; null for a unit that the embedder could not place. */
export type Embedding = Clusters["embedding"] & { readonly vectors: readonly (readonly number[] | null)[] };

/** Servers cut longer texts in silence or refuse them, each at a length of its own; all take this. */
const mostTokensPerText = 2_000;

/**
 * The vectors of one skill's units. An embedder that sees the whole batch (lexical) returns finished vectors. From
 * any other they are taken per text (a unit above 2,000 tokens in parts at paragraph borders, averaged with their
 * tokens as weights), then centred on the skill's own mean, which removes what all its units share.
 *
 * @throws InfrastructureError naming the unit whose vector is zero, not finite or of another dimension.
 */
export async function embedUnits(
  units: readonly Unit[],
  embedder: Embedder,
  cache: VectorCache,
  signal?: AbortSignal,
): Promise<Embedding> {
  const vectors = embedder.wholeBatch
    ? await embedTexts(units.map(asOneText), embedder, cache, signal)
    : centredWhereFound(await embedInParts(units, embedder, cache, signal));
  const unitVectors = vectors.map((vector) => vector && unitLength(vector));
  return {
    provider: embedder.provider,
    model: embedder.model,
    dimensions: unitVectors.find((vector) => vector !== null)?.length ?? 0,
    vectorHash: hashJson(unitVectors),
    vectors: unitVectors,
  };
}

function nameOf(unit: Unit): string {
  return `${unit.id} ("${unit.title}")`;
}

function asOneText(unit: Unit): NamedText {
  return { name: nameOf(unit), text: unit.embeddedText };
}

async function embedInParts(
  units: readonly Unit[],
  embedder: Embedder,
  cache: VectorCache,
  signal: AbortSignal | undefined,
): Promise<readonly CachedVector[]> {
  const parts = units.flatMap((unit, index) =>
    splitText(unit.embeddedText, mostTokensPerText).map((part) => ({ ...part, index, name: nameOf(unit) })),
  );
  const vectors = await embedTexts(parts, embedder, cache, signal);
  return units.map((unit, index) => {
    const own = parts.flatMap((part, i) => {
      const vector = vectors[i] ?? null;
      return part.index === index && vector !== null
        ? [{ vector: unitLength(vector), tokens: part.tokens }]
        : [];
    });
    if (own.length === 0) return null;
    const mean = weightedMean(
      own.map(({ vector }) => vector),
      own.map(({ tokens }) => tokens),
    );
    if (lengthOf(mean) > 0) return mean;
    throw new InfrastructureError(
      `${embedder.provider}/${embedder.model}: the vectors of the ${own.length} parts of ${nameOf(unit)} cancel out`,
    );
  });
}

/** Centres what was placed; a batch that has nothing to be centred by stays as it is. */
function centredWhereFound(vectors: readonly CachedVector[]): readonly CachedVector[] {
  const placed = vectors.filter((vector) => vector !== null).map(unitLength);
  const moved = centred(placed)?.values();
  return moved === undefined ? vectors : vectors.map((vector) => vector && (moved.next().value ?? null));
}
