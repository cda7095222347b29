import type { Chunk, Unit } from "../artefacts/chunks.ts";
import { countTokens } from "../tokens.ts";

/** A unit before its text is put together: neighbouring chunks of one file, at least one. */
type Group = { readonly chunks: readonly [Chunk, ...Chunk[]] };

/**
 * Folds tiny chunks and writes the text that is embedded. A skill that makes one unit or none has no structure to
 * cluster: its one unit is the description followed by whatever text there is. Neither: no unit.
 */
export function makeUnits(
  chunks: readonly Chunk[],
  description: string | null,
  skillMarkdown: string,
  foldBelowTokens: number,
): readonly Unit[] {
  const groups = foldTiny(chunks, foldBelowTokens);
  const [only] = groups;
  if (only === undefined) return description === null ? [] : [descriptionUnit(description, skillMarkdown)];
  const shared = groups.length === 1 ? undefined : sharedFirstTitle(groups);
  const units = groups.map((group) => unitOf(group, shared));
  if (units.length > 1 || description === null) return units;
  return units.map((unit) => withText(unit, `${description}\n\n${unit.embeddedText}`));
}

/**
 * A chunk below the threshold joins the next one below the same parent (an introduction joins the first part it
 * introduces), else the unit before it in the same file, else it stays alone. What has been joined counts together.
 */
function foldTiny(chunks: readonly Chunk[], foldBelowTokens: number): readonly Group[] {
  const groups: Group[] = [];
  let waiting: readonly Chunk[] = [];
  for (const [index, chunk] of chunks.entries()) {
    const group: Group["chunks"] = joined(waiting, chunk);
    waiting = [];
    const tokens = group.reduce((sum, member) => sum + member.tokens, 0);
    const next = chunks[index + 1];
    const before = groups.at(-1);
    if (tokens >= foldBelowTokens) groups.push({ chunks: group });
    else if (next !== undefined && isBelowParentOf(chunk, next)) waiting = group;
    else if (before?.chunks[0].file !== chunk.file) groups.push({ chunks: group });
    else groups.splice(-1, 1, { chunks: [...before.chunks, ...group] });
  }
  return groups;
}

function joined(waiting: readonly Chunk[], chunk: Chunk): Group["chunks"] {
  const [first, ...rest] = waiting;
  return first === undefined ? [chunk] : [first, ...rest, chunk];
}

function isBelowParentOf(chunk: Chunk, next: Chunk): boolean {
  const parent = chunk.path.slice(0, -1);
  return next.file === chunk.file && parent.every((title, depth) => next.path[depth] === title);
}

/** The first title of every unit, when it is the same one; text before any heading has none and does not count. */
function sharedFirstTitle(groups: readonly Group[]): string | undefined {
  const titles = new Set(groups.flatMap((group) => leadingChunk(group).path.slice(0, 1)));
  return titles.size === 1 ? [...titles][0] : undefined;
}

/** The largest chunk that is not boilerplate, so that a folded title or an overview does not name the unit. */
function leadingChunk({ chunks }: Group): Chunk {
  const candidates = chunks.filter(({ boilerplate }) => !boilerplate);
  return candidates.reduce(
    (largest, chunk) => (chunk.tokens > largest.tokens ? chunk : largest),
    candidates[0] ?? chunks[0],
  );
}

function unitOf(group: Group, sharedTitle: string | undefined): Unit {
  const { chunks } = group;
  const { id, title, path, file } = leadingChunk(group);
  const trail = path[0] === sharedTitle ? path.slice(1) : path;
  const text = chunks.map((chunk) => chunk.text).join("\n\n");
  const breadcrumb = trail.filter((part) => part !== "").join(" > ");
  return {
    id,
    chunks: chunks.map((chunk) => chunk.id),
    title,
    path,
    file,
    embeddedText: breadcrumb === "" ? text : `${breadcrumb}\n${text}`,
    tokens: countTokens(text),
    // One chunk that teaches something is enough to write a benchmark from.
    boilerplate: chunks.every((chunk) => chunk.boilerplate),
  };
}

function withText(unit: Unit, embeddedText: string): Unit {
  return { ...unit, embeddedText, tokens: countTokens(embeddedText) };
}

function descriptionUnit(description: string, file: string): Unit {
  const unit = { id: `${file}#description`, chunks: [], title: "", path: [], file, boilerplate: false };
  return { ...unit, embeddedText: description, tokens: countTokens(description) };
}
