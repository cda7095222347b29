import { join } from "node:path";
import type { ArmRecord } from "./artefacts/arm-record.ts";
import type { Benchmark } from "./artefacts/benchmark.ts";
import { type Chunk, type Chunks, chunksSchema } from "./artefacts/chunks.ts";
import { type Clusters, clustersSchema } from "./artefacts/clusters.ts";
import type { SkillOutline } from "./artefacts/outline.ts";
import {
  type KeptSection,
  type KeptSections,
  type NoSections,
  type PlannedSections,
  sectionsFormat,
} from "./artefacts/section-map.ts";
import type { Skill } from "./artefacts/skill.ts";
import { type FileTree, hashTree } from "./artefacts/tree.ts";
import { clusterHash, clusterRequest } from "./author/cluster-request.ts";
import { bodyOf, findFrontmatter } from "./chunk/frontmatter-place.ts";
import { outlineSkill } from "./chunk/outline.ts";
import { skillFiles } from "./chunk/skill-files.ts";
import { readSourceLines } from "./chunk/source-lines.ts";
import { nameHeadings } from "./evaluate/treatments/headings.ts";
import { hashJson } from "./hash.ts";
import { readSkill } from "./store/benchmarks.ts";
import { readRecord } from "./store/record.ts";

/** The sections of one skill for a plan, and what is to be kept beside it; null where there is nothing. */
export type SkillSections = { readonly planned: PlannedSections; readonly kept: KeptSections | null };

/** What ties the sections of one skill to its campaign. */
export type SectionParts = {
  readonly chunks: Chunks;
  readonly clusters: Clusters;
  /** Those of the campaign. */
  readonly benchmarks: readonly Benchmark[];
  readonly arms: readonly ArmRecord[];
};

/** Reads a skill's sections from what its build left. That there are none, or others', is said and no error. */
export async function sectionsOfSkill(
  place: { readonly folder: string; readonly benchmarks: string },
  campaign: Pick<SectionParts, "benchmarks" | "arms">,
): Promise<SkillSections> {
  const skill = await readSkill(place.folder);
  const chunks = await readRecord(join(place.benchmarks, "chunks.json"), chunksSchema);
  const clusters = await readRecord(join(place.benchmarks, "clusters.json"), clustersSchema);
  if (chunks.kind === "unreadable" || clusters.kind === "unreadable") return without(skill, "unreadable");
  if (chunks.kind === "absent" || clusters.kind === "absent") return without(skill, "not_built");
  const kept = keptSections(skill, { chunks: chunks.value, clusters: clusters.value, ...campaign });
  if (kept === null) return without(skill, "other_text");
  return { planned: { skill: skill.id, hash: hashJson(kept), missing: null }, kept };
}

function without({ id }: Skill, missing: NoSections): SkillSections {
  return { planned: { skill: id, hash: null, missing }, kept: null };
}

/** Null when chunks and clusters are not those of this very skill, or do not fit each other. */
export function keptSections(skill: Skill, parts: SectionParts): KeptSections | null {
  const { chunks, clusters, benchmarks, arms } = parts;
  const files = skillFiles(skill.tree);
  if (chunks.skill.treeHash !== hashTree(files) || clusters.unitsHash !== hashJson(chunks.units)) return null;
  const outline = outlineSkill(skill);
  const documents = documentsOf(outline, chunks, files);
  const names = namesOf(outline, chunks.chunks);
  if (documents === null) return null;
  const tied = tiesOf(benchmarks, parts, files);
  const clusterOf = clustersByChunk(chunks, clusters);
  const sections = chunks.chunks.map((chunk, index): KeptSection => {
    const { file, level, path, startLine, endLine, tokens, boilerplate } = chunk;
    const cluster = clusterOf.get(chunk.id) ?? null;
    const own = tied.filter((tie) => tie.cluster !== null && tie.cluster === cluster);
    return {
      ...{ name: names[index] ?? "", file, level, path, startLine, endLine, tokens, boilerplate, cluster },
      benchmarks: own.map(({ benchmark }) => benchmark),
    };
  });
  // A cluster that is only a description has no section.
  const mapped = new Set(sections.flatMap((section) => section.benchmarks));
  return {
    format: sectionsFormat,
    skill: skill.id,
    treeHash: chunks.skill.treeHash,
    documents,
    sections,
    byName: tied.flatMap(({ benchmark, by }) => (by === "name" && mapped.has(benchmark) ? benchmark : [])),
    unknown: tied.flatMap(({ benchmark }) => (mapped.has(benchmark) ? [] : benchmark)),
    ablations: arms.flatMap(({ skill: of, arm, evidence }) =>
      of === skill.id && evidence?.kind === "ablation" ? [{ arm, ...evidence.ablation }] : [],
    ),
  };
}

