import { foreign } from "./foreign.ts";
import { html, type Markup } from "./markup.ts";
import { linked } from "./anchors.ts";
import type { RowLink } from "./row-links.ts";
import { bullets, type Column, longTable } from "./table.ts";

type Table = (header: readonly string[], rows: readonly (readonly string[])[]) => string;

/** What sections of report.md are written with. */
export type Told = { readonly table: Table; readonly plain: (text: string) => string };

/** Longest text of one cell or line that somebody else wrote. */
const longest = 1000;
const shortest = 26;

/**
 * A section of report.md as markup, so that both reports say the same in the same words. Of Markdown it knows what those
 * sections are written in: headings, paragraphs, lists, bold and code. Tables never become text in between. Null where
 * the section is empty. With `folded`, what stands under its sub-headings is opened by its reader. `link` leads from rows
 * of its tables to their trials.
 */
export function toldSection(
  id: string,
  write: (told: Told) => string,
  { folded = false, link = null }: { readonly folded?: boolean; readonly link?: RowLink | null } = {},
): Markup | null {
  const tables: { readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] }[] = [];
  const text = write({
    table: (header, rows) => {
      tables.push({ header, rows });
      return `${mark}${tables.length - 1}${mark}`;
    },
    plain: (words) => foreign(words.replaceAll(mark, ""), longest),
  });
  if (text === "") return null;
  const [title = "", ...blocks] = text.split("\n\n");
  const parts = partsOf(blocks);
  const made = parts.map(({ heading, own }) => {
    const place = { about: `${id}: ${heading ?? "figures"}`, heading, link };
    const body = own.map((block, nth) => blockOf(block, place, nth, tables));
    if (heading === null) return body;
    if (!folded) return [html`<h3>${inline(heading)}</h3>`, ...body];
    return html`<details>
      <summary>${inline(heading)}</summary>
      ${body}
    </details>`;
  });
  return html`
    <section aria-labelledby=${id}>
      <h2 id=${id}>${title.replace(/^## /, "")}</h2>
      ${made}
    </section>
  `;
}

/** Of the private use area, and taken out of what comes from outside. */
const mark = "\ue000";

type Part = { readonly heading: string | null; readonly own: string[] };

/** Blocks by the sub-heading they stand under. */
function partsOf(blocks: readonly string[]): readonly Part[] {
  const parts: Part[] = [{ heading: null, own: [] }];
  for (const block of blocks) {
    if (block.startsWith("### ")) parts.push({ heading: block.slice(4), own: [] });
    else parts.at(-1)?.own.push(block);
  }
  return parts;
}

type Kept = { readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] };

type BlockPlace = { readonly about: string; readonly heading: string | null; readonly link: RowLink | null };

function blockOf(
  block: string,
  { about, heading, link }: BlockPlace,
  nth: number,
  tables: readonly Kept[],
): Markup | null {
  const kept = block.startsWith(mark) ? tables[Number(block.replaceAll(mark, ""))] : undefined;
  if (kept !== undefined) {
    const columns = kept.header.map((words, at) => columnOf(words, at, kept.rows));
    const rows = kept.rows.map((row) => {
      const to = link?.({ header: kept.header, heading }, row) ?? null;
      return row.map((cell, at) => linked(foreign(cell, longest), to?.at === at ? to.id : null));
    });
    return longTable({ label: `Table, ${about}${nth === 0 ? "" : ` (${nth})`}`, columns, rows });
  }
  const lines = block.split("\n");
  if (lines.every((line) => line.startsWith("- ")))
    return bullets(lines.map((line) => inline(line.slice(2))));
  return html`<p>${inline(block)}</p>`;
}

/** A column of short cells keeps them on one line: an interval that is broken is hard to read. */
function columnOf(words: string, at: number, rows: Kept["rows"]): Column {
  if (at === 0) return { words, kind: "name" };
  return rows.every((row) => (row[at]?.length ?? 0) <= shortest) ? { words, kind: "keep" } : { words };
}

/** Bold and code of our own sentences; all else is text. */
function inline(text: string): Markup {
  const parts = text.split(/(\*\*[^*]+\*\*|`[^`]+`)/);
  return html`<span
    >${parts.map((part, at) => {
      if (at % 2 === 0) return part;
      return part.startsWith("`")
        ? html`<code>${part.slice(1, -1)}</code>`
        : html`<strong>${part.slice(2, -2)}</strong>`;
    })}</span
  >`;
}
