import { readdir, rename, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { type Benchmark, benchmarkFrom } from "../artefacts/benchmark.ts";
import type { Bundle } from "../artefacts/bundle.ts";
import { type GateRecord, gateRecordSchema } from "../artefacts/gate.ts";
import type { Skill } from "../artefacts/skill.ts";
import { type FileTree, overlay } from "../artefacts/tree.ts";
import { messageOf, UserError } from "../errors.ts";
import { readArtefact, readArtefactIfThere, readIfThere } from "./artefact.ts";
import { writeAtomic, writeJson } from "./atomic.ts";
import { readTree, writeTree } from "./tree.ts";

/** Turns a delivered folder into a bundle, or says every fault in it. The authoring stage's parser. */
export type ParseBundle = (
  id: string,
  tree: FileTree,
) => { kind: "bundle"; bundle: Bundle } | { kind: "faults"; faults: readonly string[] };

/** Files beside the author's in a benchmark's folder. */
const ours = new Set(["gate.json", "FAILED.md", "IMPORTED.md"]);

export async function readSkill(folder: string): Promise<Skill> {
  try {
    // A skill at the root of a repository comes with the repository, which is no part of it.
    const tree = (await readTree(folder)).filter(({ path }) => !path.startsWith(".git/"));
    return { id: basename(resolve(folder)), tree };
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      `${folder}: not a folder that can be read (${messageOf(error)}). Name a skill's folder.`,
      {
        cause: error,
      },
    );
  }
}

/** What lies in `folder` as a bundle, or its faults. Throws `UserError` when it is no folder. */
export async function readDelivered(folder: string, parse: ParseBundle): Promise<ReturnType<ParseBundle>> {
  let tree: FileTree;
  try {
    tree = (await readTree(folder)).filter((entry) => !ours.has(entry.path));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${folder}: not a benchmark's folder (${messageOf(error)}).`, { cause: error });
  }
  return parse(basename(resolve(folder)), tree);
}

/** The bundle in `folder`. Throws `UserError` with every fault of it. */
export async function readBundle(folder: string, parse: ParseBundle): Promise<Bundle> {
  const parsed = await readDelivered(folder, parse);
  if (parsed.kind === "bundle") return parsed.bundle;
  throw new UserError(
    `${folder}: not a sound bundle:\n${parsed.faults.map((fault) => `  ${fault}`).join("\n")}`,
  );
}

export function readGate(folder: string): Promise<GateRecord | null> {
  return readArtefactIfThere(
    join(folder, "gate.json"),
    gateRecordSchema,
    `Run: skillproof validate ${folder}`,
  );
}

/** Every benchmark below `folder` whose gate record fits its files. Dropped ones (FAILED.md) are left out. */
export async function readBenchmarks(
  folder: string,
  skill: string,
  parse: ParseBundle,
): Promise<Benchmark[]> {
  const benchmarks: Benchmark[] = [];
  for (const id of await bundleFolders(folder)) {
    const path = join(folder, id);
    const bundle = await readBundle(path, parse);
    const remedy = `Run: skillproof validate ${path}`;
    const gate = await readArtefact(join(path, "gate.json"), gateRecordSchema, remedy);
    benchmarks.push(benchmarkFrom(skill, bundle, gate));
  }
  return benchmarks;
}

/** Names of the folders below `folder` that hold a bundle. */
export async function bundleFolders(folder: string): Promise<string[]> {
  let names: string[];
  try {
    names = (await readdir(folder, { withFileTypes: true }))
      .filter((e) => e.isDirectory())
      .map((e) => e.name);
  } catch (error) {
    throw new UserError(`${folder}: no benchmarks there. Run: skillproof build <skill>`, { cause: error });
  }
  const withBundle: string[] = [];
  for (const name of names.sort()) {
    // What a kill in mid-write left behind.
    if (name.endsWith(".unfinished")) continue;
    const members = await readdir(join(folder, name));
    if (members.includes("benchmark.yaml")) withBundle.push(name);
  }
  return withBundle;
}

/** Whether `folder` holds a bundle (and not FAILED.md, or nothing). */
export async function bundleThere(folder: string): Promise<boolean> {
  return (await readIfThere(join(folder, "benchmark.yaml"))) !== undefined;
}

/** Puts a bundle and its gate record in place of whatever the folder held. */
export async function writeBenchmark(folder: string, bundle: Bundle, gate: GateRecord): Promise<void> {
  const record = new TextEncoder().encode(`${JSON.stringify(gate, null, 2)}\n`);
  const draft = `${folder}.unfinished`;
  await writeTree(
    draft,
    overlay(bundle.tree, [{ kind: "file", path: "gate.json", mode: 0o644, bytes: record }]),
  );
  await rm(folder, { recursive: true, force: true });
  await rename(draft, folder);
}

export function writeGate(folder: string, gate: GateRecord): Promise<void> {
  return writeJson(join(folder, "gate.json"), gate);
}

/** Leaves only FAILED.md in the folder: every attempt and every reason. */
export async function writeFailed(folder: string, markdown: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await writeAtomic(join(folder, "FAILED.md"), markdown);
}
