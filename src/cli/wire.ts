import { join } from "node:path";
import { commandAuthor } from "../agents/author-command.ts";
import { openRouterAuthor } from "../agents/author-openrouter.ts";
import { replayAuthor } from "../agents/author-replay.ts";
import { agentTools } from "../agents/tools.ts";
import type { Author } from "../author/port.ts";
import type { CampaignPorts } from "../campaign-ports.ts";
import { type ChunkSettings, defaultChunkSettings } from "../chunk/chunk-skill.ts";
import type { Config } from "../config.ts";
import type { VectorCache } from "../embed/port.ts";
import { lexicalEmbedder } from "../embed/lexical.ts";
import type { Embedder } from "../embed/port.ts";
import { UserError } from "../errors.ts";
import { hashJson } from "../hash.ts";
import type { BuildPorts } from "../pipeline.ts";
import type { Sandbox } from "../sandbox/port.ts";
import { packTree, readTarTree } from "../sandbox/tar.ts";
import { readToolList } from "../sandbox/tools.ts";
import { readIfThere } from "../store/artefact.ts";
import { writeAtomic } from "../store/atomic.ts";
import { countTokens } from "../tokens.ts";
import { fileVectorCache } from "../store/vector-cache.ts";
import type { Io, Loaded } from "./io.ts";
import type { PaidModels } from "./paid-models.ts";
import { wireDamage, wireGrade } from "./wire-grade.ts";
import { openGate } from "./wire-gate.ts";

/** Hash of the agent's tools as every request carries them. */
export function toolsHash(): string {
  return hashJson(agentTools.specs);
}

/** What their specifications add to every prompt. */
export function toolTokens(): number {
  return countTokens(JSON.stringify(agentTools.specs));
}

/** What a campaign reaches the world through. */
export function wireCampaign(
  config: Config,
  parts: Omit<CampaignPorts, "pack" | "grade" | "damage" | "signal"> & { readonly signal: AbortSignal },
): CampaignPorts {
  const { sandbox, judges, signal } = parts;
  const grade = wireGrade(config, sandbox, judges, signal);
  return { ...parts, pack: packTree, grade, damage: wireDamage(config, sandbox, signal) };
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
