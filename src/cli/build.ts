import { join, resolve } from "node:path";
import type { Config } from "../config.ts";
import { UserError } from "../errors.ts";
import { type BuildPorts, type BuildSettings, type Built, buildSkill } from "../pipeline.ts";
import { readSkill } from "../store/benchmarks.ts";
import { type AddCommand, commaList, type Io, listenOn, type Loaded, loadCampaignFile } from "./io.ts";
import { withPaidModels } from "./paid-models.ts";
import { buildStages } from "./screen/reading.ts";
import { withoutDraining } from "./signals.ts";
import { openWorkshop, wireChunking, wireEmbedder, wireVectorCache, type Workshop } from "./wire.ts";

type Options = {
  readonly config?: string;
  readonly until?: string;
  readonly only?: string;
  readonly force?: boolean;
  readonly strict?: boolean;
  readonly json?: boolean;
};

const stops = ["chunk", "cluster", "author"] as const;

/** `skillproof build SKILL…`: chunk → embed → cluster → select → author → gate. */
export const addBuild: AddCommand = (program, io, done) => {
  program
    .command("build")
    .description("make benchmarks of a skill: chunk, embed, cluster, select, author, gate")
    .argument("<skill...>", "folders with a SKILL.md")
    .option("-c, --config <file>", "the campaign's YAML")
    .option("--until <stage>", `stop after ${stops.join(", ")}`)
    .option("--only <ids>", "author only these clusters, comma-separated")
    .option("--force", "author again what already passed")
    .option("--strict", "refuse a skill that breaks the specification")
    .option("--json", "print what was built on stdout")
    .action(async (folders: readonly string[], options: Options) => {
      const loaded = await loadCampaignFile(io, options.config, {});
      const built = await buildSkills(
        folders.map((folder) => resolve(io.cwd, folder)),
        loaded,
        options,
        withoutDraining(io),
      );
      if (options.json === true) io.out(`${JSON.stringify(built.map(summaryOf), null, 2)}\n`);
      const authored = options.until === undefined || options.until === "author";
      done(authored && built.every(({ kept }) => kept.length === 0) ? 1 : 0);
    });
};

/** Builds one skill after the other with one engine, and closes it on every path. */
export async function buildSkills(
  folders: readonly string[],
  loaded: Loaded,
  options: Options,
  io: Io,
): Promise<Built[]> {
  // Every skill is read before the first is worked on, so that a wrong name costs nothing.
  const skills = await Promise.all(folders.map(readSkill));
  const { config } = loaded;
  return withPaidModels(loaded, io, async (paid) => {
    let workshop: Promise<Workshop> | undefined;
    const ports: BuildPorts = {
      embedder: await wireEmbedder(config, paid),
      cache: wireVectorCache(config),
      workshop: () => (workshop ??= openWorkshop(loaded, paid, io)),
      listen: listenOn(io),
      signal: io.signal,
    };
    const built: Built[] = [];
    try {
      for (const skill of skills) {
        ports.listen({ kind: "began", title: config.name, part: skill.id, stages: buildStages });
        built.push(await buildSkill(skill, settingsFor(config, skill.id, options), ports));
      }
    } finally {
      await (await workshop)?.close();
    }
    return built;
  });
}

function settingsFor(config: Config, skill: string, options: Options): BuildSettings {
  const until = stops.find((stage) => stage === (options.until ?? "author"));
  if (until === undefined)
    throw new UserError(`--until ${options.until ?? ""}: say one of ${stops.join(", ")}.`);
  return {
    chunking: wireChunking(config, options.strict === true),
    clustering: clusteringSettings(config),
    maxAttempts: config.authoring.maxAttempts,
    folder: join(config.benchmarks, skill),
    until,
    only: options.only === undefined ? null : commaList(options.only),
    force: options.force === true,
  };
}

/** The reduced vectors of related texts nearly coincide, so only all but equal ones are copies of each other. */
const lexicalDuplicateCosine = 0.999;
const duplicateCosine = 0.98;

function clusteringSettings({ clustering, embedding, seed }: Config): BuildSettings["clustering"] {
  const usual = embedding.provider === "lexical" ? lexicalDuplicateCosine : duplicateCosine;
  return { ...clustering, duplicateCosine: clustering.duplicateCosine ?? usual, seed };
}

function summaryOf({ chunks, clusters, kept, givenUp }: Built): Record<string, unknown> {
  return {
    skill: chunks.skill.id,
    chunks: chunks.chunks.length,
    clusters: clusters?.clusters.length ?? null,
    kept,
    givenUp,
  };
}