type Tie = {
  readonly benchmark: string;
  readonly cluster: string | null;
  /** `text`: its author saw the text that the cluster has now. */
  readonly by: "text" | "name" | null;
};

function tiesOf(
  benchmarks: readonly Benchmark[],
  { chunks, clusters }: SectionParts,
  files: FileTree,
): readonly Tie[] {
  const byText = new Map(
    clusters.clusters.map((cluster) => [clusterHash(clusterRequest(cluster, chunks, files)), cluster.id]),
  );
  return benchmarks.map(({ bundle: { id: benchmark }, gate }) => {
    const seen = gate.provenance === null ? undefined : byText.get(gate.provenance.clusterHash);
    if (seen !== undefined) return { benchmark, cluster: seen, by: "text" };
    const named = clusters.clusters.find(({ id }) => id === benchmark);
    return { benchmark, cluster: named?.id ?? null, by: named === undefined ? null : "name" };
  });
}

function clustersByChunk({ units }: Chunks, { clusters }: Clusters): ReadonlyMap<string, string> {
  const chunksOf = new Map(units.map((unit) => [unit.id, unit.chunks]));
  return new Map(
    clusters.flatMap((cluster) =>
      cluster.units.flatMap((unit) =>
        (chunksOf.get(unit) ?? []).map((chunk): [string, string] => [chunk, cluster.id]),
      ),
    ),
  );
}

/** Null when a chunk is not where the files have lines: then the list is nobody's. */
function documentsOf(
  { file: first }: SkillOutline,
  { chunks }: Chunks,
  files: FileTree,
): KeptSections["documents"] | null {
  const documents: KeptSections["documents"] = [];
  for (const file of new Set([first, ...chunks.map((chunk) => chunk.file)])) {
    const entry = files.find(({ path }) => path === file);
    if (entry?.kind !== "file") return null;
    const { lines } = readSourceLines(entry.bytes);
    const own = chunks.filter((chunk) => chunk.file === file);
    const inside = own.every(
      ({ startLine, endLine }) => startLine >= 1 && startLine <= endLine && endLine <= lines.length,
    );
    if (!inside) return null;
    documents.push({ file, lines: [...lines], bodyLine: bodyLineOf(lines, own, file === first) });
  }
  return documents;
}

/** A linked document may also begin with a rule: what stands between two of them is then a section. */
function bodyLineOf(lines: readonly string[], own: readonly Chunk[], isSkill: boolean): number | null {
  const place = findFrontmatter(lines);
  const startLine = bodyOf(lines, place)?.startLine ?? null;
  if (isSkill) return startLine;
  const begins = Math.min(...own.map((chunk) => chunk.startLine));
  return startLine !== null && begins >= startLine ? startLine : 1;
}

/**
 * Those of SKILL.md as an ablation takes them; of a linked document with its file, and with the titles around it where
 * another section of the file has the same. What is still alike is told apart by a number.
 */
function namesOf(outline: SkillOutline, chunks: readonly Chunk[]): readonly string[] {
  const byLine = new Map(nameHeadings(outline).map(({ name, heading }) => [heading.line, name]));
  const taken = new Set(byLine.values());
  return chunks.map(({ file, title, path, level, startLine }) => {
    const heading = file === outline.file && level > 0 ? byLine.get(startLine) : undefined;
    if (heading !== undefined && heading !== "") return heading;
    if (level === 0 || path.length === 0) return freeName(`${file}: before the first heading`, taken);
    const isOnly = chunks.filter((other) => other.file === file && other.title === title).length === 1;
    const trail = path.map((one) => one || "without a title").join(" > ");
    return freeName(`${file}: ${isOnly && title !== "" ? title : trail}`, taken);
  });
}

function freeName(name: string, taken: Set<string>): string {
  for (let nth = 1; ; nth++) {
    const free = nth === 1 ? name : `${name} #${nth}`;
    if (taken.has(free)) continue;
    taken.add(free);
    return free;
  }
}
