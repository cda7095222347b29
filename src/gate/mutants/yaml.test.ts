import { expect, test } from "vitest";
import { parse } from "yaml";
import { outcomes, textChanges } from "../../testing/changes.ts";
import { mutateYaml } from "./yaml.ts";

test.each<[string, string, string, readonly string[]]>([
  [
    "booleans",
    "literal-changed",
    "a: true\nb: False # no\n",
    ["a: false\nb: False # no\n", "a: true\nb: True # no\n"],
  ],
  ["null", "literal-changed", "a: null\nb: ~\nc:\n", ["a: 0\nb: ~\nc:\n", "a: null\nb: 0\nc:\n"]],
  ["zero", "number-changed", "a:   0   # none\n", ["a:   1   # none\n"]],
  ["numbers of other bases", "number-changed", "a: 0x1F\nb: .inf\nc: 0o7\n", []],
  ["plain strings", "string-changed", "a: z\n", ["a: y\n"]],
  ["double quotes", "string-changed", 'a: "z"\nb: ""\n', ['a: "y"\nb: ""\n', 'a: "z"\nb: "x"\n']],
  ["escapes", "string-changed", 'a: "\\t"\n', ['a: "\\tx"\n']],
  ["single quotes", "string-changed", "a: 'z'' '\n", ["a: 'y'' '\n"]],
  ["literal blocks", "string-changed", "a: |-\n  z\n\n  -\nb: 1\n", ["a: |-\n  y\n\n  -\nb: 1\n"]],
  ["folded blocks", "string-changed", "a: >2\n   z\nb: 1\n", ["a: >2\n   y\nb: 1\n"]],
  ["keys", "key-renamed", "a: 1\n'b' : 2\n", ["ax: 1\n'b' : 2\n", "a: 1\n'bx' : 2\n"]],
  ["a key whose new name is taken", "key-renamed", "a: 1\nax: 2\n", ["a: 1\naxx: 2\n"]],
  ["merge keys", "key-renamed", "<<: 1\n", []],
  [
    "members",
    "member-dropped",
    "a: 1\n# of b\nb: 2\nc: 3 # last\n",
    ["# of b\nb: 2\nc: 3 # last\n", "a: 1\n# of b\nc: 3 # last\n", "a: 1\n# of b\nb: 2\n"],
  ],
  ["only members", "member-dropped", "a: 1\n", []],
  [
    "members of inner maps",
    "member-dropped",
    "a:\n  b: 1\n  c:\n    d: 2\n",
    ["a:\n  c:\n    d: 2\n", "a:\n  b: 1\n"],
  ],
  ["members with blocks", "member-dropped", "a: |\n  x\n  y\nb: 1\n", ["b: 1\n", "a: |\n  x\n  y\n"]],
  [
    "members behind a dash",
    "member-dropped",
    "- a: 1\n  b: 2\n- c\n",
    ["- c\n", "- b: 2\n- c\n", "- a: 1\n- c\n", "- a: 1\n  b: 2\n"],
  ],
  ["members in braces", "member-dropped", "{a: 1, b: 2}\n", ["{b: 2}\n", "{a: 1}\n"]],
  ["elements", "member-dropped", "s:\n- 1\n- 2\n", ["s:\n- 2\n", "s:\n- 1\n"]],
  ["elements in brackets", "member-dropped", "[1, 2, 3]", ["[2, 3]", "[1, 3]", "[1, 2]"]],
  [
    "neighbours",
    "elements-swapped",
    "- 1\n- a: 1\n  b: 2\n- 3\n",
    ["- a: 1\n  b: 2\n- 1\n- 3\n", "- 1\n- 3\n- a: 1\n  b: 2\n"],
  ],
  ["neighbours that do not line up", "elements-swapped", "- 1\n-   a: 1\n    b: 2\n", []],
  ["neighbours in brackets", "elements-swapped", "s: [1, [2]] # s\n", ["s: [[2], 1] # s\n"]],
  ["equal neighbours", "elements-swapped", "- 1\n- 1.0\n", []],
  ["an anchor", "member-dropped", "a: &x 1\nb: *x\n", []],
  ["an anchor's value", "number-changed", "a: &x 0\nb: *x\n", ["a: &x 1\nb: *x\n"]],
  ["tags", "string-changed", "a: !!str 0\n", ["a: !!str 1\n"]],
  ["several documents", "number-changed", "a: 0\n---\na: 0\n", ["a: 1\n---\na: 0\n", "a: 0\n---\na: 1\n"]],
  ["CRLF", "member-dropped", "a: 1\r\nb: 2\r\n", ["b: 2\r\n", "a: 1\r\n"]],
  ["a scalar alone", "string-changed", "z\n", ["y\n"]],
])("%s: %s", async (_name, kind, text, expected) => {
  expect(outcomes(await textChanges(mutateYaml, "a.yaml", text), kind)).toEqual(expected);
});

const workflow = `# how crates are moved
name: "Move \\u00fc"
on: { push: [main, 'v*'], pull_request: ~ }
env:
  LIMIT: 12   # crates
  RATE: 1.50
steps:
  - uses: lift@v3
    with:
      level: 2
      note: |
        first
          then

  - run: >-
      go
      on
    if: true
  - [a, b]
`;

test("every change is YAML that says something else, in every kind", async () => {
  const kinds = new Set<string>();
  for (let draw = 0; draw < 5; draw++) {
    for (const { kind, text, words } of await textChanges(mutateYaml, "flow.yml", workflow, {
      random: () => draw / 5,
    })) {
      kinds.add(kind);
      expect(parse(text), words).not.toEqual(parse(workflow));
      expect(text, words).toContain("# how crates are moved\n");
    }
  }
  expect([...kinds].sort()).toEqual([
    "elements-swapped",
    "key-renamed",
    "literal-changed",
    "member-dropped",
    "number-changed",
    "string-changed",
  ]);
});

const bomb = `a: &a [x, x]\n${"bcdefghijk"
  .split("")
  .map((name, at) => `${name}: &${name} [*${"abcdefghij"[at]}, *${"abcdefghij"[at]}]\n`)
  .join("")}`;

test("aliases that unfold without end are not unfolded", async () => {
  const changes = await textChanges(mutateYaml, "a.yaml", bomb);
  expect(outcomes(changes, "key-renamed").length).toBeGreaterThan(5);
});

test.each<[string, string, string | Uint8Array]>([
  ["syntax errors", "a.yaml", "a: [1\n"],
  ["a repeated key", "a.yaml", "a: 1\na: 2\n"],
  ["nothing", "a.yaml", ""],
  ["only a comment", "a.yaml", "# a\n"],
  ["nesting in brackets", "a.yaml", "[".repeat(60_000)],
  ["nesting in dashes", "a.yaml", `${"- ".repeat(30_000)}a\n`],
  ["nesting in keys", "a.yaml", "? ".repeat(30_000)],
  ["bytes that are no text", "a.yaml", new Uint8Array([97, 0xff])],
  ["another format", "a.txt", "a: 1\n"],
  ["a long stream", "a.yaml", "a: 1\n".padEnd(70_000, "# long\n")],
])("%s: none of its changes", async (_name, path, text) => {
  expect(await textChanges(mutateYaml, path, text)).toEqual([]);
});

test("a byte order mark stays", async () => {
  expect(outcomes(await textChanges(mutateYaml, "a.yml", "\uFEFFa: 0\n"), "number-changed")).toEqual([
    "\uFEFFa: 1\n",
  ]);
});
