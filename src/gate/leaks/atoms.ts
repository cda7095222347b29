/** Scripts that write no spaces between words: there each character is a word of its own. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}]/gu;
const hasUnspaced = new RegExp(unspaced.source, "u");

/**
 * Letters and digits of a text, in stretches with one space between: what two passages have in common whatever their
 * punctuation, quoting, indentation and separators.
 */
export function atomsOf(text: string): string {
  const spaced = hasUnspaced.test(text) ? text.replace(unspaced, " $& ") : text;
  return spaced.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/** The atoms of each line; lines without any are left out. */
export function atomLinesOf(text: string): readonly string[] {
  const spaced = hasUnspaced.test(text) ? text.replace(unspaced, " $& ") : text;
  return spaced
    .replace(/[^\p{L}\p{N}\n]+/gu, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** One word of a text, in lower case, with its place there. */
export type Word = { readonly word: string; readonly start: number; readonly end: number };

const words = new RegExp(`${unspaced.source}|(?:(?!${unspaced.source})[\\p{L}\\p{N}])+`, "gu");

export function wordsOf(text: string): readonly Word[] {
  return [...text.matchAll(words)].map(({ 0: word, index }) => ({
    word: word.toLowerCase(),
    start: index,
    end: index + word.length,
  }));
}

const leastAtoms = 3;
const leastCharacters = 12;

/** Whether atoms are enough not to meet in two texts by chance: three of them, twelve letters and digits. */
export function isDistinctive(atoms: string): boolean {
  let parts = 1;
  for (let at = atoms.indexOf(" "); at >= 0; at = atoms.indexOf(" ", at + 1)) {
    parts++;
    // What is this long has characters enough however many of them are spaces.
    if (parts >= leastAtoms && atoms.length >= 2 * leastCharacters) return true;
  }
  return parts >= leastAtoms && atoms.length - parts + 1 >= leastCharacters;
}

/**
 * Those needles that stand somewhere in `haystack` as whole atoms. Both in the form that `atomsOf` gives. Needles are
 * looked up by their beginnings, so that thousands of them cost no more than a few. Very long ones are not looked for:
 * a line of a megabyte is no passage, and text that repeats itself would cost a comparison at each of its words.
 */
export function findAtoms(needles: Iterable<string>, haystack: string): ReadonlySet<string> {
  const byStart = new Map<string, string[]>();
  const wanted = [...new Set(needles)].filter((needle) => needle !== "" && needle.length <= longestNeedle);
  const length = Math.min(keyCharacters, ...wanted.map((needle) => needle.length));
  for (const needle of wanted) {
    const key = needle.slice(0, length);
    const bucket = byStart.get(key);
    if (bucket === undefined) byStart.set(key, [needle]);
    else bucket.push(needle);
  }
  const found = new Set<string>();
  for (let at = 0; byStart.size > 0 && at >= 0 && at < haystack.length; at = nextAtom(haystack, at)) {
    for (const needle of byStart.get(haystack.slice(at, at + length)) ?? [])
      if (haystack.startsWith(needle, at) && isEnd(haystack, at + needle.length)) found.add(needle);
  }
  return found;
}

const keyCharacters = 16;
const longestNeedle = 1000;

function nextAtom(haystack: string, at: number): number {
  const space = haystack.indexOf(" ", at);
  return space < 0 ? -1 : space + 1;
}

function isEnd(haystack: string, at: number): boolean {
  return at === haystack.length || haystack[at] === " ";
}
