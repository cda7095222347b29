import { expect, test } from "vitest";
import { countTokens } from "./tokens.ts";

test.each([
  { text: "", tokens: 0 },
  { text: "hello world", tokens: 2 },
  { text: "a<|endoftext|>b", tokens: 9 },
  { text: "第一步先读文件。", tokens: 6 },
])("counts $tokens tokens in $text", ({ text, tokens }) => {
  expect(countTokens(text)).toBe(tokens);
});

// Uncut, the merge of this text takes more than a minute.
test.each(["a", " ", "字", "#"])(
  "counts a long run of %j in time that grows with its length",
  (character) => {
    const tokens = countTokens(character.repeat(200_000));
    expect(tokens).toBeGreaterThan(0);
    expect(tokens).toBeLessThanOrEqual(200_000);
  },
  20_000,
);
