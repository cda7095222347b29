import { expect, test } from "vitest";
import { fileText } from "./file-text.ts";

const text = (content: string): Uint8Array => new TextEncoder().encode(content);

test.each([
  { name: "text", bytes: text("line\n"), expected: "line\n" },
  { name: "nothing", bytes: text(""), expected: "(empty file)" },
  {
    name: "a PNG",
    bytes: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    expected: "(binary file: PNG image, 8 bytes, begins with 89 50 4e 47 0d 0a 1a 0a)",
  },
  {
    name: "Latin-1",
    bytes: new Uint8Array([0x47, 0x72, 0xfc, 0xdf]),
    expected: "(binary file: not UTF-8 text, 4 bytes, begins with 47 72 fc df)",
  },
  {
    name: "a NUL in text",
    bytes: text("a\0b"),
    expected: "(binary file: not UTF-8 text, 3 bytes, begins with 61 00 62)",
  },
])("$name", ({ bytes, expected }) => {
  expect(fileText(bytes, bytes.length)).toBe(expected);
});

test("a long file loses its middle", () => {
  const long = fileText(text(`begin${"x".repeat(40_000)}end`), 40_008);
  expect(long).toMatch(/^begin[^]*\n\[… 23624 bytes left out …\]\n[^]*end$/);
});

test("a file read only in part shows its head, also when the read ended inside a code point", () => {
  const head = text("€".repeat(20_000)).subarray(0, 59_999);
  expect(fileText(head, 9_000_000)).toMatch(/^€+\n\[… 8983617 more bytes: read them with bash/);
});
