import { expect, test } from "vitest";
import { type FileTree, hashTree, overlay, type TreeEntry } from "../artefacts/tree.ts";
import { answerBundle, letterBundle, treeOf } from "../testing/benchmark.ts";
import { parseDraft } from "./draft.ts";

const whole = answerBundle().tree;
const yaml = (text: string): FileTree => overlay(whole, treeOf({ "benchmark.yaml": text }));
const without = (path: string): FileTree => whole.filter((entry) => entry.path !== path);
const plus = (...entries: readonly TreeEntry[]): FileTree => overlay(whole, entries);
const file = (path: string, content: string | Uint8Array = "x"): TreeEntry => ({
  kind: "file",
  path,
  mode: 0o644,
  bytes: typeof content === "string" ? new TextEncoder().encode(content) : content,
});

const judgedWith = (sentinels: Readonly<Record<string, string>>): FileTree =>
  overlay(
    yaml("title: A\noutputs: [a]\njudged: true\n"),
    Object.entries(sentinels).map(([path, text]) => file(`sentinels/${path}`, text)),
  );

function faultsOf(tree: FileTree): readonly string[] {
  const parsed = parseDraft("answer", tree);
  return parsed.kind === "faults" ? parsed.faults : [];
}

test("a sound draft becomes a bundle", () => {
  const parsed = parseDraft("answer", whole);
  expect(parsed).toEqual({ kind: "bundle", bundle: answerBundle() });
});

test("sentinels of a judged bundle are part of it, and of its hash", () => {
  const { tree, hash, sentinels } = letterBundle();
  expect(hash).toBe(hashTree(tree));
  expect(sentinels).toEqual({
    good: treeOf({ "letter.md": "Dear Sir\n" }),
    bad: treeOf({ "letter.md": "You again\n" }),
  });
  expect(letterBundle({ "sentinels/bad/letter.md": "You\n" }).hash).not.toBe(hash);
  expect(
    letterBundle({ "sentinels/good/letter.md": null, "sentinels/bad/letter.md": null }).sentinels,
  ).toBeNull();
});

test("our own files beside a delivery are no part of it", () => {
  const parsed = parseDraft("answer", plus(file("gate.json", "{}"), file("FAILED.md")));
  expect(parsed.kind === "bundle" && parsed.bundle.hash).toBe(hashTree(whole));
});

