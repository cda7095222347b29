import { expect, test } from "vitest";
import { canonicalJson } from "../../hash.ts";
import { varyJson } from "./json-variants.ts";

test.each<[string, string, string, string | null]>([
  [
    "an object over lines",
    "a.json",
    '{\n  "a": 1,\n  "b": [1, 2]\n}\n',
    '{\n    "b": [\n        1,\n        2\n    ],\n    "a": 1\n}\n',
  ],
  ["four spaces", "a.json", '{\n    "a": 1\n}', '{\n  "a": 1\n}'],
  ["one tight line", "a.json", '{"a":1,"b":{"c":null,"d":[]}}', '{"b": {"d": [], "c": null}, "a": 1}'],
  ["one airy line", "a.json", '{"a": 1, "b": 2}\n', '{"b":2,"a":1}\n'],
  [
    "numbers as they are written",
    "a.json",
    '{"a":1.0,"b":1e400,"c":-0,"d":12345678901234567890}',
    '{"d": 12345678901234567890, "c": -0, "b": 1e400, "a": 1.0}',
  ],
  [
    "strings as they are written",
    "a.json",
    '{"a":"\\u00e9 {[,:\\"","b":"\\/"}',
    '{"b": "\\/", "a": "\\u00e9 {[,:\\""}',
  ],
  ["keys that look like numbers", "a.json", '{"10":1,"9":2}', '{"9": 2, "10": 1}'],
  ["CRLF", "a.json", '{\r\n  "a": 1,\r\n  "b": 2\r\n}\r\n', '{\r\n    "b": 2,\r\n    "a": 1\r\n}\r\n'],
  ["elements keep their order", "a.json", "[3,1,2]", "[3, 1, 2]"],
  ["space around", "a.json", ' \n{"a": 1}\n\n', ' \n{"a":1}\n\n'],
  [
    "conditions of a package",
    "web/package.json",
    '{"exports":{"import":"a","default":"b"}}',
    '{"exports": {"import": "a", "default": "b"}}',
  ],
  ["lines", "a.jsonl", '{"a":1,"b":2}\n\n{"a": 3}\n', '{"b": 2, "a": 1}\n\n{"a":3}\n'],
  ["lines of which one is broken", "a.ndjson", '{"a":1}\n{"a":\n', null],
  ["only lines without members", "a.jsonl", "1\n2\n", null],
  ["a number", "a.json", "12\n", null],
  ["nothing in it", "a.json", "{}", null],
  ["two members of one name", "a.json", '{"a":1,"a":2}', null],
  ["two members of one name, differently written", "a.json", '[{"a":1,"\\u0061":2}]', null],
  ["comments", "a.json", '{"a":1, // one\n"b":2}', null],
  ["a comma too many", "a.json", '{"a":1,}', null],
  ["two values", "a.json", "{} {}", null],
  ["a BOM", "a.json", '\uFEFF{"a":1}', null],
  ["an empty file", "a.json", "", null],
  ["another format", "a.txt", '{"a":1}', null],
])("JSON: %s", (_what, path, text, expected) => {
  const varied = varyJson(path, text);
  expect(varied).toBe(expected);
  if (varied === null || path.endsWith("l")) return;
  expect(canonicalJson(JSON.parse(varied))).toBe(canonicalJson(JSON.parse(text)));
});

test("nesting that a parser does not survive is left alone, brackets in strings are no nesting", () => {
  const nested = (levels: number): string => `${"[".repeat(levels)}1${"]".repeat(levels)}`;
  expect(varyJson("a.json", nested(100_000))).toBeNull();
  expect(varyJson("a.json", `{"]":${nested(100_000)}}`)).toBeNull();
  expect(varyJson("a.json", `{"a":${nested(20)},"b":2}`)).toBe(`{"b": 2, "a": ${nested(20)}}`);
  const quoted = `["${"[".repeat(1000)}",1]`;
  expect(varyJson("a.json", quoted)).toBe(quoted.replace(",1", ", 1"));
});

test("a megabyte keeps its values", () => {
  const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `row ${id}`, ok: id % 2 === 0 }));
  const text = JSON.stringify({ rows, long: "x".repeat(1_000_000) }, null, 2);
  expect(JSON.parse(varyJson("a.json", text)!)).toEqual(JSON.parse(text));
});
