import type { Ablation } from "../../artefacts/ablation.ts";
import type { Chunk, Chunks } from "../../artefacts/chunks.ts";
import type { Cluster, Clusters } from "../../artefacts/clusters.ts";
import type { OutlineHeading, SkillOutline } from "../../artefacts/outline.ts";
import { overlay } from "../../artefacts/tree.ts";
import { UserError } from "../../errors.ts";
import { nearest } from "../../nearest.ts";
import { countTokens } from "../../tokens.ts";
import type { Deliverable } from "./deliverable.ts";
import { type NamedHeading, nameHeadings, plainName } from "./headings.ts";
import { byteLines, type LineSpan, withoutLines } from "./lines.ts";

/** What is known of a skill's parts. `clustered` is null for a skill that was never built. */
export type SkillParts = {
  readonly outline: SkillOutline;
  readonly clustered: { readonly chunks: Chunks; readonly clusters: Clusters } | null;
};

export type Ablated = { readonly skill: Deliverable; readonly ablation: Ablation };

type Cut = LineSpan & { readonly file: string; readonly title: string };

/**
 * The skill without one part, every other byte as it was. `of` is a heading of SKILL.md by its name (see
 * `nameHeadings`, or more of the titles around it), which goes with its sub-sections, or a cluster's id, of which all
 * sections go wherever they stand; a heading that is written exactly so comes first. Throws `UserError` for a part that is not there or is all there is.
 */
export function ablated(skill: Deliverable, of: string, parts: SkillParts): Ablated {
  const headings = nameHeadings(parts.outline);
  const clusters = parts.clustered?.clusters.clusters ?? [];
  const cluster = clusters.find(({ id }) => id === of);
  const exact = headings.find(({ name }) => name === of);
  if (exact === undefined && cluster !== undefined) return withoutCluster(skill, cluster, parts);
  const meant =
    exact ?? headings.find(({ name }) => plainName(name) === plainName(of)) ?? byTrail(headings, of);
  if (meant !== undefined) return withoutSection(skill, of, meant.heading, parts.outline);
  const names = headings.map(({ name }) => name);
  throw new UserError(unknownPart(skill.name, of, [...names, ...clusters.map(({ id }) => id)], names));
}

/** The only heading with these titles around it, although fewer would tell it. */
function byTrail(headings: readonly NamedHeading[], of: string): NamedHeading | undefined {
  const wanted = plainName(of);
  const [only, ...more] = headings.filter(({ heading: { path } }) => {
    const trail = plainName(path.join(" > "));
    return trail === wanted || (wanted.includes(" > ") && trail.endsWith(` > ${wanted}`));
  });
  return more.length === 0 ? only : undefined;
}

function unknownPart(skill: string, of: string, known: readonly string[], names: readonly string[]): string {
  const title = plainName(of);
  const sameTitle = names.filter((name) => plainName(name).endsWith(`> ${title}`));
  if (sameTitle.length > 1) {
    return `${skill}: several headings are called ${JSON.stringify(of)}. Write one of: ${sameTitle.join("; ")}`;
  }
  const [meant] = nearest(of, known);
  const hint =
    meant === undefined ? `There are: ${known.join("; ")}` : `Did you mean ${JSON.stringify(meant)}?`;
  return `${skill}: no heading and no cluster is called ${JSON.stringify(of)}. ${hint}`;
}

/**
 * What can be ablated one by one: each heading that has text, itself or below it, and is not the whole document, or
 * each cluster that has sections. In document order, by the names that `ablated` takes.
 */
export function partsToAblate(
  skill: Deliverable,
  each: "section" | "cluster",
  parts: SkillParts,
): readonly string[] {
  const { outline, clustered } = parts;
  if (each === "section") {
    return nameHeadings(outline)
      .filter(({ heading }) => hasAnyText(heading, outline))
      .filter(({ heading }) => !leavesNothing(skill, [cutOf(heading, outline)], outline))
      .map(({ name }) => name);
  }
  if (clustered === null) throw new UserError(notBuilt(skill.name));
  return clustered.clusters.clusters
    .filter((cluster) => {
      const cuts = cutsOf(skill, cluster, clustered.chunks, outline);
      return cuts.length > 0 && !leavesNothing(skill, cuts, outline);
    })
    .map(({ id }) => id);
}

function hasAnyText({ line, endLine }: OutlineHeading, { headings }: SkillOutline): boolean {
  return headings.some((heading) => heading.line >= line && heading.line <= endLine && heading.hasText);
}

function withoutSection(
  skill: Deliverable,
  of: string,
  heading: OutlineHeading,
  outline: SkillOutline,
): Ablated {
  const cut = cutOf(heading, outline);
  if (leavesNothing(skill, [cut], outline)) {
    throw new UserError(
      `${skill.name}: ${JSON.stringify(of)} is all that ${outline.file} says. Name one of its sections, or use ` +
        "the arm without_skill.",
    );
  }
  return withoutCuts(skill, { of, kind: "section" }, [cut]);
}

function withoutCluster(skill: Deliverable, cluster: Cluster, { outline, clustered }: SkillParts): Ablated {
  if (clustered === null) throw new UserError(notBuilt(skill.name));
  const cuts = cutsOf(skill, cluster, clustered.chunks, outline);
  if (cuts.length === 0) {
    throw new UserError(
      `${skill.name}: cluster ${cluster.id} has no section in the files of the skill. Name a heading.`,
    );
  }
  if (leavesNothing(skill, cuts, outline)) {
    throw new UserError(
      `${skill.name}: cluster ${cluster.id} is all that ${outline.file} says. Use the arm without_skill.`,
    );
  }
  return withoutCuts(skill, { of: cluster.id, kind: "cluster" }, cuts);
}

