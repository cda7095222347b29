import { join } from "node:path";
import type { Bundle } from "./artefacts/bundle.ts";
import type { Chunks } from "./artefacts/chunks.ts";
import type { Cluster, Clusters } from "./artefacts/clusters.ts";
import type { GateRecord, Provenance } from "./artefacts/gate.ts";
import type { Skill } from "./artefacts/skill.ts";
import type { Answer } from "./artefacts/verdict.ts";
import { authorCluster, faultsOf } from "./author/author-cluster.ts";
import { clusterHash, type ClusterRequest, clusterRequest } from "./author/cluster-request.ts";
import { contractHash } from "./author/contract.ts";
import { parseDraft } from "./author/draft.ts";
import { failedMarkdown } from "./author/failed.ts";
import type { Author } from "./author/port.ts";
import { type ChunkSettings, chunkSkill } from "./chunk/chunk-skill.ts";
import { skillFiles } from "./chunk/skill-files.ts";
import { clusterUnits } from "./cluster/cluster-units.ts";
import type { VectorCache } from "./embed/port.ts";
import { embedUnits } from "./embed/embed-units.ts";
import type { Embedder } from "./embed/port.ts";
import { UserError } from "./errors.ts";
import type { Listen } from "./events.ts";
import type { GateContext } from "./gate/check.ts";
import { writeJson } from "./store/atomic.ts";
import { bundleThere, readBundle, readGate, writeBenchmark, writeFailed } from "./store/benchmarks.ts";

export type GateRequest = {
  readonly provenance: Provenance | null;
  /** Judges' answers that are not asked for again. */
  readonly known: Map<string, Answer>;
  /** What the bundle was written from. */
  readonly context: GateContext;
};

/** The gate of DESIGN §8, wired to containers and judges. */
export type Gate = (bundle: Bundle, request: GateRequest) => Promise<GateRecord>;

export type BuildPorts = {
  readonly embedder: Embedder;
  readonly cache: VectorCache;
  /** Made only when something has to be authored or gated: chunks and clusters need neither engine nor key. */
  readonly workshop: () => Promise<{
    readonly author: Author;
    readonly gate: Gate;
    /** What the sandbox image has, in words for an author. */
    readonly toolList: string;
  }>;
  readonly listen: Listen;
  readonly signal?: AbortSignal;
};

export type BuildSettings = {
  readonly chunking: ChunkSettings;
  readonly clustering: Clusters["settings"];
  readonly maxAttempts: number;
  /** Folder of this skill's benchmarks. */
  readonly folder: string;
  readonly until: "chunk" | "cluster" | "author";
  /** Ids of the clusters to author; null for all that were selected. */
  readonly only: readonly string[] | null;
  /** Authors again what already passed. */
  readonly force: boolean;
};

export type Built = {
  readonly chunks: Chunks;
  readonly clusters: Clusters | null;
  readonly kept: readonly string[];
  readonly givenUp: readonly string[];
};

/** chunk → embed → cluster → select → author → gate. What already passed and has the same inputs is left alone. */
export async function buildSkill(skill: Skill, settings: BuildSettings, ports: BuildPorts): Promise<Built> {
  const chunks = chunkSkill(skill, settings.chunking);
  await writeJson(join(settings.folder, "chunks.json"), chunks);
  sayChunks(chunks, ports.listen);
  if (settings.until === "chunk") return { chunks, clusters: null, kept: [], givenUp: [] };

  const clusters = await clusterSkill(chunks, settings, ports);
  await writeJson(join(settings.folder, "clusters.json"), clusters);
  if (settings.until === "cluster") return { chunks, clusters, kept: [], givenUp: [] };

  const kept: string[] = [];
  const givenUp: string[] = [];
  const chosen = chosenClusters(clusters, settings.only);
  ports.listen({ kind: "counted", stage: "author", done: 0, of: chosen.length });
  for (const cluster of chosen) {
    const request = clusterRequest(cluster, chunks, skillFiles(skill.tree));
    const context = { sections: request.sections, skill: skill.tree };
    const ended = await buildBenchmark(cluster.id, { request, context }, settings, ports);
    (ended === "kept" ? kept : givenUp).push(cluster.id);
  }
  return { chunks, clusters, kept, givenUp };
}

