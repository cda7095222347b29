import type { Anchors } from "./anchors.ts";

/** Which cell of a table's row leads to the trials that the row counts, and where they are listed; null for none. */
export type RowLink = (
  table: { readonly header: readonly string[]; readonly heading: string | null },
  row: readonly string[],
) => { readonly at: number; readonly id: string | null };

/**
 * Rows of the sections that report.md has too begin with what they are about: a skill, a benchmark, several benchmarks,
 * or sections of the skill that their part is named after. A table of anything else links nothing.
 */
export function linksTo(anchors: Anchors): RowLink {
  return ({ header, heading }, row) => {
    const [about = "", told = ""] = [header[0], row[0]];
    const of = (column: string): string => row[header.indexOf(column)] ?? "";
    if (about === "skill") return { at: 0, id: anchors.skill(told) };
    if (about === "benchmark") {
      const [skill = "", benchmark = ""] = splitOnce(told);
      const model = of("model");
      const id =
        model === "" ? anchors.benchmark(skill, benchmark) : anchors.cell({ skill, benchmark, model });
      return { at: 0, id };
    }
    if (about === "benchmarks") return { at: 0, id: anchors.all };
    if (about === "sections") {
      // All benchmarks of a section are made from the same cluster; the first one leads to where they are.
      const first = of("benchmarks").split(/[, ]/)[0] ?? "";
      return { at: header.indexOf("benchmarks"), id: anchors.benchmark(heading ?? "", first) };
    }
    return { at: 0, id: null };
  };
}

/** A skill's name is a folder's, so the first slash ends it. */
function splitOnce(id: string): readonly string[] {
  const at = id.indexOf("/");
  return at === -1 ? ["", id] : [id.slice(0, at), id.slice(at + 1)];
}
