import { expect, test } from "vitest";
import type { FileTree } from "../../artefacts/tree.ts";
import { treeOf } from "../../testing/benchmark.ts";
import { bundleOf, output, rows, section, text } from "../../testing/settlement-bundle.ts";
import { findLeaks } from "./find-leaks.ts";

test("what is no text is not compared, and strange text breaks nothing", () => {
  const bytes = (path: string, content: Uint8Array): FileTree => [
    { kind: "file", path, mode: 0o644, bytes: content },
  ];
  const encoder = new TextEncoder();
  const bundle = bundleOf({});
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const strange: FileTree = [
    ...bytes("empty", new Uint8Array()),
    ...bytes(
      "binary",
      Uint8Array.from({ length: 5000 }, (_, at) => at % 256),
    ),
    ...bytes("invalid.txt", Uint8Array.from([0xc3, 0x28, 0xff, 0x0a])),
    ...bytes("deep.json", encoder.encode(deep)),
    ...bytes("objects.json", encoder.encode(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`)),
    ...bytes("line.txt", encoder.encode("word `code\\' ".repeat(100_000))),
    ...bytes("quotes.py", encoder.encode("'\\'".repeat(100_000))),
    ...bytes("a b/name with spaces.txt", encoder.encode("\uFEFFtext\r\nmore text\r\n")),
    { kind: "link", path: "link", target: "/etc/passwd" },
  ];
  const hostile = {
    ...bundle,
    fixtures: [...bundle.fixtures, ...strange],
    grader: [...bundle.grader, ...strange],
  };
  const kinds = findLeaks(hostile, { sections: [section], skill: strange }).leaks.map(({ kind }) => kind);
  expect(kinds).not.toContain("reference");
  expect(kinds).not.toContain("how");
  const mark = encoder.encode(`\uFEFF${text(output).replaceAll("\n", "\r\n")}`);
  const utf16 = Uint8Array.from(Buffer.from(`\uFEFF${text(output)}`, "utf16le"));
  for (const copy of [mark, utf16]) {
    const fixtures = [...bundle.fixtures, ...bytes("old", copy)];
    expect(findLeaks({ ...bundle, fixtures }, { sections: null, skill: null }).leaks).toHaveLength(2);
  }
});

test("an image of the reference that lies among the fixtures is found by its bytes", () => {
  const image = (path: string): FileTree => [
    { kind: "file", path, mode: 0o644, bytes: Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]) },
  ];
  const bundle = bundleOf({});
  const reference = [...bundle.reference, ...image("out/chart.png")];
  const leaksWith = (fixture: string) => {
    const fixtures = [...bundle.fixtures, ...image(fixture)];
    return findLeaks({ ...bundle, reference, fixtures }, { sections: [section], skill: [] }).leaks;
  };
  expect(leaksWith("attic/old.png")).toEqual([
    {
      kind: "reference",
      from: "reference/out/chart.png",
      to: "fixtures/attic/old.png",
      passage: "the whole file, 7 bytes",
    },
  ]);
  // The fixture that the reference replaces is no copy, and neither is one that the task names.
  expect(leaksWith("out/chart.png")).toEqual([]);
  expect(bundle.task).toContain("data/in.csv");
  expect(leaksWith("data/in.csv")).toEqual([]);
});

test("eight mebibytes of fixtures and two hundred kilobytes of skill take less than two seconds", () => {
  const many = treeOf({ "data/in.csv": text(rows(300_000)).slice(0, 8 * 1024 * 1024) });
  expect(many[0]).toHaveProperty("bytes.length", 8 * 1024 * 1024);
  const skill = `${section.text}${rows(8_000, 300_000).join("\n\n")}`.slice(0, 200_000);
  expect(skill).toHaveLength(200_000);
  const bundle = bundleOf({ "fixtures/old.csv": text(output) });
  const task = `${bundle.task}Multiply each weight by the tide factor and drop every row; 9973.\n`;
  const context = { sections: [{ file: "SKILL.md", text: skill }], skill: treeOf({ "SKILL.md": skill }) };
  // Of the processor rather than of the clock: tests go on beside others.
  const began = process.cpuUsage();
  const { leaks } = findLeaks({ ...bundle, task, fixtures: [...bundle.fixtures, ...many] }, context);
  const { user, system } = process.cpuUsage(began);
  expect(new Set(leaks.map(({ kind }) => kind))).toEqual(new Set(["how", "answer", "reference"]));
  expect((user + system) / 1_000_000).toBeLessThan(2);
});
