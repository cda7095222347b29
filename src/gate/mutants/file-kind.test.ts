import { expect, test } from "vitest";
import { commentOf, decodeText, extensionOf, type FileKind, fileKindOf } from "./file-kind.ts";

test.each<[string, string, FileKind]>([
  ["a.json", "", "json"],
  ["A.JSON", "", "json"],
  ["deep.yaml/a", "x", "other"],
  ["log.jsonl", "", "json-lines"],
  ["a.b.yml", "", "yaml"],
  ["a.tsv", "", "csv"],
  ["a.svg", "", "xml"],
  ["a.htm", "", "html"],
  [".json", "x", "other"],
  ["state", ' \n{"a": 1}', "json"],
  ["page", '<?xml version="1.0"?>', "xml"],
  ["page", "<!DOCTYPE HTML>", "html"],
  ["notes.txt", "a, b", "other"],
  ["a.py", "import os", "other"],
])("%s that begins with %j is %s", (path, body, expected) => {
  expect(fileKindOf(path, body)).toBe(expected);
});

test.each<[string, string]>([
  ["a.TXT", "txt"],
  ["a.tar.gz", "gz"],
  ["dir.d/name", ""],
  [".env", ""],
  ["a.", ""],
])("the extension of %s is %j", (path, expected) => {
  expect(extensionOf(path)).toBe(expected);
});

test.each<[string, number[], { mark: string; body: string } | null]>([
  ["text", [0x61], { mark: "", body: "a" }],
  ["text with a byte order mark", [0xef, 0xbb, 0xbf, 0x61], { mark: "\uFEFF", body: "a" }],
  ["nothing", [], { mark: "", body: "" }],
  ["Latin-1", [0xe9], null],
  ["UTF-16", [0xff, 0xfe, 0x61, 0], null],
  ["a character that is cut off", [0x61, 0xe2, 0x82], null],
  ["a NUL", [0x61, 0], null],
])("bytes: %s", (_name, bytes, expected) => {
  expect(decodeText(new Uint8Array(bytes))).toEqual(expected);
});

test.each<[string, string, string, boolean]>([
  ["a.py", "", "  # x", true],
  ["a.md", "", "# x", false],
  ["tool", "#!/bin/sh\n", "# x", true],
  ["tool", "", "# x", false],
  ["src/Makefile", "", "# x", true],
  ["a.sql", "", "-- x", true],
  ["a.sql", "", "x -- y", false],
  ["a.css", "", " /* x */", true],
])("in %s that begins with %j, %j is a comment: %s", (path, body, line, expected) => {
  expect(commentOf(path, body)?.test(line) ?? false).toBe(expected);
});
