import type { AgentLimits } from "./agents/port.ts";
import type { Treatment } from "./evaluate/open-trial.ts";
import type { Benchmark } from "./artefacts/benchmark.ts";
import type { CampaignInputs } from "./artefacts/plan.ts";
import type { Headroom, HeadroomMark } from "./artefacts/headroom.ts";
import type { Skill } from "./artefacts/skill.ts";
import { type FileTree, hashTree } from "./artefacts/tree.ts";
import { parseDraft } from "./author/draft.ts";
import { findSkillMarkdown, skillFiles } from "./chunk/skill-files.ts";
import { UserError } from "./errors.ts";
import { baseSystemPrompt } from "./evaluate/prompts.ts";
import { sha256 } from "./hash.ts";
import { readBenchmarks, readSkill } from "./store/benchmarks.ts";
import { readHeadroom } from "./store/headroom.ts";

/** What a campaign works on, loaded from disk. */
export type CampaignMaterial = {
  readonly inputs: CampaignInputs;
  readonly benchmarks: readonly Benchmark[];
  /** By skill id: what `with_skill` delivers. */
  readonly treatments: ReadonlyMap<string, NonNullable<Treatment>>;
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
  /** Benchmarks to use, `skill/id` or `id`; null for all. */
  readonly only: readonly string[] | null;
  readonly toolsHash: string;
  readonly toolTokens: number;
  readonly limits: AgentLimits;
  readonly concurrency: number;
};

/** Loads skills and benchmarks and freezes what they are by hash. Throws `UserError` for whatever does not fit. */
export async function loadMaterial(request: CampaignRequest): Promise<CampaignMaterial> {
  const { only, exclude, toolsHash, toolTokens, skills: places, concurrency, ...rest } = request;
  const excluded: CampaignInputs["excluded"][number][] = [];
  const skills: CampaignInputs["skills"][number][] = [];
  const benchmarks: Benchmark[] = [];
  const treatments = new Map<string, NonNullable<Treatment>>();
  if (places.length === 0)
    throw new UserError("no skill named: give `skills:` in the YAML, or --skills FOLDER.");
  for (const place of places) {
    const skill = await readSkill(place.folder);
    const treatment = deliver(skill, place.folder);
    if (treatments.has(skill.id))
      throw new UserError(`two skills are called ${skill.id}: folder names must differ.`);
    treatments.set(skill.id, treatment);
    const found = pick(await readBenchmarks(place.benchmarks, skill.id, parseDraft), only);
    const without = withoutHeadroom(found, await readHeadroom(place.benchmarks), exclude);
    excluded.push(...without);
    const chosen = found.filter(({ bundle }) => !without.some(({ benchmark }) => benchmark === bundle.id));
    benchmarks.push(...chosen);
    skills.push({
      id: skill.id,
      treeHash: hashTree(treatment.files),
      benchmarks: chosen.map(({ bundle }) => ({ id: bundle.id, bundleHash: bundle.hash })),
    });
  }
  requireAll(only, benchmarks, excluded);
  const prompts = { system: sha256(baseSystemPrompt), tools: toolsHash };
  return {
    inputs: { ...rest, skills, prompts, excluded },
    benchmarks,
    treatments,
    limits: request.limits,
    toolTokens,
    concurrency,
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

/** A skill as `with_skill` delivers it: SKILL.md for the prompt, its files for /skill. */
function deliver(skill: Skill, folder: string): NonNullable<Treatment> {
  const files = deliveredFiles(skill.tree);
  const markdown = findSkillMarkdown(files);
  if (markdown === undefined) throw new UserError(`${folder}: no SKILL.md in it. Name a skill's folder.`);
  return { skill: { name: skill.id, markdown: new TextDecoder().decode(markdown.bytes) }, files };
}

/** Nested skills are other skills, and `evals/` would hand the agent a skill's own test prompts. */
function deliveredFiles(tree: FileTree): FileTree {
  return skillFiles(tree).filter(({ path }) => !path.startsWith("evals/"));
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
  excluded: CampaignInputs["excluded"],
): void {
  const isLeftOut = (name: string): boolean =>
    excluded.some(({ skill, benchmark }) => name === benchmark || name === `${skill}/${benchmark}`);
  const missing = (only ?? []).filter(
    (name) => !isLeftOut(name) && !benchmarks.some((benchmark) => isNamed(benchmark, name)),
  );
  if (missing.length > 0) throw new UserError(`--only ${missing.join(",")}: no such benchmark.`);
  if (benchmarks.length === 0 && excluded.length > 0)
    throw new UserError(
      `evaluation.exclude leaves no benchmark: a probe found ${excluded.map(({ benchmark, mark }) => `${benchmark} (${mark})`).join(", ")}.`,
    );
  if (benchmarks.length === 0)
    throw new UserError("no benchmark passed the gate here. Run: skillproof build <skill>");
}
