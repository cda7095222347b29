import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { expect, test } from "vitest";
import { randomFrom } from "../../seed.ts";
import { longestSource, mutateCode } from "./code.ts";
import type { Change } from "./mutant.ts";
import { codeLanguageOf, parseCode } from "./parse-code.ts";

const all = { mostPerKind: 10_000 };
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

async function changesOf(path: string, source: string | Uint8Array, most = all): Promise<readonly Change[]> {
  const bytes = typeof source === "string" ? encoder.encode(source) : source;
  return mutateCode({ path, bytes, mode: 0o644 }, { ...most, random: randomFrom(7, path) });
}

function textsOf(changes: readonly Change[], kind?: string): readonly string[] {
  return changes
    .filter((change) => kind === undefined || change.kind === kind)
    .map(({ bytes }) => decoder.decode(bytes ?? new Uint8Array()));
}

type Row = { readonly kind: string; readonly from: string; readonly to: readonly string[] };

const python: readonly Row[] = [
  { kind: "comparison-flipped", from: "x = a < b", to: ["x = a >= b"] },
  { kind: "comparison-flipped", from: "x = a <= b", to: ["x = a > b"] },
  { kind: "comparison-flipped", from: "x = a > b", to: ["x = a <= b"] },
  { kind: "comparison-flipped", from: "x = a == b", to: ["x = a != b"] },
  { kind: "comparison-flipped", from: "x = a != b", to: ["x = a == b"] },
  { kind: "comparison-flipped", from: "x = a in b", to: ["x = a not in b"] },
  { kind: "comparison-flipped", from: "x = a not in b", to: ["x = a in b"] },
  { kind: "comparison-flipped", from: "x = a is not b", to: ["x = a is b"] },
  { kind: "comparison-flipped", from: "x = 0 <= a < b", to: ["x = 0 > a < b", "x = 0 <= a >= b"] },
  { kind: "boundary-moved", from: "x = 0 <= a < b", to: ["x = 0 < a < b", "x = 0 <= a <= b"] },
  { kind: "boundary-moved", from: "while n > 0: f()", to: [] },
  { kind: "number-changed", from: "x = 12", to: ["x = 13", "x = 11"] },
  { kind: "number-changed", from: "x = 0", to: ["x = 1"] },
  { kind: "number-changed", from: "x = -2.50", to: ["x = -2.51", "x = -2.49"] },
  {
    kind: "number-changed",
    from: "x: Literal[3] = a[1:]",
    to: ["x: Literal[3] = a[2:]", "x: Literal[3] = a[0:]"],
  },
  { kind: "number-changed", from: "near = abs(a - b) < 1e-9", to: [] },
  { kind: "boolean-negated", from: "f(True)", to: ["f(False)"] },
  { kind: "boolean-negated", from: "os.makedirs(a, exist_ok=True)", to: [] },
  { kind: "and-or-exchanged", from: "x = a and b or c", to: ["x = a or b or c", "x = a and b and c"] },
  { kind: "and-or-exchanged", from: "while i < n and a[i]: f()", to: [] },
  { kind: "sign-exchanged", from: "x = a + b - c", to: ["x = a - b - c", "x = a + b + c"] },
  { kind: "sign-exchanged", from: "x += a", to: ["x -= a"] },
  { kind: "sign-exchanged", from: "x = 'a' + b", to: [] },
  { kind: "string-changed", from: "x = 'seven'", to: ["x = 'sewen'"] },
  { kind: "string-changed", from: "x = ''", to: ["x = 'x'"] },
  { kind: "string-changed", from: "x = '; '", to: ["x = 'x'"] },
  { kind: "string-changed", from: "x = '\\n'", to: ["x = 'x'"] },
  { kind: "string-changed", from: "x = r'\\d¦z'", to: ["x = r'\\d¦a'"] },
  { kind: "string-changed", from: "x = f'{a}9'", to: ["x = f'{a}0'"] },
  { kind: "string-changed", from: "x = f'{a}'", to: [] },
  { kind: "string-changed", from: "raise ValueError('no such bay')", to: [] },
  { kind: "string-changed", from: "assert a, 'no such bay'", to: [] },
  { kind: "string-changed", from: "parser.error('no such bay')", to: [] },
  { kind: "string-changed", from: "p.add_argument(a, help='the bay')", to: [] },
  { kind: "return-dropped", from: "def f():\n    return a + b", to: ["def f():\n    return None"] },
  { kind: "return-dropped", from: "def f():\n    return False", to: [] },
  { kind: "statement-deleted", from: "if a:\n    f(b)", to: ["if a:\n    pass"] },
  { kind: "statement-deleted", from: "def f():\n    x = g()", to: ["def f():\n    pass"] },
  { kind: "statement-deleted", from: "while n > a:\n    n += 1", to: [] },
  { kind: "statement-deleted", from: "while n > a:\n    m += 1", to: ["while n > a:\n    pass"] },
  { kind: "statement-deleted", from: "import a\n'doc'\nx: int\ndel y", to: [] },
  { kind: "condition-negated", from: "if a: f()", to: ["if not (a): f()"] },
  { kind: "condition-negated", from: "if not a: f()", to: ["if a: f()"] },
  { kind: "condition-negated", from: "while a or b: f()", to: ["while not (a or b): f()"] },
  { kind: "condition-negated", from: "x = [i for i in a if i.b]", to: ["x = [i for i in a if not (i.b)]"] },
  { kind: "condition-negated", from: "x = a if b else c", to: ["x = a if not (b) else c"] },
  { kind: "condition-negated", from: "if a < b: f()", to: [] },
];

