import type { Random } from "../../seed.ts";
import { extensionOf, decodeText, fileKindOf } from "./file-kind.ts";
import type { Mutator } from "./mutant.ts";
import { nearMiss, otherText } from "./other-value.ts";
import { type Row, rowSites } from "./rows.ts";
import { changesAt, shown, type Site, type Slice, valueSite } from "./site.ts";

/** Breaks cells, rows and the header of comma-, semicolon-, tab- or bar-separated values. */
export const mutateCsv: Mutator = ({ path, bytes }, options) => {
  const text = decodeText(bytes);
  if (text === null || fileKindOf(path, text.body) !== "csv") return [];
  const records = recordsOf(text.body, delimiterOf(path, text.body));
  return records === null ? [] : changesAt(text, tableSites(text.body, records), options);
};

/** A row with its cells, quotes included. */
type TableRow = Row & { readonly cells: readonly Slice[] };

const delimiters = [",", ";", "\t", "|"];

const sampledLines = 10;

/** By the name, else the one that gives the first lines equally many columns, and the most of them. */
function delimiterOf(path: string, body: string): string {
  const extension = extensionOf(path);
  if (extension === "tsv" || extension === "tab") return "\t";
  if (extension === "psv") return "|";
  const lines = body
    .slice(0, 10_000)
    .replaceAll(/"[^"]*"/g, "")
    .split(/[\r\n]+/);
  const sampled = lines.filter((line) => line.trim() !== "").slice(0, sampledLines);
  const fits = (delimiter: string): number => {
    const columns = sampled.map((line) => line.split(delimiter).length);
    const agree = columns.every((count) => count === columns[0]) ? 1000 : 1;
    return columns[0] === undefined || columns[0] === 1 ? 0 : agree * columns[0];
  };
  return delimiters.reduce((best, delimiter) => (fits(delimiter) > fits(best) ? delimiter : best));
}

/** By RFC 4180; null where a quote is not closed, since then nothing tells what the cells are. */
function recordsOf(body: string, delimiter: string): readonly TableRow[] | null {
  const records: TableRow[] = [];
  const stop = new RegExp(`[\\r\\n${delimiter === "|" ? "\\|" : delimiter}]`, "g");
  let start = 0;
  let cells: Slice[] = [];
  for (let at = 0; at < body.length;) {
    const from = at;
    const quoted = body[at] === '"' ? closingQuote(body, at) : at;
    if (quoted === null) return null;
    stop.lastIndex = quoted;
    const end = stop.exec(body)?.index ?? body.length;
    cells.push({ start: from, end });
    at = end + 1;
    if (body[end] === delimiter && at < body.length) continue;
    if (body[end] === delimiter) cells.push({ start: at, end: at });
    const last = body[end] === delimiter ? at : end;
    const next = body.startsWith("\r\n", last) ? last + 2 : Math.min(last + 1, body.length);
    records.push({ start, end: last, next, cells });
    [start, at, cells] = [next, next, []];
  }
  return records;
}

/** The place after the closing quote; null where there is none. */
function closingQuote(body: string, open: number): number | null {
  for (let at = body.indexOf('"', open + 1); at !== -1; at = body.indexOf('"', at + 2)) {
    if (body[at + 1] !== '"') return at + 1;
  }
  return null;
}

function* tableSites(body: string, records: readonly TableRow[]): Generator<Site> {
  const [first] = records;
  const header = first !== undefined && records.length > 1 && isHeader(body, first) ? first : null;
  const rows = header === null ? records : records.slice(1);
  for (const cell of header?.cells ?? []) {
    if (!isEmpty(body, cell)) yield headerSite(body, cell);
  }
  for (const { cells } of rows) {
    for (const cell of cells) if (!isEmpty(body, cell)) yield cellSite(body, cell);
  }
  yield* rowSites(body, rows, { one: "row", many: "rows" });
}

/** Names are no numbers. */
function isHeader(body: string, { cells }: TableRow): boolean {
  return cells.every(({ start, end }) => !/^"?\s*[-+]?[\d.,]+\s*"?$/.test(body.slice(start, end)));
}

function isEmpty(body: string, { start, end }: Slice): boolean {
  return /^"?\s*"?$/.test(body.slice(start, Math.min(end, start + 100))) && end - start < 100;
}

function cellSite(body: string, cell: Slice): Site {
  const before = (): string => body.slice(cell.start, cell.end);
  return valueSite("cell", cell, before, (random) => {
    const source = before();
    const number = /^"?\s*[-+]?\d+(?:[.,]\d+)*/.test(source) && !/[a-z]/i.test(source);
    if (!number || random() < 0.25) return otherText(source, random) ?? otherSymbol(source);
    return otherQuantity(source, random);
  });
}

/** The last number of a cell that holds nothing else: of a date the day, of an amount the amount. */
function otherQuantity(source: string, random: Random): string {
  const numbers = [...source.matchAll(/\d+(?:[.,]\d+)*/g)];
  const last = numbers.at(-1);
  if (last === undefined) return source;
  const end = last.index + last[0].length;
  return source.slice(0, last.index) + nearMiss(last[0], random) + source.slice(end);
}

/** Where there is neither letter nor digit of ASCII. */
function otherSymbol(source: string): string {
  return source.endsWith('"') && source.length > 1 ? `${source.slice(0, -1)}x"` : `${source}x`;
}

function headerSite(body: string, { start, end }: Slice): Site {
  const become: Site["become"] = () => {
    const before = body.slice(start, end);
    const text = otherSymbol(before);
    return { text, what: "a column renamed", detail: `${shown(before)} → ${shown(text)}` };
  };
  return { kind: "header-renamed", start, end, become };
}
