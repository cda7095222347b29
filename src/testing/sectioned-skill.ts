import type { ArmRecord } from "../artefacts/arm-record.ts";
import { type Benchmark, benchmarkFrom } from "../artefacts/benchmark.ts";
import type { Chunks } from "../artefacts/chunks.ts";
import { type Clusters, clustersSchema } from "../artefacts/clusters.ts";
import type { Cell } from "../artefacts/report.ts";
import type { KeptSections } from "../artefacts/section-map.ts";
import type { Skill } from "../artefacts/skill.ts";
import { clusterHash, clusterRequest } from "../author/cluster-request.ts";
import { keptSections } from "../campaign-sections.ts";
import { chunkSkill, defaultChunkSettings } from "../chunk/chunk-skill.ts";
import { hashJson } from "../hash.ts";
import { answerBundle, passedGate, treeOf } from "./benchmark.ts";

/** A skill with its chunks and with clusters that hold the sections with these paths, as `Title > Title`. */
export type SectionedSkill = {
  readonly skill: Skill;
  readonly chunks: Chunks;
  readonly clusters: Clusters;
};

const noClusters = clustersSchema.parse({
  format: "skillproof/clusters@1",
  skill: "tide",
  unitsHash: "",
  embedding: { provider: "lexical", model: "lsa", dimensions: 1, vectorHash: "" },
  settings: { seed: 1, kMin: 2, kMax: 3, benchmarks: 1, duplicateCosine: 1, minClusterTokens: 0 },
  ...{ method: "k-means", k: 1, structure: null },
  ...{ sweep: [], duplicates: [], leftOut: [], clusters: [], warnings: [] },
});

export function sectionedSkill(
  files: Readonly<Record<string, string>>,
  sections: Readonly<Record<string, readonly string[]>> = {},
): SectionedSkill {
  const skill = { id: "tide", tree: treeOf(files) };
  const chunks = chunkSkill(skill, { ...defaultChunkSettings, foldBelowTokens: 0 });
  const clusters = Object.entries(sections).map(([id, paths], index) => ({
    ...{ index, id, tokens: 1, boilerplate: false, selected: null, notSelected: null },
    units: chunks.units.filter(({ path }) => paths.includes(path.join(" > "))).map((unit) => unit.id),
  }));
  return { skill, chunks, clusters: { ...noClusters, unitsHash: hashJson(chunks.units), clusters } };
}

/** A benchmark of the skill; from the text of `cluster`, or of unknown origin. */
export function benchmarkOf(
  id: string,
  { skill, chunks, clusters }: SectionedSkill,
  cluster: string | null = id,
): Benchmark {
  const bundle = answerBundle(id);
  const from = clusters.clusters.find((one) => one.id === cluster);
  const seen = from === undefined ? null : clusterHash(clusterRequest(from, chunks, skill.tree));
  const about = { skill: skill.id, contractHash: "c", backend: "replay", isolated: true, attempts: 1 };
  const provenance = seen === null ? null : { ...about, clusterHash: seen };
  return benchmarkFrom(skill.id, bundle, { ...passedGate(bundle), provenance });
}

/** What is kept of it for a campaign with these benchmarks, each from the cluster of its name. */
export function keptOf(
  sectioned: SectionedSkill,
  benchmarks: readonly string[] = [],
  arms: readonly ArmRecord[] = [],
): KeptSections {
  const made = benchmarks.map((id) => benchmarkOf(id, sectioned));
  const kept = keptSections(sectioned.skill, { ...sectioned, benchmarks: made, arms });
  if (kept === null) throw new Error("the sections do not fit the skill");
  return kept;
}

/** `[passed, graded]` of each arm; what is not graded of ten was lost. */
export function cellOf(
  benchmark: string,
  arms: Readonly<Record<string, readonly [number, number]>>,
  over: Partial<Cell> = {},
): Cell {
  const known: Cell["arms"] = {};
  for (const [arm, [passed, graded]] of Object.entries(arms)) {
    known[arm] = { passed, graded, planned: Math.max(10, graded) };
  }
  return { skill: "tide", benchmark, model: "m", arms: known, uplift: null, complete: true, ...over };
}
