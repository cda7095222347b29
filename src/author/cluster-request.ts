import type { Chunk, Chunks } from "../artefacts/chunks.ts";
import type { Cluster } from "../artefacts/clusters.ts";
import type { FileTree } from "../artefacts/tree.ts";
import { hashTree } from "../artefacts/tree.ts";
import { hashJson } from "../hash.ts";

/** One section as an author sees it. */
export type Section = Pick<Chunk, "file" | "path" | "text" | "tokens">;

/** What an author is asked for, before the first attempt. */
export type ClusterRequest = {
  /** `<skill>/<cluster id>`. */
  readonly id: string;
  /** Titles of the cluster's units, the leading one first. */
  readonly titles: readonly string[];
  /** In document order. */
  readonly sections: readonly Section[];
  /** Scripts and assets that the sections link to or name. */
  readonly assets: FileTree;
};

/** Gathers what an author may see of a skill: the texts of one cluster and the files they point to, nothing else. */
export function clusterRequest(cluster: Cluster, chunks: Chunks, skill: FileTree): ClusterRequest {
  const units = cluster.units.flatMap((id) => chunks.units.filter((unit) => unit.id === id));
  const inCluster = new Set(units.flatMap((unit) => unit.chunks));
  const sections = chunks.chunks.filter((chunk) => inCluster.has(chunk.id));
  const paths = new Set(
    chunks.files
      .filter(({ path, link }) => link === null && pointsTo(sections, path, chunks))
      .map(({ path }) => path),
  );
  // The largest unit names the cluster; ties go to the earlier one, as `sort` is stable.
  const leading = [...units].sort(
    (a, b) => Number(a.boilerplate) - Number(b.boilerplate) || b.tokens - a.tokens,
  );
  return {
    id: `${chunks.skill.id}/${cluster.id}`,
    titles: leading.map((unit) => unit.title),
    sections: [
      ...sections.map(({ file, path, text, tokens }) => ({ file, path, text, tokens })),
      // A skill that is only a description has a unit without a section.
      ...units
        .filter((unit) => unit.chunks.length === 0)
        .map(({ file, path, embeddedText, tokens }) => ({ file, path, text: embeddedText, tokens })),
    ],
    assets: skill.filter((entry) => entry.kind === "file" && paths.has(entry.path)),
  };
}

/** Of everything the author sees of the skill. */
export function clusterHash(request: ClusterRequest): string {
  return hashJson([
    request.titles,
    request.sections.map(({ file, path, text }) => [file, path, text]),
    hashTree(request.assets),
  ]);
}

/** Documents are left out: they are sections themselves, and another cluster's knowledge. */
function pointsTo(sections: readonly Chunk[], path: string, chunks: Chunks): boolean {
  if (/\.(md|markdown|mdx)$/i.test(path)) return false;
  return sections.some((section) => section.text.includes(path) || linksTo(section, path, chunks));
}

/** The links in the artefact are those of SKILL.md, by line. */
function linksTo(section: Chunk, path: string, chunks: Chunks): boolean {
  if (section.file.toLowerCase() !== "skill.md") return false;
  return chunks.links.some(
    (link) => link.path === path && link.line >= section.startLine && link.line <= section.endLine,
  );
}
