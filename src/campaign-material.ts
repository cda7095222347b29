import type { AgentLimits } from "./agents/port.ts";
import type { ArmRecord } from "./artefacts/arm-record.ts";
import type { ArmSpec } from "./artefacts/arm.ts";
import type { Benchmark } from "./artefacts/benchmark.ts";
import type { CampaignInputs } from "./artefacts/plan.ts";
import type { Headroom, HeadroomMark } from "./artefacts/headroom.ts";
import { hashTree } from "./artefacts/tree.ts";
import type { PlannedTrial } from "./artefacts/trial.ts";
import { parseDraft } from "./author/draft.ts";
import {
  ArmProblems,
  armsOfSkill,
  readDelivery,
  readPacks,
  type SkillArms,
  subjectOf,
} from "./campaign-arms.ts";
import { sectionsOfSkill, type SkillSections } from "./campaign-sections.ts";
import { UserError } from "./errors.ts";
import type { Treatment } from "./evaluate/open-trial.ts";
import type { Deliverable } from "./evaluate/treatments/deliverable.ts";
import { baseSystemPrompt } from "./evaluate/prompts.ts";
import { sha256 } from "./hash.ts";
import { readBenchmarks } from "./store/benchmarks.ts";
import { readHeadroom } from "./store/headroom.ts";

/** What a campaign works on, loaded from disk. */
export type CampaignMaterial = {
  readonly inputs: CampaignInputs;
  readonly benchmarks: readonly Benchmark[];
  /** The skills under test, by id. */
  readonly subjects: ReadonlyMap<string, Deliverable>;
  /** By skill id, then by arm id. */
  readonly treatments: ReadonlyMap<string, ReadonlyMap<string, Treatment>>;
  /** To be kept beside the plan. */
  readonly arms: readonly ArmRecord[];
  /** To be kept beside the plan, which holds their hashes. */
  readonly sections: readonly SkillSections[];
  readonly warnings: readonly string[];
  readonly limits: AgentLimits;
  /** What the tools' specifications add to every prompt. */
  readonly toolTokens: number;
  readonly concurrency: number;
};

/** What of the campaign's file decides an outcome, and where its skills and benchmarks are. */
export type CampaignRequest = Omit<CampaignInputs, "skills" | "prompts" | "excluded"> & {
  /** Benchmarks that a probe gave one of these marks are left out. */
  readonly exclude: readonly HeadroomMark[];
  readonly skills: readonly { readonly folder: string; readonly benchmarks: string }[];
  /** Folders of packs are absolute. */
  readonly arms: readonly ArmSpec[];
  /** Benchmarks to use, `skill/id` or `id`; null for all. */
  readonly only: readonly string[] | null;
  readonly toolsHash: string;
  readonly toolTokens: number;
  readonly limits: AgentLimits;
  readonly concurrency: number;
};

/**
 * Loads skills, arms and benchmarks and freezes what they are by hash. Throws `UserError` for whatever does not fit; of
 * the arms it names every problem.
 */
export async function loadMaterial(request: CampaignRequest): Promise<CampaignMaterial> {
  const { only, exclude, toolsHash, toolTokens, skills: places, arms: specs, concurrency, ...rest } = request;
  if (places.length === 0)
    throw new UserError("no skill named: give `skills:` in the YAML, or --skills FOLDER.");
  const problems = new ArmProblems();
  const packs = await readPacks(specs, problems);
  const loaded: LoadedSkill[] = [];
  for (const place of places) {
    const skill = await readDelivery(place.folder);
    const subject = subjectOf(skill);
    if (loaded.some((other) => other.subject.name === subject.name))
      throw new UserError(`two skills are called ${subject.name}: folder names must differ.`);
    const arms = await armsOfSkill({ ...place, skill }, { arms: specs, ...rest }, packs, problems);
    const chosen = await chooseBenchmarks(subject.name, place.benchmarks, { only, exclude });
    const tied = { benchmarks: chosen.chosen, arms: arms.records };
    loaded.push({ subject, arms, sections: await sectionsOfSkill(place, tied), ...chosen });
  }
  problems.throwIfAny();
  const benchmarks = loaded.flatMap(({ chosen }) => chosen);
  const excluded = loaded.flatMap((skill) => skill.excluded);
  requireAll(only, benchmarks, { excluded, known: loaded.flatMap(({ known }) => known) });
  const prompts = { system: sha256(baseSystemPrompt), tools: toolsHash };
  return {
    inputs: { ...rest, skills: loaded.map(plannedSkill), prompts, excluded },
    benchmarks,
    subjects: new Map(loaded.map(({ subject }) => [subject.name, subject])),
    treatments: new Map(loaded.map(({ subject, arms }) => [subject.name, arms.treatments])),
    arms: loaded.flatMap(({ arms }) => arms.records),
    sections: loaded.map(({ sections }) => sections),
    warnings: loaded.flatMap(({ arms }) => arms.warnings),
    limits: request.limits,
    toolTokens,
    concurrency,
  };
}

