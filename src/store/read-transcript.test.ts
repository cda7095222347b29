import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readTranscript, type TranscriptRead } from "./read-transcript.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "read-transcript-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(content: string | Buffer | null, mostBytes?: number): Promise<TranscriptRead[]> {
  const path = join(folder, "transcript.jsonl");
  await rm(path, { force: true });
  if (content !== null) await writeFile(path, content);
  const all: TranscriptRead[] = [];
  for await (const line of readTranscript(path, mostBytes)) all.push(line);
  return all;
}

function note(text: string): string {
  return JSON.stringify({ kind: "note", text });
}

const whole = (text: string): TranscriptRead => ({ kind: "line", line: { kind: "note", text } });

test.each([
  { what: "no file", content: null, lines: [] },
  { what: "an empty one", content: "", lines: [] },
  {
    what: "lines and an empty one",
    content: `${note("a")}\n\n${note("b")}\n`,
    lines: [whole("a"), whole("b")],
  },
  { what: "no newline at the end", content: note("a"), lines: [whole("a")] },
  {
    what: "characters across pieces of the file",
    content: `${note("ä".repeat(70_001))}\n`,
    lines: [whole("ä".repeat(70_001))],
  },
  {
    what: "what is no JSON, and JSON of another shape",
    content: `{\n{"kind":"other"}\n${note("a")}\n`,
    lines: [
      { kind: "unreadable", words: "Line 1 of the transcript is damaged." },
      { kind: "unreadable", words: "Line 2 of the transcript is damaged." },
      whole("a"),
    ],
  },
] as const)("$what", async ({ content, lines }) => {
  expect(await read(content)).toEqual(lines);
});

test("a line that is too long is told with its size, and the next one is read", async () => {
  const long = note("x".repeat(200_000));
  expect(await read(`${long}\n${note("a")}\n`, 100_000)).toEqual([
    { kind: "unreadable", words: `Line 1 of the transcript has ${long.length} bytes, too many to be shown.` },
    whole("a"),
  ]);
});

test("a line of 20 MB is read", async () => {
  const text = "x".repeat(20_000_000);
  const [line] = await read(`${note(text)}\n`);
  expect(line).toEqual(whole(text));
});
