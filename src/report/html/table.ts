import { html, type Markup } from "./markup.ts";

/** A cell: words, or markup. */
export type TableCell = string | Markup;

/** `name` may take several lines, `num` sets figures flush right, `keep` keeps words on one line. */
export type Column = { readonly words: string; readonly kind?: "name" | "num" | "keep" };

export type TableParts = {
  /** Says what is in it; read to those who do not see it, and different from every other of the page. */
  readonly label: string;
  readonly columns: readonly Column[];
  /** The first cell of each heads its row. */
  readonly rows: readonly (readonly TableCell[])[];
};

/** A table that scrolls in a region of its own where the page is narrow; the region can be reached by keyboard. */
export function dataTable({ label, columns, rows }: TableParts): Markup {
  return html`
    <div class="scroll" role="region" aria-label=${label} tabindex="0">
      <table>
        <thead>
          <tr>
            ${columns.map(({ words, kind }) => html`<th scope="col" class=${kind ?? null}>${words}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                ${row.map((cell, at) => cellOf(cell, at, columns[at]?.kind))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  `;
}

function cellOf(cell: TableCell, at: number, kind: Column["kind"]): Markup {
  const name = kind ?? null;
  return at === 0 ? html`<th scope="row" class=${name}>${cell}</th>` : html`<td class=${name}>${cell}</td>`;
}

/** Rows that a page shows at once; the rest stands folded below them. */
const shownRows = 60;
/** Rows that a page holds at all; with more it would be slow to open. */
const mostRows = 3000;

/** The first rows, and the others behind words that say how many they are. */
export function longTable(parts: TableParts): Markup {
  const { label, columns, rows } = parts;
  if (rows.length <= shownRows) return dataTable(parts);
  const rest = rows.slice(shownRows, mostRows);
  const beyond = rows.length - shownRows - rest.length;
  return html`
    ${dataTable({ label, columns, rows: rows.slice(0, shownRows) })}
    <details>
      <summary>${`${beyond === 0 ? "The other" : "The next"} ${rest.length} of ${rows.length} rows`}</summary>
      ${dataTable({ label: `${label}, the other ${rest.length}`, columns, rows: rest })}
      ${beyond === 0 ? null : html`<p>${`${beyond} more rows stand in report.json beside this page.`}</p>`}
    </details>
  `;
}

/** Words and what they stand for. */
export function facts(pairs: readonly (readonly [string, TableCell])[]): Markup {
  return html`
    <dl class="facts">
      ${pairs.map(
        ([term, value]) =>
          html`<dt>${term}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>
  `;
}

export function bullets(lines: readonly TableCell[]): Markup | null {
  if (lines.length === 0) return null;
  return html`<ul class="prose">
    ${lines.map((line) => html`<li>${line}</li>`)}
  </ul>`;
}
