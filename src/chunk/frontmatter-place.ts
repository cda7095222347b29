import { isBlank, isFrontmatterFence } from "./source-lines.ts";

/** Where a frontmatter stands; lines are 0-based. `gluedRest` is a heading that shares the closing line. */
export type FrontmatterPlace =
  | { readonly kind: "missing" }
  | { readonly kind: "unclosed"; readonly open: number }
  | {
      readonly kind: "closed";
      readonly open: number;
      readonly close: number;
      readonly gluedRest: string | null;
    };

export function findFrontmatter(lines: readonly string[]): FrontmatterPlace {
  const open = lines.findIndex((line) => !isBlank(line));
  if (!isFrontmatterFence(lines[open] ?? "")) return { kind: "missing" };
  for (const [index, line] of lines.entries()) {
    if (index <= open) continue;
    if (isFrontmatterFence(line)) return { kind: "closed", open, close: index, gluedRest: null };
    const gluedRest = /^---(#{1,6}(?:[ \t].*)?)$/.exec(line)?.[1];
    if (gluedRest !== undefined) return { kind: "closed", open, close: index, gluedRest };
  }
  return { kind: "unclosed", open };
}

export type Body = { readonly startLine: number; readonly lines: readonly string[] };

/** The document with its frontmatter blanked, so that line numbers stay those of the file. */
export function bodyOf(lines: readonly string[], place: FrontmatterPlace): Body | null {
  switch (place.kind) {
    case "missing":
      return { startLine: 1, lines };
    case "unclosed":
      return null;
    case "closed": {
      const { close, gluedRest } = place;
      const startLine = gluedRest === null ? close + 2 : close + 1;
      const blanked = lines.map((line, index) =>
        index > close ? line : index === close ? (gluedRest ?? "") : "",
      );
      return { startLine, lines: blanked };
    }
  }
}
