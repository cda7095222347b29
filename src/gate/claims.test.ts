import { expect, test } from "vitest";
import type { Claims } from "../artefacts/claims.ts";
import { answerOf, gradingOf } from "../testing/gradings.ts";
import { assertionFaults, questionFaults, sentencesOf, unlistedAssertions } from "./claims.ts";

const task = `# Ledger export

Write the ledger export of \`invoices.json\` to
\`exports/may.vlx\`,\tfollowing our convention.

- Export every invoice.
  Leave \`invoices.json\` as it is.
- 全ての請求書を書き出してください。
`;

test.each<[string, string, string | null]>([
  ["as it stands", "- Export every invoice.", null],
  ["without the list mark", "Export every invoice.", null],
  [
    "over a line break",
    "Write the ledger export of `invoices.json` to `exports/may.vlx`, following our convention.",
    null,
  ],
  ["with a line break of its own", "Export\n every   invoice. Leave", null],
  ["with CRLF", "Export every\r\ninvoice.", null],
  ["in a script without spaces", "全ての請求書を書き出してください。", null],
  ["without the backticks", "Leave invoices.json as it is.", "does not stand in task.md"],
  ["in other words", "All invoices must be exported.", "does not stand in task.md"],
  ["in another case", "export every invoice.", "does not stand in task.md"],
  ["from the middle of a word", "port every invoice.", "does not stand in task.md"],
  ["to the middle of a word", "Export every invoi", "does not stand in task.md"],
  ["two words", "Export every", "is no sentence. Quote at least 3 words and 12 characters"],
  ["three short words", "as it is.", "is no sentence"],
  ["only marks", "- - - - - - - - - -", "is no sentence"],
  ["only white space", " \n\t ", "is no sentence"],
  ["a path", "`exports/may.vlx`", "is no sentence"],
])("a sentence %s", (_what, sentence, fault) => {
  const said = sentencesOf(task)(sentence);
  if (fault === null) expect(said).toBeNull();
  else expect(said).toContain(fault);
});

test("a sentence whose first place is within a word is found at a later one", () => {
  expect(sentencesOf("rewrite the file now, then write the file now.")("write the file now")).toBeNull();
});

test("a BOM and CRLF in the task do not matter, and a megabyte is quoted in part", () => {
  expect(sentencesOf("\uFEFFWrite the\r\nletter now.\r\n")("Write the letter now.")).toBeNull();
  const long = "no such words ".repeat(80_000);
  expect(sentencesOf(task)(long)!.length).toBeLessThan(500);
});

function claimsOf(assertions: readonly string[], questions: readonly string[] = []): Claims {
  const sentence = "Export every invoice.";
  return {
    claims: assertions.map((assertion) => ({ assertion, sentence })),
    questions: questions.map((id) => ({ id, sentence })),
    survivors: [],
    refusals: [],
  };
}

test.each<[string, readonly string[], readonly string[], readonly string[]]>([
  ["exactly the listed ones, in another order", ["a", "b"], ["b", "a"], []],
  ["one that is missing", ["a", "b"], ["a"], ['claims: "b" is listed, but the grader does not write it']],
  [
    "one that is not listed",
    ["a"],
    ["a", "c"],
    ['The grader writes "c" on descriptor 3, which claims does not list.'],
  ],
  ["one in other words", ["a"], ["a."], ['claims: "a" is listed, but', 'The grader writes "a."']],
  ["one that is written twice", ["a"], ["a", "a"], ['The grader writes "a" on descriptor 3 twice.']],
  ["one that is listed twice", ["a", "a"], ["a"], ['claims: "a" is listed twice.']],
  ["one named as a member of every object", ["__proto__"], ["__proto__"], []],
])("assertions: %s", (_what, listed, written, expected) => {
  const faults = assertionFaults(claimsOf(listed), gradingOf(0, written));
  expect(faults).toHaveLength(expected.length);
  for (const [at, words] of expected.entries()) expect(faults[at]).toContain(words);
});

const asking = (...ids: readonly string[]) =>
  gradingOf(3, ["a"], { answers: ids.map((id) => answerOf(id, true)) });

test.each<[string, readonly string[], readonly (readonly string[])[], readonly string[]]>([
  ["each listed", ["tone"], [["tone"]], []],
  ["each listed, over several gradings", ["tone", "length"], [["tone"], ["length", "tone"]], []],
  ["one that is not listed", [], [["tone"]], ['the grader asks "tone", which is not listed']],
  [
    "one that nobody asks",
    ["tone", "anger"],
    [["tone"]],
    ['"anger" is listed, but the grader does not ask it'],
  ],
  ["one listed twice", ["tone", "tone"], [["tone"]], ['"tone" is listed twice']],
])("questions: %s", (_what, listed, asked, expected) => {
  const faults = questionFaults(
    claimsOf(["a"], listed),
    asked.map((ids) => asking(...ids)),
  );
  expect(faults).toHaveLength(expected.length);
  for (const [at, words] of expected.entries()) expect(faults[at]).toContain(words);
});

test("unlisted assertions are told once, sorted, whether they passed or failed", () => {
  const gradings = [gradingOf(1, ["!z", "a"]), gradingOf(1, ["!z", "b"]), gradingOf(2, ["m"])];
  expect(unlistedAssertions(claimsOf(["a"]), gradings)).toEqual(["b", "m", "z"]);
});
