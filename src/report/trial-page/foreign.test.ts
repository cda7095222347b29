import { describe, expect, test } from "vitest";
import { documentOf, html } from "../html/markup.ts";
import { cutText } from "./cut-text.ts";
import { foreign, foreignBlock, visibleLine } from "./foreign.ts";

function rendered(text: string): string {
  return documentOf(foreignBlock(cutText(text), "transcript.jsonl"));
}

describe("foreign text stands in a page as text", () => {
  test.each([
    { what: "markup", text: "<script>alert(1)</script>", shown: "&lt;script>alert(1)&lt;/script>" },
    {
      what: "an end of our own element",
      text: "</pre><img src=x onerror=alert(1)>",
      shown: "&lt;/pre>&lt;img",
    },
    { what: "a comment", text: "<!-- -->", shown: "&lt;!-- -->" },
    { what: "an entity", text: "&lt;b&gt;", shown: "&amp;lt;b&amp;gt;" },
    { what: "colours of a terminal", text: "\x1b[31mred\x1b[0m", shown: ">red</pre>" },
    { what: "a link of a terminal", text: "\x1b]8;;http://evil.example\x07here\x1b]8;;\x07", shown: "here" },
    { what: "an escape that is none", text: "\x1b", shown: "\u241b" },
    { what: "NUL and bell", text: "a\0b\x07", shown: "a\u2400b\u2407" },
    { what: "DEL and C1", text: "\x7f\x85", shown: "\u2421\ufffd" },
    { what: "a carriage return", text: "first\rsecond\r\n", shown: "first\u240dsecond\u240d\n" },
    { what: "an override of direction", text: "a\u202eb", shown: 'a<span class="tag open">U+202E</span>b' },
    { what: "isolates", text: "\u2066x\u2069", shown: 'U+2066</span>x<span class="tag open">U+2069' },
    { what: "a zero-width space", text: "a\u200bb", shown: "U+200B" },
    { what: "invisible tags", text: "\u{e0041}", shown: "U+E0041" },
    { what: "a line separator", text: "a\u2028b", shown: "U+2028" },
    { what: "a byte order mark", text: "\ufeffa", shown: "U+FEFF" },
    { what: "an emoji of several parts", text: "👩\u200d💻", shown: "👩\u200d💻" },
    { what: "tab and newline", text: "a\tb\nc", shown: "a\tb\nc" },
    { what: "a newline at its beginning", text: "\na", shown: ">\n\na</pre>" },
    { what: "nothing", text: "", shown: "(empty)" },
  ])("$what", ({ text, shown }) => {
    const page = rendered(text);
    expect(page).toContain(shown);
    expect(page).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
    expect(page).not.toMatch(/<(script|img|b)\b/);
  });
});

test("a line of 20 MB is cut, and it is said how much is shown of what", () => {
  const page = rendered("x".repeat(20_000_000));
  expect(page.length).toBeLessThan(20_000);
  expect(page).toContain("cut: 16 of 20000 KB shown; whole in transcript.jsonl");
});

test("text in a sentence is isolated from its direction", () => {
  expect(documentOf(foreign("\u05d0"))).toContain('<bdi class="foreign" dir="ltr">\u05d0</bdi>');
});

test.each([
  { text: "a\nb\tc", line: "a b c" },
  { text: "\x1b[1mbold\x1b[0m\u202e!", line: "boldU+202E!" },
  { text: "👩".repeat(300), line: `${"👩".repeat(199)}…` },
])("a title has no line break, nothing unseen and an end", ({ text, line }) => {
  expect(visibleLine(text)).toBe(line);
  expect(documentOf(html`<i title=${visibleLine('"><script>')}></i>`)).toContain(
    'title="&quot;>&lt;script>"',
  );
});