const javascript: readonly Row[] = [
  { kind: "comparison-flipped", from: "x = a < b;", to: ["x = a >= b;"] },
  { kind: "comparison-flipped", from: "x = a === b;", to: ["x = a !== b;"] },
  { kind: "comparison-flipped", from: "x = a in b;", to: ["x = !(a in b);"] },
  { kind: "boundary-moved", from: "x = a >= b;", to: ["x = a > b;"] },
  { kind: "number-changed", from: "x = 0x1F;", to: ["x = 0x20;", "x = 0x1E;"] },
  { kind: "number-changed", from: "x = 1_000n;", to: ["x = 1_001n;", "x = 999n;"] },
  { kind: "boolean-negated", from: "f(true, !false);", to: ["f(false, !false);", "f(true, !true);"] },
  { kind: "and-or-exchanged", from: "x = a && b || c;", to: ["x = a || b || c;", "x = a && b && c;"] },
  { kind: "sign-exchanged", from: "x = a - b;", to: ["x = a + b;"] },
  // a--b would be no program.
  { kind: "sign-exchanged", from: "x = a+-b;", to: [] },
  { kind: "sign-exchanged", from: "for (i = 0; i < n; i += 2) f();", to: [] },
  { kind: "string-changed", from: "x = 'a\\n';", to: ["x = 'b\\n';"] },
  { kind: "string-changed", from: "x = '';", to: ["x = 'x';"] },
  { kind: "string-changed", from: "x = `${a}b${c}`;", to: ["x = `${a}c${c}`;"] },
  { kind: "string-changed", from: "const fs = require('node:fs');", to: [] },
  { kind: "string-changed", from: "throw new Error('no such bay');", to: [] },
  { kind: "return-dropped", from: "function f() { return a; }", to: ["function f() { return undefined; }"] },
  { kind: "return-dropped", from: "f = (x) => x * 2;", to: ["f = (x) => undefined;"] },
  { kind: "return-dropped", from: "function f() { return null; return; }", to: [] },
  { kind: "statement-deleted", from: "if (a) f();", to: ["if (a) ;"] },
  { kind: "statement-deleted", from: "'use strict'; while (i) i--; const x = 1;", to: [] },
  { kind: "condition-negated", from: "if (a) f();", to: ["if (!(a)) f();"] },
  { kind: "condition-negated", from: "while (!a) f();", to: ["while (a) f();"] },
  { kind: "condition-negated", from: "x = a ? b : c;", to: ["x = !(a) ? b : c;"] },
];

