import { widthOf } from "./spans.ts";

const begin = "\u001b[?2026h";
const end = "\u001b[?2026l";
const noWrap = "\u001b[?7l";
const wrap = "\u001b[?7h";
const restOfLine = "\u001b[K";
const below = "\u001b[J";

/** What stands in the terminal: `rows` rows of a picture, in lines of `columns`. */
export type Standing = { readonly rows: number; readonly columns: number };

/**
 * What to write so that `lines` stand where the picture before stood; `above`, whole lines, stays over them for good and
 * is wrapped by the terminal. The cursor is in the first column under the picture, before and after. It is never hidden,
 * so no end of the process can leave it hidden. Lines are written over rather than cleared first, and those of the
 * picture do not wrap even where the terminal thinks a character wider than we do.
 */
export function repaint(
  { rows, columns }: Standing,
  above: readonly string[],
  lines: readonly string[],
): string {
  const up = rows === 0 ? "" : `\u001b[${rows}A`;
  const kept = above.map((line) => `${line}${endOf(line, columns)}\n`).join("");
  const picture = lines.map((line) => `${line}${restOfLine}\n`).join("");
  const rest = above.length + lines.length > 0 ? below : emptied(rows);
  return `${begin}\r${up}${kept}${noWrap}${picture}${rest}${wrap}${end}`;
}

/** In the last column of a full row the cursor still stands on its last character, which must not go. */
function endOf(line: string, columns: number): string {
  const width = widthOf(line);
  return width > 0 && width % columns === 0 ? "" : restOfLine;
}

/** Row by row: some terminals keep what is cleared from the very first row on in their scroll-back. */
function emptied(rows: number): string {
  return rows === 0 ? "" : `${`${restOfLine}\n`.repeat(rows)}\u001b[${rows}A`;
}

/** Rows that lines take once the terminal has become `columns` wide and has wrapped them anew. */
export function rowsAt(lines: readonly string[], columns: number): number {
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
}
