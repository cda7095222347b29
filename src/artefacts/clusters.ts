import { z } from "zod";

export const clustersFormat = "skillproof/clusters@1";

export const clusterSchema = z.object({
  index: z.number().int(),
  /** Slug of its leading unit's title, unique in the file; the id of the benchmark made from it. */
  id: z.string(),
  /** Ids of units, in document order. */
  units: z.array(z.string()),
  tokens: z.number().int(),
  boilerplate: z.boolean(),
  /** Set when chosen: place in the order of choice, and cosine distance to the nearest chosen before it. */
  selected: z.object({ order: z.number().int(), distance: z.number().nullable() }).nullable(),
  /** Set when not chosen: why. */
  notSelected: z.string().nullable(),
});

export const sweepEntrySchema = z.object({
  k: z.number().int(),
  /** Mean cosine silhouette. */
  silhouette: z.number(),
  inertia: z.number(),
  sizes: z.array(z.number().int()),
  singletonShare: z.number(),
});

export const clustersSchema = z.object({
  format: z.literal(clustersFormat),
  skill: z.string(),
  /** Hash of the units that were clustered. */
  unitsHash: z.string(),
  embedding: z.object({
    provider: z.string(),
    model: z.string(),
    dimensions: z.number().int(),
    vectorHash: z.string(),
  }),
  settings: z.object({
    seed: z.number(),
    kMin: z.number().int(),
    kMax: z.number().int(),
    benchmarks: z.number().int(),
    duplicateCosine: z.number(),
    minClusterTokens: z.number().int(),
  }),
  method: z.enum(["k-means", "one-per-chunk"]),
  k: z.number().int(),
  structure: z.enum(["none", "weak", "clear"]).nullable(),
  sweep: z.array(sweepEntrySchema),
  duplicates: z.array(z.object({ unit: z.string(), of: z.string() })),
  /** Units the embedder could not place (no word in them), left out of k-means. */
  leftOut: z.array(z.string()),
  clusters: z.array(clusterSchema),
  warnings: z.array(z.string()),
});

export type Cluster = z.infer<typeof clusterSchema>;
export type SweepEntry = z.infer<typeof sweepEntrySchema>;
export type Clusters = z.infer<typeof clustersSchema>;
