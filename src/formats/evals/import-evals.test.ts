import { join } from "node:path";
import { expect, test } from "vitest";
import { type FileTree, textOf } from "../../artefacts/tree.ts";
import { type Bundle } from "../../artefacts/bundle.ts";
import { parseDraft } from "../../author/draft.ts";
import { readTree } from "../../store/tree.ts";
import { treeOf } from "../../testing/benchmark.ts";
import type { Imported } from "../losses.ts";
import { importEvals } from "./import-evals.ts";

const whole = (): Promise<FileTree> =>
  readTree(join(import.meta.dirname, "../../testing/formats/evals/harbour-notes"));

function bundleOf(one: Imported | undefined): Bundle {
  if (one?.kind !== "imported") throw new Error(one === undefined ? "nothing" : one.reasons.join("\n"));
  const parsed = parseDraft(one.id, one.tree);
  if (parsed.kind === "faults") throw new Error(parsed.faults.join("\n"));
  return parsed.bundle;
}

const lossesOf = (one: Imported | undefined): readonly string[] =>
  one?.kind === "imported" ? one.losses.map(({ part }) => part) : [];

/** A file of one evaluation, with what matters laid over a sound one. */
const evaluation = (over: Readonly<Record<string, unknown>>): FileTree => {
  const sound = {
    id: 1,
    prompt: "Write a short letter to the crew.",
    expected_output: "Dear crew",
    expectations: ["It is short"],
  };
  return treeOf({ "evals/evals.json": JSON.stringify({ skill_name: "s", evals: [{ ...sound, ...over }] }) });
};

test("each evaluation of a file becomes a judged bundle of sound form, or is refused with its reason", async () => {
  const all = importEvals("harbour-notes", await whole());
  expect(all.map(({ id, kind }) => [id, kind])).toEqual([
    ["harbour-notes-1", "imported"],
    ["harbour-notes-u-nder-keel", "imported"],
    ["harbour-notes-3", "refused"],
    ["harbour-notes-4", "refused"],
  ]);
  const reasons = all.flatMap((one) => (one.kind === "refused" ? one.reasons : []));
  expect(reasons[0]).toContain("files evals/files/pilot.log: missing");
  expect(reasons[1]).toContain("evals.3: has neither expectations nor assertions");
});

test("task, reference, fixtures and questions come from the evaluation", async () => {
  const [first] = importEvals("harbour-notes", await whole());
  const bundle = bundleOf(first);
  expect(bundle.spec).toMatchObject({ title: "note-of-the-day", outputs: ["answer.md", "**"], judged: true });
  expect(bundle.fixtures.map(({ path }) => path)).toEqual(["evals/files/levels.csv"]);
  expect(bundle.task).toContain("Write your answer to `answer.md`");
  expect(bundle.task).toContain("`evals/files/levels.csv`");
  expect(textOf(bundle.reference, "answer.md")).toContain("455 cm");
  const asked = JSON.parse(textOf(bundle.grader, "questions.json") ?? "") as {
    questions: readonly { id: string; question: string }[];
  };
  expect(asked.questions.map(({ id }) => id)).toEqual(["e1", "e2"]);
  expect(asked.questions[1]?.question).toMatch(
    /^This was asked for:[^]*harbour master[^]*fewer than one hundred words$/,
  );
  expect(bundle.claims?.questions).toEqual([
    { id: "e1", sentence: "It should name the highest level of the day." },
    { id: "e2", sentence: "Keep it under one hundred words." },
  ]);
  for (const { sentence } of [...(bundle.claims?.claims ?? []), ...(bundle.claims?.questions ?? [])])
    expect(bundle.task.replace(/\s+/g, " ")).toContain(sentence);
});

test("both schemas are read, and what has no place is named", async () => {
  const [, second] = importEvals("harbour-notes", await whole());
  const bundle = bundleOf(second);
  const asked = textOf(bundle.grader, "questions.json") ?? "";
  expect(asked).toContain("The answer has two sentences");
  expect(asked).toContain("between keel and ground");
  // The skill itself would help both arms.
  expect(bundle.fixtures.map(({ path }) => path)).toEqual(["conventions.md", "files/levels.csv"]);
  const losses = lossesOf(second);
  for (const part of [
    "evals/evals.json version",
    "evals.1.tags",
    "evals.1.assertions[].weight",
    "files SKILL.md",
    "files conventions.md",
  ])
    expect(losses).toContain(part);
  expect(losses).not.toContain("files files/levels.csv");
});

test.each<[string, string | Uint8Array, RegExp]>([
  ["no JSON", '{\n  "evals": [\n    {]\n', /^evals\/evals\.json: not valid JSON, line 3, column 6: /],
  ["a file that ends too soon", '{\n"evals": [', /not valid JSON, line 2, column 11: Unexpected end/],
  ["an empty file", "", /not valid JSON, line 1, column 1/],
  ["not UTF-8", Uint8Array.of(0x7b, 0xff, 0x7d), /not UTF-8 text/],
  ["a text", '"evals"', /evals is "evals"/],
  ["no evaluations", '{"skill_name": "x"}', /evals is nothing/],
  ["an empty list", '{"evals": []}', /evals is an empty list/],
  ["evaluations by name", '{"evals": {"one": {}}}', /evals is an object with one/],
  ["brackets without end", "[".repeat(200_000), /not valid JSON/],
])("the file is refused: %s", (_what, content, expected) => {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const [one, ...more] = importEvals("s", [{ kind: "file", path: "evals/evals.json", mode: 0o644, bytes }]);
  expect(more).toEqual([]);
  expect(one?.kind === "refused" && one.reasons.join("\n")).toMatch(expected);
});

