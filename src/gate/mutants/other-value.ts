import type { Random } from "../../seed.ts";

/** Decimals beyond so many significant digits are taken for the outcome of computing, which graders compare loosely. */
const exactDigits = 6;
/** Of such a number this digit is changed, so that no usual tolerance forgives it. */
const looseDigit = 4;
/** Doubles tell no more digits than this apart. */
const doubleDigits = 15;

/** One digit of a number one up or down: 12 → 13, 1.50 → 1.51, 0.333333333 → 0.333433333. */
export function nearMiss(number: string, random: Random): string {
  const mantissa = /^[^eE]*/.exec(number)?.[0] ?? number;
  const digits = [...mantissa.matchAll(/\d/g)].map(({ index }) => index);
  const first = digits.findIndex((at) => mantissa[at] !== "0");
  const significant = first === -1 ? 1 : digits.length - first;
  const loose = significant > exactDigits && /[.,]/.test(mantissa);
  const counted = Math.min(significant, loose ? looseDigit : doubleDigits);
  const at = first === -1 ? digits.at(-1) : digits[first + counted - 1];
  if (at === undefined) return number;
  const digit = Number(number[at]);
  const step = digit === 0 || (digit < 9 && random() < 0.5) ? 1 : -1;
  return number.slice(0, at) + String(digit + step) + number.slice(at + 1);
}

/** The number with the other sign; null for zero. */
export function otherSign(number: string): string | null {
  if (!/[1-9]/.test(number)) return null;
  return number.startsWith("-") ? number.slice(1) : `-${number.replace(/^\+/, "")}`;
}

/** A near miss, or now and then the other sign. */
export function otherNumber(number: string, random: Random): string {
  return (random() < 0.25 ? otherSign(number) : null) ?? nearMiss(number, random);
}

/**
 * One letter or one number in a text changed, so that all around it stays as it was: quotes, escapes, indentation.
 * What `fixed` (a global pattern) matches is left alone. Null where there is neither letter nor digit of ASCII.
 */
export function otherText(source: string, random: Random, fixed?: RegExp): string | null {
  const at = pick(source, random, fixed === undefined ? [] : spansOf(source, fixed));
  if (at === null) return null;
  const character = source[at] ?? "";
  if (!/\d/.test(character)) return source.slice(0, at) + nextLetter(character) + source.slice(at + 1);
  const start = digitsFrom(source, at);
  const number = /^\d+(?:[.,]\d+)*/.exec(source.slice(start, start + 100))?.[0] ?? character;
  return source.slice(0, start) + nearMiss(number, random) + source.slice(start + number.length);
}

function nextLetter(letter: string): string {
  return /[zZ]/.test(letter) ? (letter === "z" ? "y" : "Y") : String.fromCharCode(letter.charCodeAt(0) + 1);
}

/** From a seeded place onwards and round, the first letter or digit that may be changed. */
function pick(source: string, random: Random, fixed: readonly (readonly [number, number])[]): number | null {
  const from = Math.floor(random() * source.length);
  for (let step = 0; step < source.length; step++) {
    const at = (from + step) % source.length;
    if (!/[A-Za-z0-9]/.test(source[at] ?? "")) continue;
    if (!fixed.some(([start, end]) => at >= start && at < end)) return at;
  }
  return null;
}

function spansOf(source: string, pattern: RegExp): readonly (readonly [number, number])[] {
  return [...source.matchAll(pattern)].map((match) => [match.index, match.index + match[0].length]);
}

/** Where the run of digits begins that `at` stands in. */
function digitsFrom(source: string, at: number): number {
  let start = at;
  while (start > 0 && /\d/.test(source[start - 1] ?? "")) start--;
  return start;
}
