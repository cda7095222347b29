/** A number that is too long to be counted with is a key or a table, not an amount. */
const mostDigits = 100;

/**
 * What a number in a source may wrongly have come to: one more and one less in its last digit, as it is written
 * (`0x1f`, `1_000`, `2.50`, `007`, `10n`). None for what is not a plain number, nor for a tolerance such as `1e-9`.
 */
export function nearNumbers(written: string): readonly string[] {
  if (written.length > mostDigits) return [];
  const based = /^([+-]?)(0[xob])([0-9a-f_]+)(n?)$/i.exec(written);
  if (based !== null) {
    const [, sign = "", base = "", digits = "", suffix = ""] = based;
    return nearDigits(digits, radixOf(base.toLowerCase())).map((near) => sign + base + near + suffix);
  }
  const decimal = /^([+-]?)([\d_]*\.?[\d_]*)(e\+?\d+)?([nj]?)$/i.exec(written);
  if (decimal === null) return [];
  const [, sign = "", digits = "", exponent = "", suffix = ""] = decimal;
  return nearDigits(digits, 10).map((near) => sign + near + exponent + suffix);
}

/**
 * A text with one letter or digit changed, the middle one of those that may be; null where there is none. Only ASCII
 * counts.
 */
export function nearWord(text: string, leaveAlone: (index: number) => boolean): string | null {
  const places = [...text.matchAll(/[a-z0-9]/gi)].map(({ index }) => index).filter((at) => !leaveAlone(at));
  const at = places[places.length >> 1];
  return at === undefined ? null : text.slice(0, at) + nextCharacter(text.charAt(at)) + text.slice(at + 1);
}

function nextCharacter(character: string): string {
  if (character === "9") return "0";
  if (character === "z" || character === "Z") return character === "z" ? "a" : "A";
  return String.fromCharCode(character.charCodeAt(0) + 1);
}

function radixOf(base: string): number {
  if (base === "0x") return 16;
  return base === "0o" ? 8 : 2;
}

function nearDigits(written: string, radix: number): readonly string[] {
  const digits = Array.from(written.replace(/[_.]/g, ""), (digit) => parseInt(digit, radix));
  if (digits.length === 0 || digits.some(Number.isNaN)) return [];
  const number = digits.reduce((sum, digit) => sum * BigInt(radix) + BigInt(digit), 0n);
  const near = number === 0n ? [1n] : [number + 1n, number - 1n];
  return near.map((value) => dressed(value.toString(radix), written, digits.length, radix));
}

/** With the leading zeros, the point and, where they still fit, the separators of `pattern`. */
function dressed(value: string, pattern: string, width: number, radix: number): string {
  const point = pattern.indexOf(".");
  const decimals = point < 0 ? 0 : pattern.slice(point).replace(/[_.]/g, "").length;
  const keepsZeros = point >= 0 || /^0\d/.test(pattern) || radix !== 10;
  const cased = /[A-F]/.test(pattern) ? value.toUpperCase() : value;
  const digits = keepsZeros ? cased.padStart(width, "0") : cased;
  const whole = digits.length - decimals;
  if (point >= 0) return `${digits.slice(0, whole)}.${digits.slice(whole)}`;
  if (!pattern.includes("_") || digits.length !== width) return digits;
  let taken = 0;
  return pattern.replace(/[^_]/g, () => digits.charAt(taken++));
}
