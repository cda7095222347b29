import { stem } from "./stem.ts";
import { stopWords } from "./stop-words.ts";

/** Scripts that put no space between words; ー is the long-vowel mark, which has no script of its own. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+/gu;
const joinedWord = /[\p{L}\p{M}\p{N}]+(?:[-_.'’][\p{L}\p{M}\p{N}]+)*/gu;
const separator = /[-_.'’]/u;
/**
 * Before a capital that follows a small letter or digit, and before the last capital of a run ("HTTPServer") unless
 * only a plural s follows it ("APIs").
 */
const camel = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})(?!\p{Lu}s$)/u;
const bareNumber = /^\p{N}+$/u;

/**
 * The words that tell what a text is about, in order, repeats included. NFKC, lower case, stemmed. A compound
 * (`snake_case`, `camelCase`, `kebab-case`, `dotted.name`) gives its parts and, without the separators, itself.
 * Chinese, Japanese and Korean runs give each pair of neighbouring characters. English stop words, single
 * characters and bare numbers are left out.
 */
export function wordsOf(text: string): readonly string[] {
  const normal = text.normalize("NFKC");
  const pairs = [...normal.matchAll(unspaced)].flatMap(([run]) => characterPairs(run));
  const words = [...normal.replace(unspaced, " ").matchAll(joinedWord)].flatMap(([word]) => partsOf(word));
  return [...words, ...pairs];
}

function characterPairs(run: string): readonly string[] {
  const characters = Array.from(run);
  return characters.slice(1).map((character, i) => (characters[i] ?? "") + character);
}

function partsOf(word: string): readonly string[] {
  const owner = word.replace(/['’]s$/u, "");
  const parts = owner.split(separator).flatMap((part) => part.split(camel));
  const forms = parts.length > 1 ? [...parts, parts.join("")] : parts;
  return forms
    .map((form) => form.toLowerCase())
    .filter((form) => Array.from(form).length > 1 && !bareNumber.test(form) && !stopWords.has(form))
    .map(stem);
}
