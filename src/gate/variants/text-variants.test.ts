import { expect, test } from "vitest";
import { textIn, varyFinalNewline, varyLineEnds } from "./text-variants.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each<[string, Uint8Array, boolean]>([
  ["plain text", bytes("right\n"), true],
  ["umlauts and a tab", bytes("größe\t1\r\n"), true],
  ["a BOM", bytes("\uFEFFa,b\n"), true],
  ["escapes of a terminal", bytes("\x1b[1mbold\n"), true],
  ["nothing", bytes(""), false],
  ["a zero byte", bytes("a\0b"), false],
  ["invalid UTF-8", Uint8Array.of(0x61, 0xff, 0x0a), false],
  ["a PDF that is ASCII", bytes("%PDF-1.7\nxref\n"), false],
])("%s is text or not", (_what, content, isText) => {
  const text = textIn(content);
  expect(text !== null).toBe(isText);
  if (text !== null) expect(bytes(text)).toEqual(content);
});

test.each<[string, string, string | null]>([
  ["is taken away", "a\nb\n", "a\nb"],
  ["is added", "a\nb", "a\nb\n"],
  ["is added to a single line", "a", "a\n"],
  ["with CRLF is taken away whole", "a\r\nb\r\n", "a\r\nb"],
  ["with CRLF is added like the others", "a\r\nb", "a\r\nb\r\n"],
  ["is taken away once", "a\n\n", "a\n"],
  ["alone stays", "\n", null],
])("a final line break %s", (_what, text, expected) => {
  expect(varyFinalNewline("any", text)).toBe(expected);
});

test.each<[string, string, string, string | null]>([
  ["text", "a.txt", "a\nb\n", "a\r\nb\r\n"],
  ["the extension in capitals", "README.MD", "a\n", "a\r\n"],
  ["CRLF back to LF", "a.ini", "a=1\r\nb=2\r\n", "a=1\nb=2\n"],
  ["no final line break", "a.yml", "a: 1\nb: 2", "a: 1\r\nb: 2"],
  ["CSV", "a.csv", "a,b\n1,2\n", "a,b\r\n1,2\r\n"],
  ["a line break in a CSV value", "a.csv", 'a,"x\ny"\n"q""\n",2\n', 'a,"x\ny"\r\n"q""\n",2\r\n'],
  ["CSV with nothing but a quoted line break", "a.csv", '"x\ny"', null],
  ["mixed line ends", "a.txt", "a\r\nb\n", null],
  ["a carriage return alone", "a.txt", "a\rb\n", null],
  ["a carriage return alone beside CRLF", "a.txt", "a\rb\r\n", null],
  ["one line without end", "a.txt", "a", null],
  ["a script", "run.sh", "#!/bin/sh\ntrue\n", null],
  ["a program", "a.py", "x = 1\n", null],
  ["a name without extension", "Makefile", "all:\n\ttrue\n", null],
  ["an unknown extension", "a.vlx", "a\n", null],
])("line ends of %s", (_what, path, text, expected) => {
  expect(varyLineEnds(path, text)).toBe(expected);
});
