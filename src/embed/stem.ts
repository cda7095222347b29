const vowel = /[aeiouy]/;

/** Most words of English end in few ways: longest first, with what stands for the ending. */
const endings: readonly (readonly [ending: RegExp, stands: string])[] = [
  [/(?<=...)ies$/, "y"],
  [/(?<=ss|sh|ch|x|zz)es$/, ""],
  [/(?<=..[^su])s$/, ""],
];

const suffixes: readonly (readonly [suffix: RegExp, stands: string])[] = [
  [/(?<=....)ization$/, "iz"],
  [/(?<=...)ation$/, "at"],
  [/(?<=...[st])ion$/, ""],
  [/(?<=...)ing$/, ""],
  [/(?<=...)ed$/, ""],
  [/(?<=....)ment$/, ""],
  [/(?<=....)ness$/, ""],
  [/(?<=...)ly$/, ""],
];

/**
 * A light stem of a lower-case Latin word: plural, then one suffix, then a doubled last consonant and a silent e.
 * "caching", "cached", "caches" and "cache" all become "cach". Words of other alphabets, with digits, or of up to
 * three letters stay as they are.
 */
export function stem(word: string): string {
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) return word;
  const singular = firstMatch(word, endings);
  const bare = firstMatch(singular, suffixes);
  const cut = bare !== singular && vowel.test(bare) ? bare : singular;
  const single = cut === singular ? cut : cut.replace(/([^aeiouylsz])\1$/, "$1");
  return single.length > 3 ? single.replace(/e$/, "") : single;
}

function firstMatch(word: string, table: readonly (readonly [RegExp, string])[]): string {
  const row = table.find(([ending]) => ending.test(word));
  return row === undefined ? word : word.replace(row[0], row[1]);
}
