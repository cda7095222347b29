import { expect, test } from "vitest";
import { randomFrom } from "../../seed.ts";
import { sharedStringsOf, sheetSites, tableSites } from "./office-cells.ts";
import { changesAt, type Site } from "./site.ts";
import { elementsOf, type XmlElement } from "./xml-elements.ts";

const shared = sharedStringsOf(
  new Map([
    [
      "xl/sharedStrings.xml",
      new TextEncoder().encode(
        "<sst><si><t>pe&amp;r</t></si><si><r><t>b</t></r><r><t> ¦</t></r><rPh><t>k</t></rPh></si></sst>",
      ),
    ],
  ]),
);

type Sites = (elements: readonly XmlElement[], body: string) => Iterable<Site>;

test("shared strings are the texts of their runs", () => {
  expect(shared).toEqual(["pe&amp;r", "b ¦"]);
  expect(sharedStringsOf(new Map())).toEqual([]);
});

const sheet: Sites = (elements, body) => sheetSites(elements, body, shared);
const table: Sites = tableSites;
const number = (value: string): string =>
  `<table:table-cell office:value-type="float" office:value="${value}"><text:p>${value}</text:p></table:table-cell>`;
const row = (inside: string): string => `<table:table-row>${inside}</table:table-row>`;

type Row = {
  readonly what: string;
  readonly sites: Sites;
  readonly kind: string;
  readonly from: string;
  readonly to: readonly string[];
};

const rows: readonly Row[] = [
  {
    sites: sheet,
    what: "a number",
    kind: "cell-changed",
    from: '<row><c r="A1"><v>9</v></c></row>',
    to: ['<row><c r="A1"><v>8</v></c></row>'],
  },
  {
    sites: sheet,
    what: "a formula with its value",
    kind: "cell-changed",
    from: '<row><c r="A1"><f>B1*2</f><v>9</v></c></row>',
    to: ['<row><c r="A1"><v>8</v></c></row>'],
  },
  {
    sites: sheet,
    what: "a formula that others share",
    kind: "cell-changed",
    from: '<row><c r="A1"><f t="shared" si="0">B1</f><v>9</v></c></row>',
    to: [],
  },
  {
    sites: sheet,
    what: "a formula that nobody has worked out",
    kind: "cell-changed",
    from: '<row><c r="A1"><f>9</f><v/></c></row>',
    to: ['<row><c r="A1"><f>8</f><v/></c></row>'],
  },
  {
    sites: sheet,
    what: "a truth",
    kind: "cell-changed",
    from: '<row><c r="A1" t="b"><v>1</v></c></row>',
    to: ['<row><c r="A1" t="b"><v>0</v></c></row>'],
  },
  {
    sites: sheet,
    what: "an error",
    kind: "cell-changed",
    from: '<row><c r="A1" t="e"><v>#N/A</v></c></row>',
    to: [],
  },
  {
    sites: sheet,
    what: "a text of its own",
    kind: "cell-changed",
    from: '<row><c t="inlineStr"><is><t>a</t></is></c></row>',
    to: ['<row><c t="inlineStr"><is><t>b</t></is></c></row>'],
  },
  {
    sites: sheet,
    what: "a text that cells share",
    kind: "cell-changed",
    from: '<row><c r="A1" s="4" t="s"><v>1</v></c></row>',
    to: ['<row><c r="A1" s="4" t="inlineStr"><is><t xml:space="preserve">c ¦</t></is></c></row>'],
  },
  {
    sites: sheet,
    what: "a text that is not there",
    kind: "cell-changed",
    from: '<row><c t="s"><v>12</v></c></row>',
    to: [],
  },
  {
    sites: sheet,
    what: "a row with values",
    kind: "row-dropped",
    from: '<row r="1"><c><v>1</v></c></row><row r="2"><c s="1"/></row>',
    to: ['<row r="2"><c s="1"/></row>'],
  },
  {
    sites: table,
    what: "a number as it is and as it is seen",
    kind: "cell-changed",
    from: number("9"),
    to: [number("8")],
  },
  {
    sites: table,
    what: "a text",
    kind: "cell-changed",
    from: '<table:table-cell office:value-type="string"><text:p>a</text:p></table:table-cell>',
    to: ['<table:table-cell office:value-type="string"><text:p>b</text:p></table:table-cell>'],
  },
  {
    sites: table,
    what: "a row with values, not an empty one",
    kind: "row-dropped",
    from: `${row("<text:p>a</text:p>")}<table:table-row/>`,
    to: ["<table:table-row/>"],
  },
  {
    sites: table,
    what: "a table's only row",
    kind: "row-dropped",
    from: row("<text:p>a</text:p>"),
    to: [],
  },
];

test.each(rows)("$kind: $what", ({ sites, kind, from, to }) => {
  // Rows of an OpenDocument table are known by the table.
  const body = `<table:table>${from}</table:table>`;
  const options = { mostPerKind: 1000, random: randomFrom(7) };
  const changes = changesAt({ mark: "", body }, sites(elementsOf(body), body), options);
  const became = changes.filter((change) => change.kind === kind).map(({ bytes }) => textOf(bytes));
  expect(became.sort()).toEqual(to.map((text) => `<table:table>${text}</table:table>`).sort());
});

function textOf(bytes: Uint8Array | null): string {
  return new TextDecoder().decode(bytes ?? new Uint8Array());
}
