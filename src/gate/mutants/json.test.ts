import { expect, test } from "vitest";
import { outcomes, textChanges } from "../../testing/changes.ts";
import { mutateJson } from "./json.ts";

const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

test.each<[string, string, string, readonly string[]]>([
  [
    "a boolean",
    "literal-changed",
    '{"a": true, "b": false}',
    ['{"a": false, "b": false}', '{"a": true, "b": true}'],
  ],
  ["null", "literal-changed", "[null]", ["[0]"]],
  ["zero", "number-changed", "[0 ]", ["[1 ]"]],
  ["a number too large to tell", "number-changed", "[1e400]", []],
  ["an empty string", "string-changed", '[""]', ['["x"]']],
  ["a string of other letters", "string-changed", '["日本"]', ['["日本x"]']],
  ["a string with an escape only", "string-changed", String.raw`["\n"]`, [String.raw`["\nx"]`]],
  ["keys", "key-renamed", '{"a":1,\n "b": 2}', ['{"ax":1,\n "b": 2}', '{"a":1,\n "bx": 2}']],
  ["a key whose new name is taken", "key-renamed", '{"a":1,"ax":2}', ['{"a":1,"axx":2}']],
  [
    "members",
    "member-dropped",
    '{"a":1, "b":2, "c":3}',
    ['{"b":2, "c":3}', '{"a":1, "c":3}', '{"a":1, "b":2}'],
  ],
  ["an only member", "member-dropped", '{ "a": 1 }', ["{}"]],
  ["elements", "member-dropped", "[1, [2]]", ["[[2]]", "[1]", "[1, []]"]],
  ["neighbours in an array", "elements-swapped", '[1 , {"a":2},3]', ['[{"a":2} , 1,3]', '[1 , 3,{"a":2}]']],
  ["equal neighbours", "elements-swapped", '[{"a":1,"b":2},{"b":2, "a":1.0}]', []],
  ["one key twice", "key-renamed", '{"a":1,"a":2,"b":3}', ['{"a":1,"a":2,"bx":3}']],
  ["one key twice, its values", "number-changed", '{"a":1,"a":2,"b":0}', ['{"a":1,"a":2,"b":1}']],
  ["a comma at the end", "member-dropped", '{"a":1, "b":2,}', ['{"b":2,}', '{"a":1,}']],
  ["comments", "elements-swapped", "[1, // one\n 2]", ["[2, // one\n 1]"]],
  ["a scalar alone", "literal-changed", "true\n", ["false\n"]],
])("%s: %s", async (_name, kind, text, expected) => {
  expect(outcomes(await textChanges(mutateJson, "a.json", text), kind)).toEqual(expected);
});

const settings = `{
\t"name": "elm", "rpm": 1.0,
  "on": true, "note": "a \\"quoted\\" word",   "none": null,
  "steps": [ 0, 20, {"at": "04:00"} ]
}
`;

test("every change is JSON that says something else, and nothing but its slice changed", async () => {
  const changes = await textChanges(mutateJson, "settings.json", settings);
  const kinds = [...new Set(changes.map(({ kind }) => kind))].sort();
  expect(kinds).toEqual([
    "elements-swapped",
    "key-renamed",
    "literal-changed",
    "member-dropped",
    "number-changed",
    "string-changed",
  ]);
  for (const { text, words } of changes) {
    expect(JSON.parse(text), words).not.toEqual(JSON.parse(settings));
    // One slice: what is before and what is after it make up nearly all of the text.
    const kept = sharedEnds(settings, text);
    expect(settings.length - kept, words).toBeLessThan(40);
  }
});

test.each<[string, RegExp]>([
  ["number-changed", /^a number changed in line 2: 1\.0 → (1\.1|-1\.0)$/],
  ["string-changed", /^a string changed in line 2: "elm" → "(flm|emm|eln)"$/],
  ["literal-changed", /^a literal changed in line 3: true → false$/],
  ["key-renamed", /^a key renamed in line 2: "name" → "namex"$/],
  ["member-dropped", /^a member dropped in line 2: "name": "elm"$/],
  ["elements-swapped", /^two elements swapped in line 4: 0 ↔ 20$/],
])("%s is told with its place", async (kind, words) => {
  const [first] = (await textChanges(mutateJson, "settings.json", settings)).filter(
    (change) => change.kind === kind,
  );
  expect(first?.words).toMatch(words);
});

test("an escape is never broken", async () => {
  const text = String.raw`["\u0041\n\t\\x", "\"b\""]`;
  for (let draw = 0; draw < 40; draw++) {
    const changes = await textChanges(mutateJson, "a.json", text, { random: () => draw / 40 });
    for (const change of changes) expect(JSON.parse(change.text)).not.toEqual(JSON.parse(text));
  }
});

test("JSON Lines are broken in each line and by line", async () => {
  const changes = await textChanges(mutateJson, "log.jsonl", '{"a":true}\r\n\r\n{"b":[]}\r\n');
  expect(outcomes(changes, "literal-changed")).toEqual(['{"a":false}\r\n\r\n{"b":[]}\r\n']);
  expect(outcomes(changes, "key-renamed")).toHaveLength(2);
  expect(outcomes(changes, "line-dropped")).toEqual(['\r\n{"b":[]}\r\n', '{"a":true}\r\n\r\n']);
  expect(changes.find(({ kind, text }) => kind === "key-renamed" && text.includes("bx"))?.words).toBe(
    'a key renamed in line 3: "b" → "bx"',
  );
});

test.each<[string, string, string | Uint8Array]>([
  ["syntax errors", "a.json", '{"a": 1'],
  ["nothing", "a.json", ""],
  ["white space", "a.json", " \n"],
  ["two documents", "a.json", "{} {}"],
  ["nesting that only a machine writes", "a.json", deep],
  ["nesting behind brackets in strings", "a.json", `["]]]]", ${deep}]`],
  ["bytes that are no text", "a.json", new Uint8Array([91, 0xff, 93])],
  ["a line that is not JSON", "a.jsonl", "{}\nnot\n"],
  ["another format", "a.yaml", '{"a": 1}'],
  ["a program that begins with a bracket", "a", "[ -f x ] && exit 0\n"],
])("%s: none of its changes", async (_name, path, text) => {
  expect(await textChanges(mutateJson, path, text)).toEqual([]);
});

test("JSON under another name is known by its text, and a byte order mark stays", async () => {
  expect(outcomes(await textChanges(mutateJson, "out/state.snap", " [0]\n"), "number-changed")).toEqual([
    " [1]\n",
  ]);
  expect(outcomes(await textChanges(mutateJson, "a.json", "\uFEFF[0]"), "number-changed")).toEqual([
    "\uFEFF[1]",
  ]);
});

function sharedEnds(a: string, b: string): number {
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return start + end;
}
