import { createRequire } from "node:module";
import type * as o200kBase from "gpt-tokenizer/encoding/o200k_base";

/** Every token count that is not reported by a provider is made with this one. */
export const tokenizer = "o200k_base";

// The merge table is 2 MB of source and takes a third of a second: commands that count nothing must not wait for it.
const require = createRequire(import.meta.url);
let loaded: typeof o200kBase | undefined;

function encoding(): typeof o200kBase {
  loaded ??= require("gpt-tokenizer/encoding/o200k_base") as typeof o200kBase;
  return loaded;
}

/**
 * One pre-token of more than 1,000 characters. Merging is quadratic in its length (100,000 spaces take 16 seconds),
 * and no text that people write has one, so it is cut: there the count may be off by one per cut.
 */
const overlong = /[\p{L}\p{M}]{1000}|\s{1000}|[^\s\p{L}\p{N}]{1000}/gu;

const asPlainText = { disallowedSpecial: new Set<string>() };

/** Tokens of `text`. What looks like a special token (`<|endoftext|>`) is counted as the text it is. */
export function countTokens(text: string): number {
  let tokens = 0;
  let start = 0;
  for (const run of text.matchAll(overlong)) {
    const end = run.index + run[0].length;
    tokens += encoding().countTokens(text.slice(start, end), asPlainText);
    start = end;
  }
  return tokens + (start < text.length ? encoding().countTokens(text.slice(start), asPlainText) : 0);
}