const typescript: readonly Row[] = [
  {
    kind: "string-changed",
    from: "type A = 'x' | 'y'; let a: A = 'x';",
    to: ["type A = 'x' | 'y'; let a: A = 'y';"],
  },
  { kind: "number-changed", from: "interface A { a: 1; b?: Array<2> } const x = y as 3;", to: [] },
  { kind: "comparison-flipped", from: "const a = f<string>(b) < c!;", to: ["const a = f<string>(b) >= c!;"] },
];

const shell: readonly Row[] = [
  { kind: "test-exchanged", from: "[ -f a ]", to: ["[ -d a ]"] },
  { kind: "test-exchanged", from: 'test -z "$a"', to: ['test -n "$a"'] },
  { kind: "comparison-flipped", from: "[ $a -eq 3 ]", to: ["[ $a -ne 3 ]"] },
  { kind: "comparison-flipped", from: "[ $a = b ]", to: ["[ $a != b ]"] },
  { kind: "comparison-flipped", from: "[[ $a != b ]]", to: ["[[ $a = b ]]"] },
  { kind: "comparison-flipped", from: "[[ $a < $b ]]", to: ["[[ $a > $b ]]"] },
  { kind: "comparison-flipped", from: "if (( a < b )); then f; fi", to: ["if (( a >= b )); then f; fi"] },
  { kind: "boundary-moved", from: "test $a -lt 3", to: ["test $a -le 3"] },
  { kind: "boundary-moved", from: "while [ $# -gt 0 ]; do shift; done", to: [] },
  { kind: "and-or-exchanged", from: "a && b || c", to: ["a || b || c", "a && b && c"] },
  { kind: "and-or-exchanged", from: "[[ -f a && -f b ]]", to: ["[[ -f a || -f b ]]"] },
  { kind: "number-changed", from: "head -5 a > b 2>&1", to: ["head -6 a > b 2>&1", "head -4 a > b 2>&1"] },
  { kind: "number-changed", from: "cut -f2 a", to: ["cut -f3 a", "cut -f1 a"] },
  { kind: "number-changed", from: "sleep 5; exit 5", to: [] },
  { kind: "exit-code-changed", from: "exit 3", to: ["exit 0"] },
  { kind: "exit-code-changed", from: "f() { return 0; }", to: ["f() { return 1; }"] },
  { kind: "exit-code-changed", from: "exit $a", to: [] },
  { kind: "boolean-negated", from: "quick=false", to: ["quick=true"] },
  { kind: "boolean-negated", from: "f || true", to: ["f || false"] },
  { kind: "sign-exchanged", from: "n=$((a + 1))", to: ["n=$((a - 1))"] },
  { kind: "string-changed", from: "x='seven'", to: ["x='sewen'"] },
  { kind: "string-changed", from: 'echo "a $b"', to: ['echo "b $b"'] },
  { kind: "string-changed", from: 'echo "no such bay" >&2', to: [] },
  { kind: "string-changed", from: 'die "no such bay"', to: [] },
  { kind: "statement-deleted", from: "set -e\nsort a | uniq > b\n", to: ["set -e\n:\n"] },
  { kind: "statement-deleted", from: "if a; then\n  b\nfi\n", to: ["if a; then\n  :\nfi\n"] },
  { kind: "statement-deleted", from: "while [ $n -lt 3 ]; do n=$((n+1)); done", to: [] },
  { kind: "condition-negated", from: "if grep -q a b; then c; fi", to: ["if ! grep -q a b; then c; fi"] },
  { kind: "condition-negated", from: "if ! a; then b; fi", to: ["if a; then b; fi"] },
  { kind: "condition-negated", from: "if a && b; then c; fi", to: ["if ! { a && b; }; then c; fi"] },
  { kind: "condition-negated", from: "if [ -e a ]; then b; fi", to: ["if ! [ -e a ]; then b; fi"] },
  { kind: "condition-negated", from: "while read -r a; do b; done", to: [] },
];

