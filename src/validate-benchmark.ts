import { basename, dirname, join } from "node:path";
import type { Bundle } from "./artefacts/bundle.ts";
import { chunksSchema } from "./artefacts/chunks.ts";
import { clustersSchema } from "./artefacts/clusters.ts";
import type { CheckRecord, GateRecord } from "./artefacts/gate.ts";
import { hashTree } from "./artefacts/tree.ts";
import { clusterRequest } from "./author/cluster-request.ts";
import { parseDraft } from "./author/draft.ts";
import { skillFiles } from "./chunk/skill-files.ts";
import type { Check, GateContext } from "./gate/check.ts";
import { checks, type GateOptions } from "./gate/run-gate.ts";
import { knownAnswers } from "./grade/ask-panel.ts";
import { UserError } from "./errors.ts";
import { hashJson } from "./hash.ts";
import { nearest } from "./nearest.ts";
import type { Gate } from "./pipeline.ts";
import { readArtefactIfThere } from "./store/artefact.ts";
import { readDelivered, readGate, readSkill, writeGate } from "./store/benchmarks.ts";
import type { GateCache } from "./store/gate-cache.ts";

export type ValidatePorts = {
  readonly gate: (options: GateOptions) => Gate;
  readonly cache: GateCache;
  /** Everything besides a bundle, its context and the checks that can change what the gate finds. */
  readonly circumstances: unknown;
  /** Folders of skills, to find the one a benchmark was made from. */
  readonly skills: readonly string[];
};

export type Validated = {
  readonly id: string;
  readonly passed: boolean;
  readonly killRate: number | null;
  readonly checks: readonly (Pick<CheckRecord, "check" | "passed" | "words" | "warnings"> & {
    /** Null for a check that was not tried. */
    readonly ms: number | null;
  })[];
  /** Found by an earlier call for the same content. */
  readonly cached: boolean;
};

export function checkNames(): readonly string[] {
  return checks.map(({ name }) => name);
}

/** The checks of these names, in the gate's order. Throws `UserError` for an unknown name, and for none. */
export function checksNamed(names: readonly string[]): readonly Check[] {
  const known = checkNames();
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const [meant] = nearest(unknown[0] ?? "", known);
    const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
    throw new UserError(
      `--checks ${unknown.join(",")}: no such check.${hint} There are: ${known.join(", ")}`,
    );
  }
  if (names.length === 0) throw new UserError(`--checks: none named. There are: ${known.join(", ")}`);
  return checks.filter(({ name }) => names.includes(name));
}

/**
 * The gate again for a bundle on disk: every check, or `chosen`. With all of them the record is written beside the
 * bundle, whether it passed or not. The same content is not tried twice.
 */
export async function validateBenchmark(
  folder: string,
  chosen: readonly Check[] | null,
  ports: ValidatePorts,
): Promise<Validated> {
  const parsed = await readDelivered(folder, parseDraft);
  if (parsed.kind === "faults") return malformed(basename(folder), parsed.faults);
  const { bundle } = parsed;
  const context = await contextOf(folder, bundle.id, ports.skills);
  const key = hashJson([
    bundle.hash,
    chosen?.map(({ name }) => name) ?? null,
    contextKey(context),
    ports.circumstances,
  ]);
  const earlier = await earlierGate(folder);
  const met = await ports.cache.read(key);
  const tried = met ?? (await tryChecks(bundle, context, { chosen, earlier, gate: ports.gate }));
  if (met === null) await ports.cache.write(key, tried);
  const record = { ...tried.record, provenance: earlier?.provenance ?? null };
  if (chosen === null) await writeGate(folder, record);
  return validatedFrom(record, tried.ms, met !== null);
}

/** A record of another version is replaced, which is what its own error tells people to do. */
async function earlierGate(folder: string): Promise<GateRecord | null> {
  try {
    return await readGate(folder);
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

type Tried = { readonly record: GateRecord; readonly ms: Readonly<Record<string, number | null>> };

async function tryChecks(
  bundle: Bundle,
  context: GateContext,
  given: {
    readonly chosen: readonly Check[] | null;
    readonly earlier: GateRecord | null;
    readonly gate: ValidatePorts["gate"];
  },
): Promise<Tried> {
  const ms: Record<string, number | null> = {};
  const gate = given.gate({
    ...(given.chosen === null ? {} : { checks: given.chosen }),
    all: true,
    onCheck: ({ check }, took) => {
      ms[check] = took === null ? null : Math.round(took);
    },
  });
  const known = knownAnswers(given.earlier?.answers ?? []);
  const record = await gate(bundle, { provenance: given.earlier?.provenance ?? null, known, context });
  return { record, ms };
}

function validatedFrom(record: GateRecord, ms: Tried["ms"], cached: boolean): Validated {
  const { benchmark: id, passed, killRate } = record;
  const checks = record.checks.map(({ check, passed: held, words, warnings }) => ({
    check,
    passed: held,
    words,
    warnings,
    ms: ms[check] ?? null,
  }));
  return { id, passed, killRate, checks, cached };
}

/** A folder that is no bundle yet has proven nothing; the form is what has to be mended first. */
function malformed(id: string, faults: readonly string[]): Validated {
  const form = { check: "form", passed: false, words: faults.join("\n"), warnings: [], ms: 0 };
  return { id, passed: false, killRate: null, checks: [form], cached: false };
}

/** What the bundle was written from, where it lies beside what a build left; null where it does not. */
async function contextOf(folder: string, id: string, skills: readonly string[]): Promise<GateContext> {
  const home = dirname(folder);
  const remedy = "Run: skillproof build <skill> --until cluster";
  const chunks = await readArtefactIfThere(join(home, "chunks.json"), chunksSchema, remedy);
  const clusters = await readArtefactIfThere(join(home, "clusters.json"), clustersSchema, remedy);
  const cluster = clusters?.clusters.find((one) => one.id === id);
  const place = skills.find((one) => basename(one) === basename(home));
  const skill = place === undefined ? null : (await readSkill(place)).tree;
  if (chunks === null || cluster === undefined) return { sections: null, skill };
  return { sections: clusterRequest(cluster, chunks, skillFiles(skill ?? [])).sections, skill };
}

function contextKey({ sections, skill }: GateContext): unknown {
  return [sections, skill === null ? null : hashTree(skill)];
}
