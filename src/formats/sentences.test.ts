import { expect, test } from "vitest";
import { closestSentence, sentencesOf } from "./sentences.ts";

test.each<[string, string, readonly string[]]>([
  ["nothing", "", []],
  ["a heading alone", "# Write the file now\n", []],
  [
    "sentences of one paragraph over two lines",
    "Write the file.\nThen close the\nbook for good.",
    ["Write the file.", "Then close the book for good."],
  ],
  ["what is too short", "Do it. Go on now. Write the whole file.", ["Write the whole file."]],
  [
    "members of a list, without their marks",
    "- first of the files\n- second of the files\n2. third of the files",
    ["first of the files", "second of the files", "third of the files"],
  ],
  [
    "fenced code is left out",
    "Call it so:\n\n```\nthis is no sentence at all\n```\n\nThat is all of it.",
    ["That is all of it."],
  ],
  [
    "a fence that never ends",
    "Read this text first.\n~~~\nthis is no sentence at all\n",
    ["Read this text first."],
  ],
  [
    "CRLF",
    "# Title\r\n\r\nWrite the file.\r\nClose the book now.\r\n",
    ["Write the file.", "Close the book now."],
  ],
  ["dots inside words", "Write out/a.json with v1.2 of it.", ["Write out/a.json with v1.2 of it."]],
])("%s", (_what, text, expected) => {
  const sentences = sentencesOf(text);
  expect(sentences).toEqual(expected);
  const collapsed = text.replace(/\s+/g, " ");
  for (const sentence of sentences) expect(collapsed).toContain(sentence);
});

test("the closest sentence shares most words, and the first of equals is taken", () => {
  const sentences = ["Write the note today.", "Name the highest level.", "Name the lowest level."];
  expect(closestSentence(sentences, "The HIGHEST level is named")).toBe(sentences[1]);
  expect(closestSentence(sentences, "level")).toBe(sentences[1]);
  expect(closestSentence(sentences, "nothing of that")).toBe(sentences[0]);
  expect(closestSentence([], "anything")).toBeNull();
});

test("a line of a megabyte is read in a blink", () => {
  const long = `${"word ".repeat(200_000)}end.`;
  expect(sentencesOf(long)).toEqual([long]);
});
