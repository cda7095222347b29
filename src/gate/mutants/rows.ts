import { shown, type Site, type Slice, swapped } from "./site.ts";

/** A line of a text, or a record of a table that may go over several lines. */
export type Row = Slice & {
  /** Where the next one begins, after the line end. */
  readonly next: number;
};

/** What rows are called in kinds and in words. */
export type RowNames = { readonly one: string; readonly many: string };

/** Lines end with LF or CRLF; the last one may have no end. Takes time in proportion to the text. */
export function* linesOf(body: string): Generator<Row> {
  for (let start = 0; start < body.length;) {
    const newline = body.indexOf("\n", start);
    const next = newline === -1 ? body.length : newline + 1;
    const last = newline === -1 ? body.length : newline;
    const end = last > start && body[last - 1] === "\r" && newline !== -1 ? last - 1 : last;
    yield { start, end, next };
    start = next;
  }
}

/** Single rows dropped and doubled, neighbours swapped. Blank rows and those that `isQuiet` are left alone. */
export function* rowSites(
  body: string,
  rows: Iterable<Row>,
  names: RowNames,
  isQuiet: (row: Row) => boolean = () => false,
): Generator<Site> {
  let before: Row | null = null;
  let quietBefore = true;
  for (const row of rows) {
    const quiet = isBlank(body, row) || isQuiet(row);
    if (!quiet) {
      yield dropped(body, row, before, names);
      yield doubled(body, row, before, names);
      if (before !== null && !quietBefore) yield swappedRows(body, [before, row], names);
    }
    [before, quietBefore] = [row, quiet];
  }
}

function isBlank(body: string, { start, end }: Row): boolean {
  return body.slice(start, end).trim() === "";
}

/** Of a last row without a line end the one before goes, so that none is added at the end of the file. */
function dropped(body: string, row: Row, before: Row | null, { one }: RowNames): Site {
  const unended = row.next === row.end && before !== null;
  const [start, end] = unended ? [before.end, row.end] : [row.start, row.next];
  const detail = (): string => shown(body.slice(row.start, row.end));
  const become: Site["become"] = () => ({ text: "", what: `a ${one} dropped`, detail: detail() });
  return { kind: `${one}-dropped`, start, end, become };
}

function doubled(body: string, row: Row, before: Row | null, { one }: RowNames): Site {
  const { start, end } = row;
  const become: Site["become"] = () => {
    const ending =
      body.slice(end, row.next) || (before === null ? "\n" : body.slice(before.end, before.next));
    const text = body.slice(start, end);
    return { text: text + ending + text, what: `a ${one} doubled`, detail: shown(text) };
  };
  return { kind: `${one}-doubled`, start, end, become };
}

function swappedRows(body: string, pair: readonly [Row, Row], { many }: RowNames): Site {
  const { start, end, text } = swapped(body, pair);
  const become: Site["become"] = () => {
    const [a, b] = pair
      .map((row) => body.slice(row.start, row.end))
      .map((row) => row.replaceAll(/\s+/g, " "));
    if (a?.trim() === b?.trim()) return null;
    return {
      text: text(),
      what: `two ${many} swapped`,
      detail: `${shown(a ?? "")} ↔ ${shown(b ?? "")}`,
    };
  };
  return { kind: `${many}-swapped`, start, end, become };
}