test.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
  ["no prompt", { prompt: undefined }, /^evals\.0\.prompt: expected text, came nothing$/],
  ["an empty prompt", { prompt: "" }, /prompt: expected text, came an empty text/],
  ["a prompt that is a list", { prompt: ["x"] }, /prompt: expected text, came a list/],
  ["no expected output", { expected_output: null }, /expected_output: expected text, came null/],
  [
    "an object for an output",
    { expected_output: { a: 1, b: 2 } },
    /expected_output: expected text, came an object with a, b/,
  ],
  ["a text for a list", { expectations: "It is short" }, /expectations: expected a list, came "It is short"/],
  [
    "an expectation without words",
    { expectations: ["a", { weight: 1 }] },
    /expectations\.1: expected text or \{"text": …\}, came an object with weight/,
  ],
  ["a number for an expectation", { assertions: [7] }, /assertions\.0: .*came number 7/],
  ["files by name", { files: { a: "b" } }, /files: expected a list of paths, came an object with a/],
  ["a file that is a number", { files: [1] }, /files\.0: expected a path/],
  [
    "an absolute file",
    { files: ["/etc/passwd"] },
    /files \/etc\/passwd: not a path below the skill's folder/,
  ],
  ["a file elsewhere", { files: ["evals/../../x"] }, /not a path below the skill's folder/],
  [
    "a file called answer.md",
    { files: [{ path: "answer.md", content: "x" }] },
    /answer\.md: this name is needed/,
  ],
])("an evaluation is refused: %s", (_what, over, expected) => {
  const [one] = importEvals("s", evaluation(over));
  expect(one?.kind === "refused" && one.reasons.join("\n")).toMatch(expected);
});

test("everything wrong with an evaluation is said at once, and the others are read", () => {
  const file = {
    evals: [
      7,
      { prompt: "" },
      { prompt: "Say hello to them.", expected_output: "Hi", assertions: ["It greets"] },
    ],
  };
  const [number, empty, sound] = importEvals("s", treeOf({ "evals.json": JSON.stringify(file) }));
  expect(number?.kind === "refused" && number.reasons).toEqual([
    "evals.0: expected an object, came number 7",
  ]);
  expect(empty?.kind === "refused" && empty.reasons).toHaveLength(3);
  expect(bundleOf(sound).id).toBe("s-3");
  expect(lossesOf(sound)).toContain("evals.2.id");
});

test("ids are slugs and differ", () => {
  const sound = { prompt: "Say hello to them.", expected_output: "Hi", expectations: ["It greets"] };
  const evals = ["a/b", "A b", "../..", "日本", 0, true].map((id) => ({ ...sound, id }));
  const all = importEvals("s", treeOf({ "evals/evals.json": JSON.stringify(evals) }));
  expect(all.map(({ id }) => id)).toEqual(["s-a-b", "s-a-b-2", "s-eval", "s-eval-2", "s-0", "s-6"]);
});

test("more expectations than questions: the rest is named", () => {
  const expectations = Array.from({ length: 23 }, (_, at) => `Holds for ${at}`);
  const [one] = importEvals("s", evaluation({ expectations }));
  expect(bundleOf(one).claims?.questions).toHaveLength(20);
  const loss =
    one?.kind === "imported"
      ? one.losses.find(({ words }) => words.includes("left out, because"))
      : undefined;
  expect(loss?.words).toMatch(/the last 3 of 23 .*Holds for 20; Holds for 21; Holds for 22$/);
});

test("a file with a mark, CRLF and characters beyond the plain ones", () => {
  const prompt = `Write a note.\r\nIt should be about the ${"\u{1F6A2}".repeat(4000)} of the harbour.`;
  const json = JSON.stringify({
    evals: [{ id: "x", prompt, expected_output: "Note", expectations: ["Is a note", "Is a note"] }],
  });
  const [one] = importEvals("s", treeOf({ "evals/evals.json": `\ufeff${json}\r\n` }));
  const bundle = bundleOf(one);
  expect(bundle.claims?.questions).toHaveLength(1);
  expect(textOf(bundle.grader, "questions.json")).not.toMatch(/\\ud83d/i);
  expect(lossesOf(one).filter((part) => part === "prompt")).toHaveLength(2);
  expect(bundle.spec.title).toBe("Write a note.");
});

test("a prompt without words between spaces is traced to the sentence about the answer", () => {
  const [one] = importEvals(
    "s",
    evaluation({ prompt: "请写一份关于港口潮汐的简短说明。", expectations: ["说明简短"] }),
  );
  const { claims, task } = bundleOf(one);
  const [question] = claims?.questions ?? [];
  expect(question?.sentence).toContain("Write your answer to `answer.md`");
  expect(task).toContain(question?.sentence);
});
