import { join } from "node:path";
import {
  type Headroom,
  headroomFormat,
  headroomSchema,
  type ProbedBenchmark,
} from "../artefacts/headroom.ts";
import { readArtefactIfThere } from "./artefact.ts";
import { writeJson } from "./atomic.ts";

/** What probes found on the benchmarks below `folder`; null when none was made. */
export function readHeadroom(folder: string): Promise<Headroom | null> {
  return readArtefactIfThere(fileIn(folder), headroomSchema, "Run: skillproof probe");
}

/** Replaces what is known of these benchmarks and keeps the rest. */
export async function writeHeadroom(folder: string, probed: readonly ProbedBenchmark[]): Promise<void> {
  const known = (await readHeadroom(folder))?.benchmarks ?? [];
  const byId = new Map([...known, ...probed].map((one) => [one.benchmark, one]));
  const benchmarks = [...byId.values()].sort((a, b) => (a.benchmark < b.benchmark ? -1 : 1));
  // Parsed, so that nothing but the artefact's own members is written.
  await writeJson(fileIn(folder), headroomSchema.parse({ format: headroomFormat, benchmarks }));
}

function fileIn(folder: string): string {
  return join(folder, "headroom.json");
}
