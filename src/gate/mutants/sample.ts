import { type Random, shuffled } from "../../seed.ts";

/** What a sample is spread over. */
export type Drawable = { readonly kind: string; readonly path: string };

/**
 * At most `limit`, in their order: round after round one of each kind, each time from the file that was drawn from
 * least, so that neither a kind nor a file with thousands of places crowds out others. Which one of a file's is by seed.
 */
export function sampleEvenly<T extends Drawable>(
  candidates: readonly T[],
  limit: number,
  random: Random,
): readonly T[] {
  const left = new Map<string, T[]>();
  for (const candidate of shuffled(candidates, random)) {
    const ofKind = left.get(candidate.kind);
    if (ofKind === undefined) left.set(candidate.kind, [candidate]);
    else ofKind.push(candidate);
  }
  const kinds = [...new Set(candidates.map(({ kind }) => kind))];
  const drawn = new Set<T>();
  const perFile = new Map<string, number>();
  const perFileAndKind = new Map<string, number>();
  const count = (counts: Map<string, number>, key: string): number => counts.get(key) ?? 0;
  const rank = ({ kind, path }: T): readonly [number, number] => [
    count(perFileAndKind, `${kind}:${path}`),
    count(perFile, path),
  ];
  while (drawn.size < Math.min(limit, candidates.length)) {
    for (const kind of kinds) {
      const ofKind = left.get(kind) ?? [];
      if (ofKind.length === 0 || drawn.size >= limit) continue;
      const at = leastOf(ofKind.map(rank));
      const [chosen] = ofKind.splice(at, 1);
      if (chosen === undefined) continue;
      drawn.add(chosen);
      perFile.set(chosen.path, count(perFile, chosen.path) + 1);
      perFileAndKind.set(`${kind}:${chosen.path}`, count(perFileAndKind, `${kind}:${chosen.path}`) + 1);
    }
  }
  return candidates.filter((candidate) => drawn.has(candidate));
}

/** The place of the first of the smallest. */
function leastOf(ranks: readonly (readonly [number, number])[]): number {
  let best = 0;
  for (const [at, [first, second]] of ranks.entries()) {
    const [bestFirst, bestSecond] = ranks[best] ?? [first, second];
    if (first < bestFirst || (first === bestFirst && second < bestSecond)) best = at;
  }
  return best;
}
