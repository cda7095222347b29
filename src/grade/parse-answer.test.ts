import { expect, test } from "vitest";
import { parseAnswer } from "./parse-answer.ts";

test.each<[string, "yes" | "no" | null]>([
  ['{"answer":"YES","reason":"all hold"}', "yes"],
  [' {"answer": "no", "reason": "not all"}\n', "no"],
  ['{"answer":"Yes"}', "yes"],
  ['{"answer":"YES, mostly"}', null],
  ['{"answer":true}', null],
  ['{"verdict":"YES"}', "yes"],
  ['```json\n{"answer":"NO","reason":"x"}\n```', "no"],
  ['Let me see.\n```\n{"answer":"YES"}\n```\nDone.', "yes"],
  ['```json\n{"answer":"YES"}\n```\nOn reflection:\n```json\n{"answer":"NO"}\n```', "no"],
  ['```JSON\r\n{"answer":"YES"}\r\n```', "yes"],
  ['```json\n{"answer":"YES"}\n```\nNO', null],
  ['```json\n{"answer":"YES"}\n```\nAnswer: yes', "yes"],
  ["YES", "yes"],
  ["no.", "no"],
  ["All conditions hold.\n\n**Answer: YES**", "yes"],
  ["The tone is wrong.\nVerdict: no\n", "no"],
  ["- Answer — Yes!", "yes"],
  ["YES and NO", null],
  ["YES / NO", null],
  ["Answer: YES. Verdict: NO.", null],
  ["не YES", null],
  ["ñ yes", null],
  ["yes or no", null],
  ["I would say yes", null],
  ["NO\nbut the rest is fine", null],
  ["I cannot help with that.", null],
  ["", null],
  ['{"answer":"YES","reason":"cut', null],
  [`${"-".repeat(200)}yes`, null],
  ["nope", null],
])("%j is %j", (reply, answer) => {
  expect(parseAnswer(reply, ["yes", "no"])).toBe(answer);
});