test.each([
  ...python.map((row) => ({ path: "a.py", ...row })),
  ...javascript.map((row) => ({ path: "a.js", ...row })),
  ...typescript.map((row) => ({ path: "a.ts", ...row })),
  ...shell.map((row) => ({ path: "a.sh", ...row })),
])("$path, $kind: $from", async ({ path, kind, from, to }) => {
  expect([...textsOf(await changesOf(path, from), kind)].sort()).toEqual([...to].sort());
});

test.each([
  { path: "a.py", source: "# if a < 1: return 'b'\n'''1 < 2 and True'''\nimport a\n" },
  { path: "a.py", source: "__version__ = '1.2'\n__all__ = ['a']\nVERSION = (1, 2)\nfrom a import b\n" },
  { path: "a.py", source: "print('1', file=sys.stderr)\nlogging.info('a %d', 1)\nsys.stderr.write('3')\n" },
  { path: "a.js", source: "// a < 1\n/* 'b' */ import a from 'b';\nconsole.error('a', 1);\n" },
  { path: "a.sh", source: "#!/bin/sh\n# [ -f 1 ]\nset -eu\necho 'a' 1>&2\n" },
  { path: "a.ts", source: "interface A { a: 'b' | 1 }\ndeclare const a: 1;\n" },
])("nothing of this is worth breaking: $source", async ({ path, source }) => {
  // Where only a message is said, the statement that says it is quiet as well.
  expect(textsOf(await changesOf(path, source))).toEqual([]);
});

test.each([
  { what: "a syntax error", path: "a.py", source: encoder.encode("def f(:\n    return 1\n") },
  { what: "nothing", path: "a.py", source: new Uint8Array() },
  { what: "another encoding", path: "a.py", source: Uint8Array.of(0x78, 0x3d, 0x27, 0xe9, 0x27) },
  { what: "UTF-16", path: "a.js", source: new Uint8Array(Buffer.from("x = 1 < 2;", "utf16le")) },
  {
    what: "a binary file",
    path: "a.sh",
    source: Uint8Array.from({ length: 4096 }, (_, at) => (at * 31) % 256),
  },
  { what: "another language", path: "a.rb", source: encoder.encode("x = 1 < 2\n") },
  {
    what: "a source that is too long",
    path: "a.py",
    source: encoder.encode("x = 1\n".repeat(longestSource / 6 + 1)),
  },
])("a file with $what has no changes", async ({ path, source }) => {
  expect(await changesOf(path, source)).toEqual([]);
});

test("marks, line ends and characters outside the basic plane stay as they are", async () => {
  const source = "\uFEFFtitle = '🍐🍐'  # 🍐\r\nif title < '🍐':\r\n    n = '🍐b'\r\n";
  const changes = await changesOf("a.py", source);
  expect(textsOf(changes, "comparison-flipped")).toEqual([source.replace("title <", "title >=")]);
  expect(textsOf(changes, "string-changed")).toContain(source.replace("🍐b", "🍐c"));
  expect(textsOf(changes, "string-changed")).toContain(source.replace("'🍐🍐'", "'x'"));
  expect(changes.find(({ kind }) => kind === "comparison-flipped")?.words).toBe(
    "a comparison flipped in line 2: < → >=",
  );
});

