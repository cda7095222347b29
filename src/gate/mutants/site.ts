import { type Random, shuffled } from "../../seed.ts";
import type { Text } from "./file-kind.ts";
import type { Change, MutatorOptions } from "./mutant.ts";

/** A slice of a text that can be broken. What it becomes is worked out only for those that are chosen. */
export type Site = {
  readonly kind: string;
  /** UTF-16 offsets in the text's body. */
  readonly start: number;
  readonly end: number;
  /** Null where nothing fits after all. */
  readonly become: (random: Random) => Replacement | null;
};

export type Replacement = {
  /** Takes the slice's place. */
  readonly text: string;
  /** `a number changed`, for people. */
  readonly what: string;
  /** `12 → 13`. */
  readonly detail: string;
};

export type SiteOptions = MutatorOptions & {
  /** Whether the broken text still is of its format and says something else. */
  readonly isReal?: (body: string) => boolean;
};

/** So many are tried for each change that is wanted, since some turn out to change nothing. */
const triesPerChange = 4;

/**
 * At most `mostPerKind` changes of each kind, in the order of the text. Works in one pass whatever the number of
 * sites, and copies the text only for those that are chosen.
 */
export function changesAt(text: Text, sites: Iterable<Site>, options: SiteOptions): readonly Change[] {
  const { random, mostPerKind } = options;
  const drawn = drawPerKind(wanted(sites, options), mostPerKind * triesPerChange, random);
  const changes: { readonly at: number; readonly change: Change }[] = [];
  const seen = new Set([text.body]);
  for (const ofKind of drawn) {
    let left = mostPerKind;
    for (const site of shuffled(ofKind, random)) {
      if (left === 0) break;
      const replacement = site.become(random);
      if (replacement === null) continue;
      const body = text.body.slice(0, site.start) + replacement.text + text.body.slice(site.end);
      if (seen.has(body) || options.isReal?.(body) === false) continue;
      seen.add(body);
      changes.push({ at: site.start, change: changeOf(text, site, replacement, body) });
      left--;
    }
  }
  return changes.sort((a, b) => a.at - b.at).map(({ change }) => change);
}

function changeOf(text: Text, site: Site, { what, detail }: Replacement, body: string): Change {
  const words = `${what} in line ${lineAt(text.body, site.start)}: ${detail}`;
  return { kind: site.kind, words, bytes: new TextEncoder().encode(text.mark + body) };
}

function* wanted(sites: Iterable<Site>, { within }: SiteOptions): Generator<Site> {
  for (const site of sites) if (within === undefined || within(site.start, site.end)) yield site;
}

/** A sample of each kind, every site with the same chance. Source: Vitter, "Random sampling with a reservoir", 1985. */
function drawPerKind(sites: Iterable<Site>, most: number, random: Random): readonly (readonly Site[])[] {
  const byKind = new Map<string, { readonly kept: Site[]; met: number }>();
  for (const site of sites) {
    let reservoir = byKind.get(site.kind);
    if (reservoir === undefined) byKind.set(site.kind, (reservoir = { kept: [], met: 0 }));
    const place = Math.floor(random() * ++reservoir.met);
    if (reservoir.kept.length < most) reservoir.kept.push(site);
    else if (place < most) reservoir.kept[place] = site;
  }
  return [...byKind.values()].map(({ kept }) => kept);
}

/** Counted from 1. */
function lineAt(body: string, offset: number): number {
  let line = 1;
  for (let at = body.indexOf("\n"); at !== -1 && at < offset; at = body.indexOf("\n", at + 1)) line++;
  return line;
}

const mostShown = 40;

/** A piece of text in one short line. */
export function shown(piece: string): string {
  const line = piece
    .slice(0, 4 * mostShown)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  if (line === "") return JSON.stringify(piece.slice(0, mostShown));
  const cut = line.slice(0, mostShown).replace(/[\uD800-\uDBFF]$/, "");
  return cut.length < line.length || piece.length > 4 * mostShown ? `${cut}…` : line;
}

/** Two slices change places, and what stands between them stays. */
export function swapped(
  body: string,
  [a, b]: readonly [Slice, Slice],
): { readonly start: number; readonly end: number; readonly text: () => string } {
  const text = (): string =>
    body.slice(b.start, b.end) + body.slice(a.end, b.start) + body.slice(a.start, a.end);
  return { start: a.start, end: b.end, text };
}

export type Slice = { readonly start: number; readonly end: number };

/** The sites of a slice of a text, as sites of the text. */
export function* shifted(sites: Iterable<Site>, by: number): Generator<Site> {
  for (const site of sites) yield { ...site, start: site.start + by, end: site.end + by };
}

/** A value that becomes another one, or none where `became` finds none. */
export function valueSite(
  what: string,
  { start, end }: Slice,
  before: () => string,
  became: (random: Random) => string | null,
): Site {
  const become: Site["become"] = (random) => {
    const text = became(random);
    if (text === null) return null;
    const article = /^[aeiou]/.test(what) ? "an" : "a";
    return { text, what: `${article} ${what} changed`, detail: `${shown(before())} → ${shown(text)}` };
  };
  return { kind: `${what}-changed`, start, end, become };
}
