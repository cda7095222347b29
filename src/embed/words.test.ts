import { expect, test } from "vitest";
import { wordsOf } from "./words.ts";

test.each<[name: string, text: string, words: string[]]>([
  [
    "lower case, stems, no stop words",
    "The caches are Invalidated by the writer",
    ["cach", "invalidat", "writer"],
  ],
  ["snake case", "max_retry", ["max", "retry", "maxretry"]],
  [
    "kebab case and camel case meet in the joined form",
    "read-file readFile",
    ["read", "fil", "readfil", "read", "fil", "readfil"],
  ],
  ["a run of capitals", "HTTPServer", ["http", "server", "httpserver"]],
  ["plural of capitals", "APIs URLs", ["api", "url"]],
  ["dotted name", "config.yaml", ["config", "yaml", "configyaml"]],
  ["possessive", "the author’s café's", ["author", "café"]],
  ["contraction", "don't can’t it's", []],
  ["single characters and bare numbers go", "x 42 3.11 v2", ["v2"]],
  ["NFKC", "ﬁle ＡＰＩ", ["fil", "api"]],
  ["Chinese as pairs", "退款金额", ["退款", "款金", "金额"]],
  ["Japanese with a long vowel", "タワー", ["タワ", "ワー"]],
  ["Chinese beside Latin", "使用API调用", ["api", "使用", "调用"]],
  ["combining marks stay in the word", "हिन्दी", ["हिन्दी"]],
  ["nothing", "… — 7 the a !", []],
])("%s", (_name, text, words) => {
  expect(wordsOf(text)).toEqual(words);
});
