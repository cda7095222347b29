import stringWidth from "string-width";

export type Tone = "plain" | "strong" | "quiet" | "good" | "bad" | "warn";

/** A piece of one line. Its text is printable already. */
export type Span = { readonly text: string; readonly tone: Tone };

export type Glyphs = {
  readonly done: string;
  readonly underWay: string;
  readonly open: string;
  readonly stopped: string;
  readonly full: string;
  readonly empty: string;
  readonly cut: string;
};

export const unicodeGlyphs: Glyphs = {
  ...{ done: "✓", underWay: "▸", open: "·", stopped: "✗", full: "━", empty: "─", cut: "…" },
};
/** For terminals whose locale has nothing else. */
export const asciiGlyphs: Glyphs = {
  ...{ done: "+", underWay: ">", open: ".", stopped: "x", full: "=", empty: "-", cut: "~" },
};

const codes: Readonly<Record<Tone, string>> = {
  ...{ plain: "", strong: "1", quiet: "2", good: "32", bad: "31", warn: "33" },
};

/** Columns that `text` takes in a terminal. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** `text` in exactly `columns`, cut or filled up. */
export function cell(text: string, columns: number, cut: string): string {
  const fitted = fit(text, columns, cut);
  return fitted + " ".repeat(Math.max(0, columns - widthOf(fitted)));
}

const segments = new Intl.Segmenter("en", { granularity: "grapheme" });

/** A wide character that would stand half beyond the end is left out. */
function fit(text: string, columns: number, cut: string): string {
  if (widthOf(text) <= columns) return text;
  let kept = "";
  let left = columns - widthOf(cut);
  for (const { segment } of segments.segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    kept += segment;
  }
  return kept + cut;
}

/** One line of at most `columns`; without colours it holds no escape code. */
export function lineOfSpans(
  spans: readonly Span[],
  {
    columns,
    colour,
    glyphs,
  }: { readonly columns: number; readonly colour: boolean; readonly glyphs: Glyphs },
): string {
  let left = columns;
  let line = "";
  for (const { text, tone } of spans) {
    if (left <= 0) break;
    const fitted = fit(text, left, glyphs.cut);
    left = fitted === text ? left - widthOf(fitted) : 0;
    line += colour && codes[tone] !== "" ? `\u001b[${codes[tone]}m${fitted}\u001b[0m` : fitted;
  }
  return colour ? line : line.trimEnd();
}

/** Groups of spans laid one after the other with three columns between them, on as many lines as that takes. */
export function flow(groups: readonly (readonly Span[])[], columns: number): readonly (readonly Span[])[] {
  const lines: Span[][] = [];
  let used = 0;
  for (const group of groups) {
    const width = group.reduce((sum, { text }) => sum + widthOf(text), 0);
    const line = lines.at(-1);
    if (line === undefined || used + gap.text.length + width > columns) {
      lines.push([...group]);
      used = width;
    } else {
      line.push(gap, ...group);
      used += gap.text.length + width;
    }
  }
  return lines;
}

const gap: Span = { text: "   ", tone: "plain" };