async function clusterSkill(chunks: Chunks, settings: BuildSettings, ports: BuildPorts): Promise<Clusters> {
  const embedding = await embedUnits(chunks.units, ports.embedder, ports.cache, ports.signal);
  for (const words of ports.cache.warnings) ports.listen({ kind: "warning", words });
  const clusters = clusterUnits(chunks.units, embedding, settings.clustering, chunks.skill.id);
  const selected = clusters.clusters.filter((cluster) => cluster.selected !== null);
  const words =
    `${clusters.clusters.length} clusters of ${chunks.units.length} units by ${clusters.method} ` +
    `(${embedding.provider}, structure ${clusters.structure ?? "not measured"}), ${selected.length} selected`;
  ports.listen({ kind: "stage", stage: "cluster", words });
  for (const warning of clusters.warnings) ports.listen({ kind: "warning", words: warning });
  return clusters;
}

/** Selected clusters in the order they were chosen. */
function chosenClusters(clusters: Clusters, only: readonly string[] | null): Cluster[] {
  const selected = clusters.clusters
    .flatMap((cluster) => (cluster.selected === null ? [] : [{ cluster, order: cluster.selected.order }]))
    .sort((a, b) => a.order - b.order)
    .map(({ cluster }) => cluster);
  if (only === null) return selected;
  const unknown = only.filter((id) => !selected.some((cluster) => cluster.id === id));
  if (unknown.length > 0) {
    const ids = selected.map(({ id }) => id).join(", ");
    throw new UserError(`--only ${unknown.join(",")}: no such cluster was selected. There are: ${ids}`);
  }
  return selected.filter(({ id }) => only.includes(id));
}

async function buildBenchmark(
  id: string,
  { request, context }: { readonly request: ClusterRequest; readonly context: GateContext },
  settings: BuildSettings,
  ports: BuildPorts,
): Promise<"kept" | "given up"> {
  const folder = join(settings.folder, id);
  const madeFrom = {
    skill: request.id.split("/")[0] ?? request.id,
    clusterHash: clusterHash(request),
    contractHash,
  };
  if (!settings.force && (await isCurrent(folder, madeFrom))) {
    ports.listen({ kind: "kept", benchmark: request.id, unchanged: true });
    return "kept";
  }
  const { author, gate, toolList } = await ports.workshop();
  const provenance = { ...madeFrom, backend: author.backend, isolated: author.isolated };
  const gateAndSay = async (bundle: Bundle, attempt: number): Promise<GateRecord> => {
    ports.listen({ kind: "gating", benchmark: request.id });
    const record = await gate(bundle, {
      provenance: { ...provenance, attempts: attempt },
      known: new Map(),
      context,
    });
    const words = record.checks.at(-1)?.words.split("\n")[0] ?? "";
    ports.listen({ kind: "gated", benchmark: request.id, passed: record.passed, words });
    return record;
  };
  const authored = await authorCluster(request, author, gateAndSay, {
    toolList,
    maxAttempts: settings.maxAttempts,
    onAttempt: (attempt) => {
      ports.listen({ kind: "attempt", benchmark: request.id, attempt, of: settings.maxAttempts });
    },
    ...(ports.signal === undefined ? {} : { signal: ports.signal }),
  });
  if (authored.kind === "kept") {
    await writeBenchmark(folder, authored.bundle, authored.gate);
    ports.listen({ kind: "kept", benchmark: request.id, unchanged: false });
    return "kept";
  }
  await writeFailed(folder, failedMarkdown(request, author.backend, authored.attempts));
  const last = authored.attempts.at(-1);
  const words = last === undefined ? "no attempt was made" : (faultsOf(last)[0] ?? "");
  ports.listen({ kind: "given_up", benchmark: request.id, words: `FAILED.md says why. Last: ${words}` });
  return "given up";
}

/** Passed the gate, has not been touched since, and the text it was made from has not changed either. */
async function isCurrent(
  folder: string,
  madeFrom: Pick<Provenance, "clusterHash" | "contractHash">,
): Promise<boolean> {
  if (!(await bundleThere(folder))) return false;
  const gate = await readGate(folder);
  if (gate?.passed !== true || gate.provenance === null) return false;
  const sameInputs =
    gate.provenance.clusterHash === madeFrom.clusterHash &&
    gate.provenance.contractHash === madeFrom.contractHash;
  return sameInputs && (await readBundle(folder, parseDraft)).hash === gate.bundleHash;
}

function sayChunks(chunks: Chunks, listen: Listen): void {
  const files = new Set(chunks.chunks.map(({ file }) => file)).size;
  const words = `${chunks.chunks.length} chunks in ${files} file(s), ${chunks.units.length} units to cluster`;
  listen({ kind: "stage", stage: "chunk", words });
  for (const { severity, line, message } of chunks.diagnostics) {
    const place = line === undefined ? [] : [`line ${line}`];
    const about = [...(severity === "warning" ? [] : [severity]), ...place].join(", ");
    listen({ kind: "warning", words: about === "" ? message : `${about}: ${message}` });
  }
}
