import { expect, test } from "vitest";
import { showArtefact, type Shown } from "./artefact-parts.ts";

const bytes = (latin1: string): Uint8Array => new Uint8Array(Buffer.from(latin1, "latin1"));
const show = (content: Uint8Array, size = content.length): Shown =>
  showArtefact("f", new Map([["f", { bytes: content, size }]]));

test.each<[string, Uint8Array, string]>([
  ["png", bytes("\x89PNG\r\n\x1a\nrest"), "image/png"],
  ["jpeg", bytes("\xff\xd8\xff\xe0rest"), "image/jpeg"],
  ["gif", bytes("GIF89arest"), "image/gif"],
  ["webp", bytes("RIFF\x10\x00\x00\x00WEBPVP8 "), "image/webp"],
])("%s is shown as an image, by its bytes", (_name, content, mediaType) => {
  const url = `data:${mediaType};base64,${Buffer.from(content).toString("base64")}`;
  expect(show(content)).toEqual({ kind: "image", path: "f", url });
});

test.each<[string, Shown, string]>([
  ["missing", showArtefact("f", new Map()), "(file is missing)"],
  ["empty", show(new Uint8Array()), "(file is empty)"],
  ["with NUL", show(bytes("a\0b")), "(binary file of 3 bytes, cannot be shown)"],
  ["not UTF-8", show(bytes("\xff\xfe")), "(binary file of 2 bytes, cannot be shown)"],
  [
    "a huge image",
    show(bytes("\x89PNG\r\n\x1a\n"), 5_000_000),
    "(image of 5000000 bytes, too large to show)",
  ],
])("a file that is %s is described", (_what, shown, words) => {
  expect(shown).toEqual({ kind: "words", path: "f", words });
});

test("text is shown whole, and long text cut in the middle", () => {
  expect(show(new TextEncoder().encode("Grüße\n"))).toEqual({ kind: "text", path: "f", text: "Grüße\n" });
  const long = show(new TextEncoder().encode(`start${"é".repeat(70_000)}end`));
  const text = long.kind === "text" ? long.text : "";
  expect(text).toMatch(/^starté+\n\[… 10008 characters left out …\]\né+end$/);
});

test("a head that ends inside a character is text all the same", () => {
  const whole = new TextEncoder().encode("Grüße");
  expect(show(whole.subarray(0, 3), 1000)).toEqual({
    kind: "text",
    path: "f",
    text: "Gr\n[… the last 997 bytes left out …]",
  });
});
