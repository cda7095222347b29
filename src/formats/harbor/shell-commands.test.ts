import { expect, test } from "vitest";
import { treeOf } from "../../testing/benchmark.ts";
import { needsNetwork, networkReasons } from "./network-use.ts";
import { commandsOf } from "./shell-commands.ts";

const spoken = (script: string): readonly string[] => commandsOf(script).map(({ words }) => words.join(" "));

test.each<[string, string, readonly string[]]>([
  ["lines and lists", "a 1\nb && c || d; e | f & g", ["a 1", "b", "c", "d", "e", "f", "g"]],
  ["a comment, and a # that is none", "a # b\nc x#y\n# d", ["a", "c x#y"]],
  ["quotes", `a 'b; c' "d | e" f\\ g`, ["a b; c d | e f g"]],
  ["a continued line", "a \\\n  b\r\nc", ["a b", "c"]],
  ["keywords and assignments", "if ! X=1 a; then sudo -E /usr/bin/b; fi", ["a", "b", "fi"]],
  ["substitutions, in quotes too", 'a "x $(b "c d") y" `e` f; g', ["b c d", "e", "a x  y  f", "g"]],
  ["a substitution that assigns", "X=$(a) b; Y=`c`", ["a", "b", "c"]],
  ["substitutions that stay open", "a $(b `c", ["c", "b ", "a "]],
  ["groups", "(a; b) ; { c; }", ["a", "b", "c"]],
  ["braces inside a word", "a ${x} {b,c}d", ["a ${x}", "b,c}d"]],
  ["redirections", "a > b 2>&1 &> c", ["a > b 2>&1 &> c"]],
  ["a here-document is text", "a <<'EOF'\ncurl it's\nEOF\nb", ["a", "b"]],
  ["a here-document with tabs", "a <<-X\n\tcurl\n\tX\nb", ["a", "b"]],
  ["a here-string is none", "a <<< b\nc", ["a b", "c"]],
  ["bash -c", "bash -lc 'a && b'", ["bash -lc a && b", "a", "b"]],
  ["timeout", "timeout -k 5 10 a", ["a"]],
  ["nothing", "", []],
  ["an open quote", "a 'b", ["a b"]],
])("%s", (_what, script, expected) => {
  expect(spoken(script)).toEqual(expected);
});

test("lines are counted through quotes, continuations and here-documents", () => {
  const script = `a\n'b\nc'\nd \\\n e\nf <<X\ntext\nX\ng "h\ni"\nj\n`;
  expect(commandsOf(script).map(({ line, words }) => [line, words[0]])).toEqual([
    [1, "a"],
    [2, "b\nc"],
    [4, "d"],
    [6, "f"],
    [9, "g"],
    [11, "j"],
  ]);
});

test.each<[string, boolean]>([
  ["curl -LsSf https://example.org/install.sh", true],
  ["curl -s http://localhost:8000/health", false],
  ["curl -s 127.0.0.1:8000", false],
  ["curl --version", false],
  ["wget example.org/a.tar", true],
  ["pip install pytest", true],
  ["pip --version", false],
  ["python3 -m pip install pytest", true],
  ["python3 -m pytest /tests", false],
  ["npm ci", true],
  ["npm run build", false],
  ["npx tsc", true],
  ["uvx pytest", true],
  ["uv run pytest", true],
  ["uv pip install pytest", true],
  ["poetry run pytest", false],
  ["apt-get update", true],
  ["git clone https://example.org/a.git", true],
  ["git clone /workspace/a b", false],
  ["git log", false],
  ["go run main.go", false],
  ["go get example.org/x", true],
  ["cargo install x", true],
  ["echo curl https://example.org", false],
])("%s: needs a network: %s", (command, expected) => {
  expect(needsNetwork(command.split(" ")) !== null).toBe(expected);
});

test("every such line of a shell script is named, by file and line; other files are not read", () => {
  const tree = treeOf({
    "test.sh": "#!/bin/bash\nset -e\napt-get update\ncurl -LsSf https://example.org/uv.sh | sh\n",
    "setup!": "#!/usr/bin/env bash\nX=$(wget -qO- https://example.org)\n",
    "notes.txt": "curl https://example.org\n",
    "binary.sh": "a\0curl https://example.org",
  });
  const reasons = networkReasons(tree, "tests");
  expect(reasons.map((reason) => reason.split(": `")[0])).toEqual([
    "tests/setup, line 2",
    "tests/test.sh, line 3",
    "tests/test.sh, line 4",
  ]);
  expect(reasons[1]).toContain("`apt-get update`: apt-get update fetches packages, and there is no network");
  expect(reasons[1]).toContain("sandbox.packages");
});

test("a megabyte of anything is read in time that grows with its length", () => {
  const parts = ["$(", "`", '"', "'", "<<X ", "\\", "#", "(", "{", "a "];
  for (const part of parts) {
    const script = part.repeat(Math.ceil(1_000_000 / part.length));
    const started = performance.now();
    commandsOf(script);
    expect(performance.now() - started, part).toBeLessThan(5000);
  }
});
