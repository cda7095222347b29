import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { expect, test } from "vitest";
import { randomFrom } from "../../seed.ts";
import type { Change } from "./mutant.ts";
import { mutateOffice } from "./office.ts";

type Parts = Readonly<Record<string, string | Uint8Array>>;

function archive(parts: Parts): Uint8Array {
  const members: Record<string, Uint8Array> = {};
  for (const [name, part] of Object.entries(parts))
    members[name] = typeof part === "string" ? strToU8(part) : part;
  return zipSync(members, { level: 9 });
}

async function changesOf(bytes: Uint8Array, mostPerKind = 1000): Promise<readonly Change[]> {
  return mutateOffice({ path: "a file", bytes, mode: 0o644 }, { mostPerKind, random: randomFrom(7) });
}

/** What a part became in each change of a kind, in the order of the alphabet. */
function became(changes: readonly Change[], kind: string, part: string): readonly string[] {
  return changes
    .filter((change) => change.kind === kind)
    .map(({ bytes }) => strFromU8(unzipSync(bytes ?? new Uint8Array())[part] ?? new Uint8Array()))
    .sort();
}

const word = (body: string): string =>
  `<?xml version="1.0"?>\r\n<w:document xmlns:w="urn:w"><w:body>${body}<w:sectPr/></w:body></w:document>`;
const slide = (body: string): string =>
  `<p:sld xmlns:a="urn:a" xmlns:p="urn:p"><p:txBody>${body}</p:txBody></p:sld>`;
const sheet = (rows: string): string => `<worksheet xmlns="urn:s"><sheetData>${rows}</sheetData></worksheet>`;
const openDocument = (body: string): string => `<office:body xmlns:text="urn:t">${body}</office:body>`;
const table = (rows: string): string => openDocument(`<table:table>${rows}</table:table>`);

const text = "application/vnd.oasis.opendocument.text";
const spreadsheet = "application/vnd.oasis.opendocument.spreadsheet";
const shared =
  "<sst><si><t>pe&amp;r</t></si><si><r><t>b</t></r><r><t xml:space='preserve'> ¦</t></r><rPh><t>k</t></rPh></si></sst>";

type Row = {
  readonly what: string;
  readonly kind: string;
  readonly parts: Parts;
  readonly part: string;
  /** The XML around what changes. */
  readonly around: (inner: string) => string;
  readonly from: string;
  readonly to: readonly string[];
};

const docx = {
  part: "word/document.xml",
  around: word,
  parts: { "[Content_Types].xml": "<Types/>", "word/media/a.png": Uint8Array.of(0, 255, 7) },
};
const pptx = { part: "ppt/slides/slide1.xml", around: slide, parts: { "ppt/presentation.xml": "<p/>" } };
const xlsx = {
  part: "xl/worksheets/sheet1.xml",
  around: sheet,
  parts: { "xl/workbook.xml": "<w/>", "xl/sharedStrings.xml": shared },
};
const odt = { part: "content.xml", around: openDocument, parts: { mimetype: text } };
const ods = { part: "content.xml", around: table, parts: { mimetype: spreadsheet } };
const p = (...runs: readonly string[]): string =>
  `<w:p>${runs.map((run) => `<w:r><w:t>${run}</w:t></w:r>`).join("")}</w:p>`;

const rows: readonly Row[] = [
  {
    ...docx,
    what: "a run of a paragraph",
    kind: "paragraph-changed",
    from: p("a", "&lt;9&gt;"),
    to: [p("b", "&lt;9&gt;"), p("a", "&lt;8&gt;")],
  },
  {
    ...docx,
    what: "one of two paragraphs",
    kind: "paragraph-dropped",
    from: p("a") + p("b"),
    to: [p("a"), p("b")],
  },
  {
    ...docx,
    what: "the only paragraph of a cell",
    kind: "paragraph-dropped",
    from: `<w:tc>${p("a")}</w:tc>`,
    to: ["<w:tc><w:p/></w:tc>"],
  },
  {
    ...docx,
    what: "an empty paragraph",
    kind: "paragraph-dropped",
    from: `<w:p/><w:p><w:r> </w:r></w:p>`,
    to: [],
  },
  {
    ...docx,
    what: "the code of a field",
    kind: "paragraph-changed",
    from: "<w:p><w:instrText>PAGE</w:instrText></w:p>",
    to: [],
  },
  {
    ...pptx,
    what: "a slide's line",
    kind: "paragraph-changed",
    from: "<a:p><a:t>9</a:t></a:p>",
    to: ["<a:p><a:t>8</a:t></a:p>"],
  },
  {
    ...pptx,
    what: "a slide's only line",
    kind: "paragraph-dropped",
    from: "<a:p><a:t>9</a:t></a:p>",
    to: ["<a:p/>"],
  },
  {
    ...odt,
    what: "a heading with a span",
    kind: "paragraph-changed",
    from: "<text:h>a<text:span>b</text:span></text:h>",
    to: ["<text:h>b<text:span>b</text:span></text:h>", "<text:h>a<text:span>c</text:span></text:h>"],
  },
  {
    ...odt,
    what: "a heading above a paragraph",
    kind: "paragraph-dropped",
    from: "<text:h>a</text:h><text:p>b</text:p>",
    to: ["<text:h>a</text:h>", "<text:p>b</text:p>"],
  },
  {
    ...xlsx,
    what: "a text that cells share",
    kind: "cell-changed",
    from: '<row><c t="s"><v>1</v></c></row>',
    to: ['<row><c t="inlineStr"><is><t xml:space="preserve">c ¦</t></is></c></row>'],
  },
  {
    ...ods,
    what: "one of two rows",
    kind: "row-dropped",
    from: "<table:table-row><text:p>a</text:p></table:table-row><table:table-row/>",
    to: ["<table:table-row/>"],
  },
];

