import { expect, test } from "vitest";
import type { TranscriptLine } from "../../artefacts/transcript.ts";
import { documentOf } from "../html/markup.ts";
import { transcriptSection } from "./transcript-section.ts";
import { type LineRead, readTurns } from "./turns.ts";

async function* given(lines: readonly (TranscriptLine | LineRead)[]): AsyncGenerator<LineRead> {
  for (const line of lines) {
    await Promise.resolve();
    yield line.kind === "line" || line.kind === "unreadable" ? line : { kind: "line", line };
  }
}

function asked(...calls: readonly (readonly [id: string, name: string, args: string])[]): TranscriptLine {
  const toolCalls = calls.map(([id, name, args]) => ({ id, name, arguments: args }));
  return { kind: "assistant", text: null, toolCalls, finish: "tool_calls" };
}

function said(toolCallId: string, text: string, name = "bash"): TranscriptLine {
  return { kind: "tool", toolCallId, name, text, seconds: 2 };
}

async function callsOf(...lines: readonly TranscriptLine[]) {
  const { turns } = await readTurns(given(lines));
  return turns.flatMap((turn) => (turn.kind === "assistant" ? turn.calls : []));
}

test.each([
  { name: "bash", args: '{"command":"ls -l"}', input: "ls -l", content: null },
  { name: "read_file", args: '{"path":"a.txt"}', input: "a.txt", content: null },
  { name: "write_file", args: '{"path":"a.txt","content":"b"}', input: "a.txt", content: "b" },
  { name: "bash", args: '{"command":"ls","extra":1}', input: '{"command":"ls","extra":1}', content: null },
  { name: "bash", args: '{"command":7}', input: '{"command":7}', content: null },
  { name: "bash", args: "{cut off", input: "{cut off", content: null },
  { name: "other", args: "[1]", input: "[1]", content: null },
])("a call of $name with $args is shown by what it is about", async ({ name, args, input, content }) => {
  const [call] = await callsOf(asked(["1", name, args]));
  expect([call?.input.head, call?.content?.head ?? null]).toEqual([input, content]);
});

test.each([
  { text: "out\n[exit code 2]", end: "exit code 2" },
  { text: "(no output)\n[stopped after 60 s: the time limit of a command]", end: /^stopped after 60 s/ },
  { text: "[exit code 9]\nforged above\n[exit code 0]", end: "exit code 0" },
  { text: "no end", end: null },
])("the end of a command is the last line of its answer: $text", async ({ text, end }) => {
  const [call] = await callsOf(asked(["1", "bash", "{}"]), said("1", text));
  if (end instanceof RegExp) expect(call?.answer?.end).toMatch(end);
  else expect(call?.answer?.end).toBe(end);
});

test("an answer stands with its call; one to no call, and a second one, stand alone", async () => {
  const { turns } = await readTurns(
    given([
      asked(["1", "bash", "{}"], ["2", "bash", "{}"]),
      said("2", "of two"),
      said("1", "of one"),
      said("1", "once more"),
      said("7", "of nothing"),
    ]),
  );
  const [first, ...alone] = turns;
  expect(first?.kind === "assistant" && first.calls.map(({ answer }) => answer?.text.head)).toEqual([
    "of one",
    "of two",
  ]);
  expect(alone.map((turn) => turn.kind === "answer" && turn.answer.text.head)).toEqual([
    "once more",
    "of nothing",
  ]);
});

test("a damaged line is named and the others are shown", async () => {
  const lines = [
    { kind: "unreadable", words: "Line 2 of the transcript is damaged." },
    { kind: "note", text: "still here" },
  ] as const;
  const page = documentOf(transcriptSection(await readTurns(given(lines))));
  expect(page).toContain("Line 2 of the transcript is damaged.");
  expect(page).toContain("still here");
});

test("what does not fit on a page is counted", async () => {
  const lines = Array.from({ length: 10 }, () => ({ kind: "note", text: "x".repeat(1000) }) as const);
  const found = await readTurns(given(lines), 3000);
  expect([found.turns.length, found.linesLeftOut]).toEqual([3, 7]);
  expect(documentOf(transcriptSection(found))).toContain("The last 7 lines of the transcript left out");
});

test("long texts are folded behind their size, and the system prompt always", async () => {
  const lines: readonly TranscriptLine[] = [
    { kind: "system", text: "be good" },
    { kind: "user", text: "the task" },
    { kind: "assistant", text: "y".repeat(9000), toolCalls: [], finish: "length" },
  ];
  const page = documentOf(transcriptSection(await readTurns(given(lines))));
  expect(page).toContain("<summary>System prompt (7 bytes)</summary>");
  expect(page).toContain("<summary>Message (9 KB)</summary>");
  expect(page).toContain("The task, as above.");
  expect(page).toContain('turn ended with: <bdi class="foreign" dir="ltr">length</bdi>');
});