test("a kind has at most as many changes as are asked for, the same for the same seed", async () => {
  const source = "x = [1, 2, 3, 4, 5, 6, 7, 8, 9]\nif a < b: f(c > d, 'e', 'f', 'g')\n";
  const few = await changesOf("a.py", source, { mostPerKind: 2 });
  const counts = new Map<string, number>();
  for (const { kind } of few) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  expect(Math.max(...counts.values())).toBe(2);
  expect(counts.size).toBe(new Set((await changesOf("a.py", source)).map(({ kind }) => kind)).size);
  expect(await changesOf("a.py", source, { mostPerKind: 2 })).toEqual(few);
});

test("what the reference left alone is left alone", async () => {
  const bytes = encoder.encode("x = 1\ny = 2\n");
  const within = (start: number): boolean => start >= "x = 1\n".length;
  const changes = await mutateCode(
    { path: "a.py", bytes, mode: 0o644 },
    { ...all, random: randomFrom(7), within },
  );
  expect(textsOf(changes, "number-changed")).toEqual(["x = 1\ny = 3\n", "x = 1\ny = 1\n"]);
});

test("every broken JavaScript is a program for Node", async () => {
  const source = javascript.map(({ from }) => `{ ${from} }`).join("\n");
  const texts = textsOf(await changesOf("a.js", source));
  expect(texts.length).toBeGreaterThan(javascript.length);
  for (const text of texts) expect(() => new Script(text), text).not.toThrow();
});

const benchmarks = join(import.meta.dirname, "../../../benchmarks/house-style");
const shipped = readdirSync(benchmarks, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name))
  .filter((path) => /\/(?:reference|grader)\//.test(path));

test("what is made of shipped code parses from the start again", async () => {
  let made = 0;
  for (const path of shipped) {
    const bytes = readFileSync(path);
    const language = codeLanguageOf(path, decoder.decode(bytes));
    if (language === null) continue;
    for (const text of textsOf(await changesOf(path, bytes, { mostPerKind: 3 }))) {
      const parsed = await parseCode(text, language);
      expect(parsed, `${path}\n${text}`).not.toBeNull();
      parsed?.dispose();
      made++;
    }
  }
  expect(made).toBeGreaterThan(100);
});

test.each([
  {
    what: "brackets in brackets",
    path: "a.py",
    piece: (n: number) => `x = ${"(".repeat(n / 2)}1${")".repeat(n / 2)}`,
  },
  {
    what: "calls in calls",
    path: "a.js",
    piece: (n: number) => `${"f(".repeat(n / 3)}1${")".repeat(n / 3)}`,
  },
  { what: "one long sum", path: "a.js", piece: (n: number) => `x = ${"1+".repeat(n / 2)}1` },
  { what: "one long list", path: "a.sh", piece: (n: number) => "a && ".repeat(n / 5) + "b" },
  {
    what: "commands in commands",
    path: "a.sh",
    piece: (n: number) => `x=${"$(".repeat(n / 3)}a${")".repeat(n / 3)}`,
  },
])("a source of the longest length that is $what is broken too", async ({ path, piece }) => {
  const source = piece(longestSource - 20);
  const changes = await changesOf(path, source, { mostPerKind: 1 });
  for (const text of textsOf(changes)) expect(text === source).toBe(false);
  expect(changes.length).toBeGreaterThan(0);
});

test.each([
  { path: "bin/a", text: "#!/usr/bin/env python3\n", language: "python" },
  { path: "bin/a", text: "#!/usr/bin/python3.11 -u\n", language: "python" },
  { path: "bin/a", text: "#!/usr/bin/env -S node --no-warnings\n", language: "javascript" },
  { path: "bin/a", text: "#! /bin/sh -e\n", language: "bash" },
  { path: "bin/a", text: "#!/usr/bin/perl\n", language: null },
  { path: "bin/a", text: "python\n", language: null },
  { path: "a b/c.d.MTS", text: "", language: "typescript" },
  { path: "a.tsx", text: "", language: "tsx" },
  { path: "a.py/b", text: "", language: null },
  { path: ".py", text: "", language: null },
])("$path that begins with $text is $language", ({ path, text, language }) => {
  expect(codeLanguageOf(path, text)).toBe(language);
});