test.each(rows)("$kind in $part: $what", async ({ kind, parts, part, around, from, to }) => {
  const changes = await changesOf(archive({ ...parts, [part]: around(from) }));
  expect(became(changes, kind, part)).toEqual(to.map(around).sort());
});

test("all other members stay as they are, in their order", async () => {
  const parts = {
    mimetype: text,
    "content.xml": openDocument("<text:p>a</text:p>"),
    "Pictures/b c.png": Uint8Array.of(0, 1, 255),
  };
  const before = archive(parts);
  const changes = await changesOf(before);
  expect(changes.map(({ kind }) => kind).sort()).toEqual(["paragraph-changed", "paragraph-dropped"]);
  for (const { bytes } of changes) {
    const { "content.xml": changed, ...others } = unzipSync(bytes ?? new Uint8Array());
    const { "content.xml": original, ...same } = unzipSync(before);
    expect(changed).not.toEqual(original);
    expect(others).toEqual(same);
    expect(Object.keys(unzipSync(bytes ?? new Uint8Array()))).toEqual(Object.keys(parts));
  }
});

test("the words name the part and what was written", async () => {
  const changes = await changesOf(archive({ "word/document.xml": word(p("9") + p("a")) }));
  expect(changes.map(({ words }) => words).sort()).toContain(
    "word/document.xml: a paragraph changed in line 2: 9 → 8",
  );
  const mixed = '<row><c t="s"><v>0</v></c><c><f>A1</f><v>9</v></c><c t="b"><v>1</v></c></row>';
  const cells = await changesOf(archive({ ...xlsx.parts, [xlsx.part]: sheet(mixed) }));
  expect(cells.map(({ words }) => words.replace(xlsx.part, "sheet")).sort()).toEqual([
    "sheet: a cell changed in line 1: 1 → 0",
    "sheet: a cell changed in line 1: 9 → 8",
    expect.stringMatching(/^sheet: a cell changed in line 1: pe&amp;r → .{8}$/),
    "sheet: a row dropped in line 1: pe&amp;r | 9 | 1",
  ]);
});

test("of many slides a few of each kind are broken, the same for the same seed on every day", async () => {
  const parts: Record<string, string> = { "ppt/presentation.xml": "<p/>" };
  for (let at = 0; at < 40; at++) parts[`ppt/slides/slide${at}.xml`] = slide(`<a:p><a:t>a${at}</a:t></a:p>`);
  const bytes = archive(parts);
  const changes = await changesOf(bytes, 2);
  expect(changes.map(({ kind }) => kind).sort()).toEqual([
    ...["paragraph-changed", "paragraph-changed"],
    ...["paragraph-dropped", "paragraph-dropped"],
  ]);
  expect(await changesOf(bytes, 2)).toEqual(changes);
});

test.each([
  { what: "nothing", bytes: new Uint8Array() },
  { what: "another format", bytes: strToU8("%PDF-1.7") },
  { what: "an archive of something else", bytes: archive({ "a.xml": "<a>b</a>" }) },
  {
    what: "an archive that is cut off",
    bytes: archive({ "word/document.xml": word(p("a")) }).subarray(0, 90),
  },
  {
    what: "parts in another encoding",
    bytes: archive({ "word/document.xml": new Uint8Array(Buffer.from(word(p("a")), "utf16le")) }),
  },
  {
    what: "tags that do not match",
    bytes: archive({ "word/document.xml": "<w:p><w:t>a</w:r></w:t></w:p></w:p><w:p" }),
  },
])("a file with $what is left alone", async ({ bytes }) => {
  expect(await changesOf(bytes)).toEqual([]);
});

test("elements that stand in each other a hundred thousand deep, and a long line, are read", async () => {
  const deep = 100_000;
  const body = `${p("a")}${"<w:a>".repeat(deep)}${p("b")}${"</w:a>".repeat(deep)}${p("c".repeat(1024 * 1024))}`;
  const changes = await changesOf(archive({ "word/document.xml": word(body) }), 3);
  expect(changes.map(({ kind }) => kind).sort()).toEqual([
    ...["paragraph-changed", "paragraph-changed", "paragraph-changed"],
    ...["paragraph-dropped", "paragraph-dropped", "paragraph-dropped"],
  ]);
});