test.each<[string, FileTree, readonly string[]]>([
  [
    "an empty draft",
    [],
    [
      "task.md: missing. It states the task to the agent.",
      "grader/grade: missing. It is the program that grades a workspace.",
      "benchmark.yaml: missing. It needs at least title and outputs.",
    ],
  ],
  ["no task", without("task.md"), ["task.md: missing. It states the task to the agent."]],
  ["an empty task", plus(file("task.md", " \n")), ["task.md: empty. It states the task to the agent."]],
  [
    "a task that is no text",
    plus(file("task.md", Uint8Array.from([0xff, 0xfe]))),
    ["task.md: not UTF-8 text."],
  ],
  [
    "no grader",
    without("grader/grade"),
    ["grader/grade: missing. It is the program that grades a workspace."],
  ],
  [
    "a grader without its bit",
    plus(file("grader/grade")),
    ["grader/grade: not executable. Run: chmod +x grader/grade"],
  ],
  [
    "claims that are no JSON",
    plus(file("grader/claims.json", "{")),
    ["grader/claims.json: not valid JSON: "],
  ],
  [
    "claims of another form",
    plus(file("grader/claims.json", JSON.stringify({ claims: [{ assertion: "a" }], reasons: [] }))),
    ["grader/claims.json: claims.0.sentence: ", 'grader/claims.json: Unrecognized key: "reasons"'],
  ],
  ["claims of nothing", plus(file("grader/claims.json", '{"claims":[]}')), ["grader/claims.json: claims: "]],
  [
    "no reference",
    without("reference/answer.txt"),
    ["reference/: missing. It holds the files of a correct solution, laid over the fixtures."],
  ],
  ["YAML that is none", yaml("title: [\n"), ["benchmark.yaml: not valid YAML: "]],
  [
    "fields that are wrong, all at once",
    yaml("titel: A\noutputs: []\njudged: maybe\n"),
    [
      "benchmark.yaml: title: ",
      "benchmark.yaml: outputs: ",
      "benchmark.yaml: judged: ",
      "benchmark.yaml: titel: no such field; did you mean title?",
    ],
  ],
  ["a list for a file", yaml("- a\n"), ["benchmark.yaml: Invalid input: expected object"]],
  ["a field inside a list", yaml("title: A\noutputs: [a, 7]\n"), ["benchmark.yaml: outputs.1: "]],
  [
    "removes without a fixture",
    yaml("title: A\noutputs: [a]\nremoves: [gone.txt]\n"),
    ["benchmark.yaml: removes.0: there is no fixtures/gone.txt"],
  ],
  [
    "removes against the reference",
    overlay(yaml("title: A\noutputs: [a]\nremoves: [notes.txt]\n"), [file("reference/notes.txt")]),
    ["benchmark.yaml: removes.0: reference/notes.txt puts back what is removed"],
  ],
  [
    "outputs elsewhere",
    yaml('title: A\noutputs: ["/etc/*", "../x", answer.txt]\n'),
    [
      'benchmark.yaml: outputs.0: "/etc/*" is not relative to /workspace',
      'benchmark.yaml: outputs.1: "../x" is not relative to /workspace',
    ],
  ],
  [
    "a link",
    plus({ kind: "link", path: "fixtures/l", target: "../../../etc/passwd" }),
    ["fixtures/l: a symbolic link (to ../../../etc/passwd). Deliver a file instead."],
  ],
  [
    "a task that is a link",
    overlay(without("task.md"), [{ kind: "link", path: "task.md", target: "x" }]),
    ["task.md: a symbolic link", "task.md: missing"],
  ],
  [
    "an absolute name",
    plus(file("/etc/cron")),
    ["/etc/cron: an absolute name.", '"": does not belong here.'],
  ],
  [
    "a name that climbs",
    plus(file("fixtures/../../x")),
    ["fixtures/../../x: a name with an empty, `.` or `..` part."],
  ],
  ["a control character", plus(file("fixtures/a\nb")), ['"fixtures/a\\nb": a name with a control character']],
  [
    "a backslash",
    plus(file("fixtures/a\\b")),
    ['"fixtures/a\\\\b": a name with a control character or a backslash.'],
  ],
  ["a deep name", plus(file(`fixtures/${"d/".repeat(16)}f`)), [": more than 16 folders deep."]],
  ["a long name", plus(file(`fixtures/${"é".repeat(120)}`)), [": a name of more than 240 bytes."]],
  [
    "a reserved file",
    plus(file("fixtures/a/CLAUDE.md")),
    ["fixtures/a/CLAUDE.md: CLAUDE.md is a reserved name"],
  ],
  [
    "a reserved file in other case",
    plus(file("reference/agents.MD")),
    ["reference/agents.MD: agents.MD is a reserved name"],
  ],
  ["a reserved folder", plus(file("grader/.claude/x")), ["grader/.claude/x: .claude is a reserved name"]],
  [
    "a strange member",
    plus(file("notes/a"), file("notes/b")),
    ["notes: does not belong here. A draft has only benchmark.yaml, task.md"],
  ],
  [
    "a folder where a file belongs",
    overlay(without("task.md"), [file("task.md/a")]),
    ["task.md: must be a file.", "task.md: missing"],
  ],
  [
    "a file where a folder belongs",
    overlay(without("fixtures/notes.txt"), [file("fixtures")]),
    ["fixtures: must be a folder."],
  ],
  [
    "a file that is a folder too",
    plus(file("fixtures/notes.txt/deeper")),
    ["fixtures/notes.txt/deeper: fixtures/notes.txt is delivered as a file too."],
  ],
  [
    "names that differ in case",
    plus(file("fixtures/NOTES.txt")),
    ["fixtures/notes.txt: the same name as fixtures/NOTES.txt on some file systems."],
  ],
  [
    "sentinels of a bundle without judges",
    plus(file("sentinels/good/a", "1"), file("sentinels/bad/a", "2")),
    ["sentinels/: only for bundles whose grader asks judges. Say `judged: true`"],
  ],
  ["sentinels without a bad one", judgedWith({ "good/a": "1" }), ["sentinels/bad/: missing."]],
  ["sentinels without a good one", judgedWith({ "bad/a": "1" }), ["sentinels/good/: missing."]],
  [
    "sentinels that are files",
    judgedWith({ good: "1", bad: "2" }),
    [
      "sentinels/: has only the folders good/ and bad/.",
      "sentinels/good/: missing.",
      "sentinels/bad/: missing.",
    ],
  ],
  [
    "a third kind of sentinel",
    judgedWith({ "good/a": "1", "bad/a": "2", "ugly/a": "3" }),
    ["sentinels/: has only the folders good/ and bad/."],
  ],
  [
    "sentinels that are the same",
    judgedWith({ "good/a": "1", "bad/a": "1" }),
    ["sentinels/: good and bad hold the same files."],
  ],
  ["a file called sentinels", plus(file("sentinels")), ["sentinels: must be a folder."]],
  [
    "a reserved name in a sentinel",
    judgedWith({ "good/a": "1", "bad/AGENTS.md": "2" }),
    ["sentinels/bad/AGENTS.md: AGENTS.md is a reserved name"],
  ],
  [
    "a large file",
    plus(file("fixtures/big", new Uint8Array(1024 * 1024 + 1))),
    ["fixtures/big: 1048577 bytes; a file may have at most 1048576."],
  ],
  [
    "too much in all",
    plus(...Array.from({ length: 9 }, (_, at) => file(`fixtures/f${at}`, new Uint8Array(1024 * 1024)))),
    [" bytes in all; a draft may have at most 8388608."],
  ],
  [
    "too many files",
    plus(...Array.from({ length: 500 }, (_, at) => file(`fixtures/f${at}`))),
    [`${500 + whole.length} files; a draft may have at most 500.`],
  ],
])("%s", (_what, tree, faults) => {
  const found = faultsOf(tree);
  expect(found).toHaveLength(faults.length);
  for (const [at, fault] of faults.entries()) expect(found[at]).toContain(fault);
});

test("a thousand faults of one kind are counted, not listed", () => {
  const many = Array.from({ length: 100 }, (_, at) => file(`fixtures/.codex/f${at}`));
  const found = faultsOf(plus(...many));
  expect(found).toHaveLength(21);
  expect(found.at(-1)).toBe("and 80 more files with such faults");
});
