import { join } from "node:path";
import { commandAuthor } from "../agents/author-command.ts";
import { openRouterAuthor } from "../agents/author-openrouter.ts";
import { replayAuthor } from "../agents/author-replay.ts";
import { agentTools } from "../agents/tools.ts";
import type { Author } from "../author/port.ts";
import type { CampaignPorts } from "../campaign.ts";
import type { GradeSnapshot } from "../campaign-judges.ts";
import { type ChunkSettings, defaultChunkSettings } from "../chunk/chunk-skill.ts";
import type { Config } from "../config.ts";
import type { VectorCache } from "../embed/port.ts";
import { lexicalEmbedder } from "../embed/lexical.ts";
import type { Embedder } from "../embed/port.ts";
import { UserError } from "../errors.ts";
import { runGate } from "../gate/run-gate.ts";
import { gradeSnapshot } from "../grade/grade-snapshot.ts";
import { hashJson } from "../hash.ts";
import type { ChatModel } from "../models/port.ts";
import type { BuildPorts, Gate } from "../pipeline.ts";
import type { Sandbox } from "../sandbox/port.ts";
import { packTree, readTarMember, readTarTree } from "../sandbox/tar.ts";
import { readToolList } from "../sandbox/tools.ts";
import { readIfThere } from "../store/artefact.ts";
import { writeAtomic } from "../store/atomic.ts";
import { countTokens } from "../tokens.ts";
import { fileVectorCache } from "../store/vector-cache.ts";
import type { Io, Loaded } from "./io.ts";
import type { PaidModels } from "./paid-models.ts";
import { wireSandbox } from "./wire-sandbox.ts";

/** Hash of the agent's tools as every request carries them. */
export function toolsHash(): string {
  return hashJson(agentTools.specs);
}

/** What their specifications add to every prompt. */
export function toolTokens(): number {
  return countTokens(JSON.stringify(agentTools.specs));
}

/** Grading of one snapshot in a fresh container, with judges where a grader asks. */
export function wireGrade(
  config: Config,
  sandbox: Sandbox,
  judges: readonly ChatModel[],
  signal: AbortSignal,
): GradeSnapshot {
  const { seed, name, gate } = config;
  return ({ bundle }, workspace, { known, unasked, subject }) =>
    gradeSnapshot(
      bundle,
      workspace,
      {
        sandbox,
        pack: packTree,
        readMembers: readTarMember,
        panel: { judges, seed, ...(unasked === undefined ? {} : { unasked }) },
        labels: { campaign: name, trial: `grade ${bundle.id}` },
      },
      { timeoutMs: gate.graderSeconds * 1000, known, subject, signal },
    );
}

/** What a campaign reaches the world through. */
export function wireCampaign(
  config: Config,
  parts: Omit<CampaignPorts, "pack" | "grade" | "signal"> & { readonly signal: AbortSignal },
): CampaignPorts {
  return { ...parts, pack: packTree, grade: wireGrade(config, parts.sandbox, parts.judges, parts.signal) };
}

/** The gate, with an engine of its own. */
export async function openGate(
  { config }: Loaded,
  paid: PaidModels,
  io: Io,
): Promise<{ gate: Gate; sandbox: Sandbox; readonly close: () => Promise<void> }> {
  const sandbox = await wireSandbox(config, io);
  // Judges are made at the first question: most bundles never ask one.
  const judges = once(() => paid.judges());
  const gate: Gate = async (bundle, provenance, known) => {
    const panel = bundle.spec.judged ? await judges() : [];
    const grade = wireGrade(config, sandbox, panel, io.signal);
    return runGate(bundle, provenance, {
      grade: (workspace) =>
        grade({ bundle }, () => packTree(workspace), { known, subject: `gate/${bundle.id}` }),
      image: sandbox.image,
    });
  };
  return { gate, sandbox, close: () => sandbox.close() };
}

export type Workshop = Awaited<ReturnType<BuildPorts["workshop"]>> & { readonly close: () => Promise<void> };

/** Author, gate and image, for a build. */
export async function openWorkshop(loaded: Loaded, paid: PaidModels, io: Io): Promise<Workshop> {
  const { gate, sandbox, close } = await openGate(loaded, paid, io);
  try {
    const author = await wireAuthor(loaded, paid, sandbox);
    return { author, gate, toolList: await readTools(loaded.config, sandbox), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The image's tools in words, read from the image once and kept by its id. */
export async function readTools(config: Config, sandbox: Sandbox): Promise<string> {
  const file = join(config.out, "cache", "tools", `${sandbox.image.id.replace(":", "-")}.md`);
  const known = await readIfThere(file);
  if (known !== undefined) return known;
  const tools = await readToolList(sandbox);
  await writeAtomic(file, tools);
  return tools;
}

export function wireChunking(config: Config, strict: boolean): ChunkSettings {
  const { boilerplateTitles = defaultChunkSettings.boilerplateTitles, ...chunking } = config.chunking;
  return { ...chunking, boilerplateTitles, strict };
}

export async function wireEmbedder({ embedding }: Config, paid: PaidModels): Promise<Embedder> {
  switch (embedding.provider) {
    case "lexical":
      return lexicalEmbedder();
    case "openai":
      return paid.embedder();
  }
}

export function wireVectorCache(config: Config): VectorCache {
  return fileVectorCache(join(config.out, "cache", "vectors"));
}

async function wireAuthor({ config, env }: Loaded, paid: PaidModels, sandbox: Sandbox): Promise<Author> {
  const { folder } = config;
  const { backend, model, command, recording, limits, timeoutSeconds } = config.authoring;
  switch (backend) {
    case "openrouter":
      if (model === undefined)
        throw new UserError("authoring.model: not set. Name the model that writes benchmarks.");
      return openRouterAuthor({
        model: await paid.author(model),
        sandbox,
        pack: packTree,
        readTree: readTarTree,
        limits: { ...limits, seconds: timeoutSeconds },
        campaign: config.name,
        seed: config.seed,
      });
    case "command":
      if (command === undefined)
        throw new UserError("authoring.command: not set. Give the program and its arguments as a list.");
      return commandAuthor({ command, timeoutSeconds, cwd: folder, env });
    case "replay":
      if (recording === undefined)
        throw new UserError("authoring.recording: not set. Name the file of recorded drafts.");
      return replayAuthor(recording);
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