function notBuilt(skill: string): string {
  return `${skill}: its clusters are not known. Run: skillproof build --until cluster`;
}

function cutOf({ title, line, endLine }: OutlineHeading, { file }: SkillOutline): Cut {
  return { file, title, from: line, to: endLine };
}

/** The sections of a cluster with the blank lines after them, and headings below which nothing would be left. */
function cutsOf(
  skill: Deliverable,
  cluster: Cluster,
  { chunks, units }: Chunks,
  outline: SkillOutline,
): readonly Cut[] {
  const ids = new Set(units.filter(({ id }) => cluster.units.includes(id)).flatMap((unit) => unit.chunks));
  const cut = chunks.filter(({ id }) => ids.has(id));
  const cuts = cut.flatMap((chunk) => {
    const lines = linesOfFile(skill, chunk.file);
    if (lines.slice(chunk.startLine - 1, chunk.endLine).join("\n") !== chunk.text) {
      throw new UserError(
        `${skill.name}: ${chunk.file} changed since its sections were clustered. Run: skillproof build --until cluster`,
      );
    }
    const from = chunk.startLine + (keepsHeading(chunk, chunks, ids) ? headingLines(chunk) : 0);
    let to = chunk.endLine;
    while (to < lines.length && (lines[to] ?? "").trim() === "") to++;
    return from > to ? [] : [{ file: chunk.file, title: chunk.title, from, to }];
  });
  return [...cuts, ...bareHeadings(outline, cut)];
}

/** Headings without text of their own, all of whose sub-sections are cut. */
function bareHeadings({ file, headings }: SkillOutline, cut: readonly Chunk[]): readonly Cut[] {
  const starts = new Set(cut.filter((chunk) => chunk.file === file).map(({ startLine }) => startLine));
  return headings.flatMap(({ line, endLine, title, hasText }, index) => {
    const below = headings.filter((one) => one.line > line && one.line <= endLine && one.hasText);
    if (hasText || below.length === 0 || !below.every((one) => starts.has(one.line))) return [];
    return [{ file, title, from: line, to: (headings[index + 1]?.line ?? endLine + 1) - 1 }];
  });
}

/** A heading whose sub-sections stay must stay, or they would become sub-sections of the one before. */
function keepsHeading(chunk: Chunk, chunks: readonly Chunk[], cut: ReadonlySet<string>): boolean {
  const isBelow = ({ file, index, level, path }: Chunk): boolean =>
    file === chunk.file &&
    index > chunk.index &&
    level > chunk.level &&
    chunk.path.every((title, depth) => path[depth] === title);
  return chunk.level > 0 && chunks.some((other) => isBelow(other) && !cut.has(other.id));
}

/** A heading of hashes is one line, an underlined one ends with its underline. */
function headingLines({ text }: Chunk): number {
  const lines = text.split("\n");
  if (/^ {0,3}#{1,6}(?:[ \t]|$)/.test(lines[0] ?? "")) return 1;
  return lines.findIndex((line) => /^ {0,3}(?:=+|-+)[ \t]*$/.test(line)) + 1;
}

function bytesOf({ name, files }: Deliverable, file: string): Uint8Array {
  const entry = files.find(({ path }) => path === file);
  if (entry?.kind === "file") return entry.bytes;
  throw new UserError(
    `${name}: ${file} is gone since its sections were clustered. Run: skillproof build --until cluster`,
  );
}

function linesOfFile(skill: Deliverable, file: string): readonly string[] {
  return byteLines(bytesOf(skill, file)).map((line) => decoded(line).replace(/[\r\n]+$/, ""));
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Whether the body of SKILL.md would be blank. */
function leavesNothing(skill: Deliverable, cuts: readonly Cut[], { file, bodyLine }: SkillOutline): boolean {
  const cut = cuts.filter((one) => one.file === file);
  return linesOfFile(skill, file).every((line, index) => {
    const isCut = cut.some(({ from, to }) => from <= index + 1 && index < to);
    return index + 1 < (bodyLine ?? 1) || isCut || line.trim() === "";
  });
}

function withoutCuts(skill: Deliverable, what: Pick<Ablation, "of" | "kind">, cuts: readonly Cut[]): Ablated {
  const touched = [...new Set(cuts.map(({ file }) => file))];
  const files = skill.files.flatMap((entry) => {
    if (entry.kind !== "file" || !touched.includes(entry.path)) return [];
    const own = cuts.filter(({ file }) => file === entry.path);
    refuseGlued(skill.name, entry.bytes, own);
    return [{ ...entry, bytes: withoutLines(entry.bytes, own) }];
  });
  const told = cuts.map(({ file, title, from, to }) => {
    const lines = byteLines(bytesOf(skill, file)).slice(from - 1, to);
    return { file, title, fromLine: from, toLine: to, tokens: countTokens(decoded(Buffer.concat(lines))) };
  });
  return {
    skill: { ...skill, files: overlay(skill.files, files) },
    ablation: { ...what, cuts: told },
  };
}

/** A heading on the very line that closes the frontmatter cannot go without it. */
function refuseGlued(skill: string, bytes: Uint8Array, cuts: readonly Cut[]): void {
  const lines = byteLines(bytes);
  const glued = cuts.find(({ from }) => /^---#/.test(decoded(lines[from - 1] ?? new Uint8Array())));
  if (glued === undefined) return;
  throw new UserError(
    `${skill}: the heading ${JSON.stringify(glued.title)} shares the line of the closing ---. Put it on a line of its own.`,
  );
}