/** What the agent of a trial gets. */
export function treatmentOf(
  { skill, arm }: Pick<PlannedTrial, "skill" | "arm">,
  { treatments }: Pick<CampaignMaterial, "treatments">,
): Treatment {
  const treatment = treatments.get(skill)?.get(arm);
  if (treatment === undefined) throw new Error(`no arm ${arm} was made for ${skill}`);
  return treatment;
}

type Chosen = {
  readonly chosen: readonly Benchmark[];
  readonly excluded: CampaignInputs["excluded"];
  /** `skill/id` of all that are there. */
  readonly known: readonly string[];
};

type LoadedSkill = Chosen & {
  readonly subject: Deliverable;
  readonly arms: SkillArms;
  readonly sections: SkillSections;
};

async function chooseBenchmarks(
  skill: string,
  folder: string,
  { only, exclude }: Pick<CampaignRequest, "only" | "exclude">,
): Promise<Chosen> {
  const all = await readBenchmarks(folder, skill, parseDraft);
  const found = pick(all, only);
  const excluded = withoutHeadroom(found, await readHeadroom(folder), exclude);
  const chosen = found.filter(({ bundle }) => !excluded.some(({ benchmark }) => benchmark === bundle.id));
  return { chosen, excluded, known: all.map(({ bundle }) => `${skill}/${bundle.id}`) };
}

function plannedSkill({ subject, arms, chosen }: LoadedSkill): CampaignInputs["skills"][number] {
  return {
    id: subject.name,
    treeHash: hashTree(subject.files),
    arms: [...arms.planned],
    benchmarks: chosen.map(({ bundle }) => ({ id: bundle.id, bundleHash: bundle.hash })),
  };
}

/** The benchmarks of several skills. */
export async function loadBenchmarks(
  places: readonly { readonly skill: string; readonly benchmarks: string }[],
): Promise<Benchmark[]> {
  const found = await Promise.all(
    places.map(({ skill, benchmarks }) => readBenchmarks(benchmarks, skill, parseDraft)),
  );
  return found.flat();
}

function pick(benchmarks: readonly Benchmark[], only: readonly string[] | null): Benchmark[] {
  return benchmarks.filter((benchmark) => only === null || only.some((name) => isNamed(benchmark, name)));
}

function isNamed({ skill, bundle }: Benchmark, name: string): boolean {
  return name === bundle.id || name === `${skill}/${bundle.id}`;
}

/** Those that a probe marked, where the mark is for these very files. */
function withoutHeadroom(
  benchmarks: readonly Benchmark[],
  headroom: Headroom | null,
  exclude: readonly HeadroomMark[],
): CampaignInputs["excluded"] {
  return benchmarks.flatMap(({ skill, bundle }) => {
    const probed = headroom?.benchmarks.find(
      ({ benchmark, bundleHash }) => benchmark === bundle.id && bundleHash === bundle.hash,
    );
    if (probed === undefined || !exclude.includes(probed.mark)) return [];
    return [{ skill, benchmark: bundle.id, bundleHash: bundle.hash, mark: probed.mark }];
  });
}

function requireAll(
  only: readonly string[] | null,
  benchmarks: readonly Benchmark[],
  { excluded, known }: Pick<Chosen, "excluded" | "known">,
): void {
  const isLeftOut = (name: string): boolean =>
    excluded.some(({ skill, benchmark }) => name === benchmark || name === `${skill}/${benchmark}`);
  const missing = (only ?? []).filter(
    (name) => !isLeftOut(name) && !benchmarks.some((benchmark) => isNamed(benchmark, name)),
  );
  if (missing.length > 0) {
    const has = known.length === 0 ? "none passed the gate here" : `there are ${known.join(", ")}`;
    throw new UserError(`${missing.join(", ")}: no such benchmark; ${has}.`);
  }
  if (benchmarks.length === 0 && excluded.length > 0)
    throw new UserError(
      `evaluation.exclude leaves no benchmark: a probe found ${excluded.map(({ benchmark, mark }) => `${benchmark} (${mark})`).join(", ")}.`,
    );
  if (benchmarks.length === 0)
    throw new UserError("no benchmark passed the gate here. Run: skillproof build <skill>");
}
