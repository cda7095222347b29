import type { Random } from "../../seed.ts";
import { decodeText } from "./file-kind.ts";
import { entities, textSite } from "./office-paragraphs.ts";
import { nearMiss, otherText } from "./other-value.ts";
import { shown, type Site, type Slice, valueSite } from "./site.ts";
import { attributeOf, elementsOf, within, type XmlElement } from "./xml-elements.ts";
import type { Members } from "./zip.ts";

const everything: ReadonlySet<string> = new Set();

/** Texts that the cells of a workbook name by their number, as they stand in the XML. */
export function sharedStringsOf(members: Members): readonly string[] {
  const body = decodeText(members.get("xl/sharedStrings.xml") ?? new Uint8Array())?.body ?? "";
  const phonetic = new Set(["rPh"]);
  return elementsOf(body)
    .filter(({ name }) => name === "si")
    .map((string) =>
      [...within(string, phonetic)]
        .filter(({ name }) => name === "t")
        .map(({ inside }) => body.slice(inside.start, inside.end))
        .join(""),
    );
}

/** Cells and rows of a sheet of a workbook (ECMA-376 part 1, 18.3.1). */
export function* sheetSites(
  elements: readonly XmlElement[],
  body: string,
  shared: readonly string[],
): Generator<Site> {
  for (const element of elements) {
    if (element.name === "c") yield* cellSites(element, body, shared);
    if (element.name !== "row") continue;
    const written = element.children
      .map((cell) => writtenIn(cell, body, shared))
      .filter((text) => text !== "");
    if (written.length > 0) yield droppedRow(element, written);
  }
}

/** What a cell shows, or its formula where nothing has worked it out. */
function writtenIn(cell: XmlElement, body: string, shared: readonly string[]): string {
  const value = textAt(body, cell.children.find(({ name }) => name === "v")?.inside) ?? "";
  if (textAt(body, attributeOf(cell, "t")) === "s") return shared[Number(value)] ?? "";
  if (value !== "") return value;
  return [...within(cell, everything)]
    .flatMap(({ texts }) => texts.map((text) => textAt(body, text)))
    .join("");
}

function* cellSites(cell: XmlElement, body: string, shared: readonly string[]): Generator<Site> {
  const value = cell.children.find(({ name }) => name === "v");
  const formula = cell.children.find(({ name }) => name === "f");
  const type = textAt(body, attributeOf(cell, "t")) ?? "n";
  const written = textAt(body, value?.inside) ?? "";
  if (type === "inlineStr") {
    for (const { texts } of within(cell, everything))
      for (const text of texts) yield textSite("cell", text, body);
  } else if (type === "s") {
    yield* sharedSite(cell, body, shared[Number(written)]);
  } else if (formula === undefined) {
    if (value !== undefined) yield* valueSites(type, written, value.inside, (text) => text);
  } else if (formula.tag.attributes.length === 0) {
    // Other cells count on a formula that they share, which has attributes.
    if (value === undefined || written === "") {
      for (const text of formula.texts) yield textSite("cell", text, body);
      return;
    }
    const place = { start: Math.min(formula.start, value.start), end: Math.max(formula.end, value.end) };
    yield* valueSites(type, written, place, (text) => `<${value.tag.name}>${text}</${value.tag.name}>`);
  }
}

/** A cell's value broken as its type says. With it goes the formula that it came from. */
function* valueSites(
  type: string,
  written: string,
  { start, end }: Slice,
  dress: (text: string) => string,
): Generator<Site> {
  const become: Site["become"] = (random) => {
    const other = otherValue(type, written, random);
    if (other === null) return null;
    return { text: dress(other), what: "a cell changed", detail: `${shown(written)} → ${shown(other)}` };
  };
  yield { kind: "cell-changed", start, end, become };
}

function otherValue(type: string, written: string, random: Random): string | null {
  switch (type) {
    case "n":
      return /\d/.test(written) ? nearMiss(written, random) : null;
    case "b":
      return written === "0" ? "1" : "0";
    case "str":
      return otherText(written, random, entities);
    default:
      return null;
  }
}

/** Only this cell gets the other text, which it then holds itself. */
function* sharedSite(cell: XmlElement, body: string, text: string | undefined): Generator<Site> {
  const type = attributeOf(cell, "t");
  if (text === undefined || type === undefined) return;
  const prefix = cell.tag.name.slice(0, cell.tag.name.indexOf(":") + 1);
  const tag = `${body.slice(cell.start, type.start)}inlineStr${body.slice(type.end, cell.inside.start)}`;
  const become: Site["become"] = (random) => {
    const other = otherText(text, random, entities);
    if (other === null) return null;
    const inside = `<${prefix}is><${prefix}t xml:space="preserve">${other}</${prefix}t></${prefix}is>`;
    const detail = `${shown(text)} → ${shown(other)}`;
    return { text: `${tag}${inside}</${cell.tag.name}>`, what: "a cell changed", detail };
  };
  yield { kind: "cell-changed", start: cell.start, end: cell.end, become };
}

/** Cells and rows of an OpenDocument table (OpenDocument 1.3 part 3, 9.1). */
export function* tableSites(elements: readonly XmlElement[], body: string): Generator<Site> {
  for (const element of elements) {
    if (element.name === "table-cell") yield* tableCellSites(element, body);
    const rows = element.children.filter(({ name }) => name === "table-row");
    // A table has to keep one.
    if (rows.length < 2) continue;
    for (const row of rows) {
      const written = [...within(row, everything)].flatMap(({ texts }) => texts);
      if (written.length > 0)
        yield droppedRow(
          row,
          written.map(({ start, end }) => body.slice(start, end)),
        );
    }
  }
}

const numeric = /^(float|percentage|currency)$/;

function* tableCellSites(cell: XmlElement, body: string): Generator<Site> {
  const texts = [...within(cell, new Set(["annotation"]))].flatMap((element) => element.texts);
  const type = textAt(body, attributeOf(cell, "value-type")) ?? "";
  if (type === "string") for (const text of texts) yield textSite("cell", text, body);
  const value = attributeOf(cell, "value");
  const [only] = texts;
  if (!numeric.test(type) || value === undefined) return;
  const place = { start: value.start, end: only?.end ?? value.end };
  const written = body.slice(value.start, value.end);
  yield valueSite(
    "cell",
    place,
    () => written,
    (random) => {
      const other = nearMiss(written, random);
      if (only === undefined) return other;
      const seen = body.slice(only.start, only.end);
      const seenThen = seen === written ? other : (otherText(seen, random, entities) ?? seen);
      return other + body.slice(value.end, only.start) + seenThen;
    },
  );
}

function droppedRow({ start, end }: XmlElement, written: readonly string[]): Site {
  const become: Site["become"] = () => ({
    text: "",
    what: "a row dropped",
    detail: shown(written.join(" | ")),
  });
  return { kind: "row-dropped", start, end, become };
}

function textAt(body: string, slice: Slice | undefined): string | undefined {
  return slice === undefined ? undefined : body.slice(slice.start, slice.end);
}
