import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { commandAuthor } from "../agents/author-command.ts";
import { openRouterAuthor } from "../agents/author-openrouter.ts";
import { replayAuthor } from "../agents/author-replay.ts";
import type { Agent } from "../agents/port.ts";
import { toolLoopAgent } from "../agents/tool-loop.ts";
import { agentTools } from "../agents/tools.ts";
import type { Author } from "../author/port.ts";
import type { CampaignPorts, GradeSnapshot } from "../campaign.ts";
import { type ChunkSettings, defaultChunkSettings } from "../chunk/chunk-skill.ts";
import type { Config } from "../config.ts";
import type { VectorCache } from "../embed/port.ts";
import { lexicalEmbedder } from "../embed/lexical.ts";
import type { Embedder } from "../embed/port.ts";
import { UserError } from "../errors.ts";
import { runGate } from "../gate/run-gate.ts";
import { gradeSnapshot } from "../grade/grade-snapshot.ts";
import { hashJson, sha256 } from "../hash.ts";
import { findModel, readCatalogue, requireKnownModels } from "../models/catalogue.ts";
import { openAiChatModel } from "../models/openai-chat.ts";
import { openAiEmbedder } from "../models/openai-embedder.ts";
import type { ChatModel } from "../models/port.ts";
import { modelServer, type ServerSettings } from "../models/server.ts";
import { standInJudge, standInModel } from "../models/stand-in.ts";
import { loadStandInPolicy } from "../models/stand-in-policy.ts";
import type { BuildPorts, Gate } from "../pipeline.ts";
import type { Sandbox } from "../sandbox/port.ts";
import { packTree, readTarMember, readTarTree } from "../sandbox/tar.ts";
import { readToolList } from "../sandbox/tools.ts";
import { readIfThere } from "../store/artefact.ts";
import { writeAtomic } from "../store/atomic.ts";
import { fileVectorCache } from "../store/vector-cache.ts";
import type { Io, Loaded } from "./io.ts";
import { wireSandbox } from "./wire-sandbox.ts";

/** Ids that begin with this are stand-ins: a policy file, no network, no key. */
export const standInPrefix = "stand-in/";

/** Models by role. Made only when asked for: a campaign of stand-ins needs neither key nor server. */
export type Models = {
  readonly agents: (ids: readonly string[]) => Promise<ReadonlyMap<string, Agent>>;
  readonly judges: (ids: readonly string[]) => Promise<readonly ChatModel[]>;
  readonly chat: (id: string) => Promise<ChatModel>;
  /** Hash of the stand-in policy, null when none is named. */
  readonly policyHash: () => Promise<string | null>;
};

export function wireModels({ config, env }: Loaded, signal: AbortSignal): Models {
  const { standIn } = config.models;
  const policy = once(() => {
    if (standIn === undefined)
      throw new UserError(`models.standIn: not set, but a model id begins with ${standInPrefix}.`);
    return loadStandInPolicy(standIn);
  });
  const server = once(() => Promise.resolve(modelServer(serverSettings(config, env))));
  const catalogue = once(async () => readCatalogue(await server(), { signal }));
  const remote = async (id: string): Promise<ChatModel> => {
    const listed = await catalogue();
    const parameters = (listed === null ? undefined : findModel(id, listed))?.parameters ?? [];
    return openAiChatModel({ server: await server(), model: id, parameters });
  };
  const known = async (ids: readonly string[]): Promise<void> => {
    const asked = ids.filter((id) => !id.startsWith(standInPrefix));
    if (asked.length > 0) requireKnownModels(asked, await catalogue());
  };
  const chat = async (id: string): Promise<ChatModel> =>
    id.startsWith(standInPrefix) ? standInModel(id, await policy()) : remote(id);
  return {
    async agents(ids) {
      await known(ids);
      const models = await Promise.all(ids.map(chat));
      return new Map(models.map((model) => [model.id, toolLoopAgent(model)]));
    },
    async judges(ids) {
      await known(ids);
      return Promise.all(
        ids.map(async (id) => (id.startsWith(standInPrefix) ? standInJudge(id, await policy()) : remote(id))),
      );
    },
    async chat(id) {
      await known([id]);
      return chat(id);
    },
    policyHash: async () => (standIn === undefined ? null : sha256(await readFile(standIn))),
  };
}

function serverSettings(config: Config, env: Loaded["env"]): ServerSettings {
  const { baseUrl, apiKeyEnv, dialect, deadlineSeconds } = config.models;
  return {
    baseUrl,
    keyVariable: apiKeyEnv,
    env,
    deadlineMs: deadlineSeconds * 1000,
    ...(dialect === undefined ? {} : { dialect }),
  };
}

/** Hash of the agent's tools as every request carries them. */
export function toolsHash(): string {
  return hashJson(agentTools.specs);
}

/** Grading of one snapshot in a fresh container, with judges where a grader asks. */
function wireGrade(
  config: Config,
  sandbox: Sandbox,
  judges: readonly ChatModel[],
  signal: AbortSignal,
): GradeSnapshot {
  const { seed, name, gate } = config;
  return ({ bundle }, workspace, known) =>
    gradeSnapshot(
      bundle,
      workspace,
      {
        sandbox,
        pack: packTree,
        readMembers: readTarMember,
        panel: { judges, seed },
        labels: { campaign: name, trial: `grade ${bundle.id}` },
      },
      { timeoutMs: gate.graderSeconds * 1000, known, signal },
    );
}

/** What a campaign reaches the world through. */
export function wireCampaign(
  config: Config,
  parts: Omit<CampaignPorts, "pack" | "grade" | "signal"> & {
    readonly judges: readonly ChatModel[];
    readonly signal: AbortSignal;
  },
): CampaignPorts {
  const { judges, ...ports } = parts;
  return { ...ports, pack: packTree, grade: wireGrade(config, ports.sandbox, judges, ports.signal) };
}

/** The gate, with an engine of its own. */
export async function openGate(
  loaded: Loaded,
  io: Io,
): Promise<{ gate: Gate; sandbox: Sandbox; readonly close: () => Promise<void> }> {
  const { config } = loaded;
  const models = wireModels(loaded, io.signal);
  const sandbox = await wireSandbox(config, io);
  // Judges are made at the first question: most bundles never ask one.
  const judges = once(() => models.judges(config.judge.models));
  const gate: Gate = async (bundle, provenance, known) => {
    const panel = bundle.spec.judged ? await judges() : [];
    const grade = wireGrade(config, sandbox, panel, io.signal);
    return runGate(bundle, provenance, {
      grade: (workspace) => grade({ bundle }, () => packTree(workspace), known),
      image: sandbox.image,
    });
  };
  return { gate, sandbox, close: () => sandbox.close() };
}

export type Workshop = Awaited<ReturnType<BuildPorts["workshop"]>> & { readonly close: () => Promise<void> };

/** Author, gate and image, for a build. */
export async function openWorkshop(loaded: Loaded, io: Io): Promise<Workshop> {
  const { gate, sandbox, close } = await openGate(loaded, io);
  try {
    const author = await wireAuthor(loaded, wireModels(loaded, io.signal), sandbox);
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

export function wireEmbedder({ config, env }: Loaded): Embedder {
  const { provider, model, baseUrl, apiKeyEnv } = config.embedding;
  switch (provider) {
    case "lexical":
      return lexicalEmbedder();
    case "openai": {
      if (model === undefined) throw new UserError("embedding.model: not set. Name the embedding model.");
      const settings = { ...serverSettings(config, env), keyVariable: apiKeyEnv };
      return openAiEmbedder({
        server: modelServer({ ...settings, baseUrl: baseUrl ?? settings.baseUrl }),
        model,
      });
    }
  }
}

export function wireVectorCache(config: Config): VectorCache {
  return fileVectorCache(join(config.out, "cache", "vectors"));
}

async function wireAuthor({ config, env }: Loaded, models: Models, sandbox: Sandbox): Promise<Author> {
  const { folder } = config;
  const { backend, model, command, recording, limits, timeoutSeconds } = config.authoring;
  switch (backend) {
    case "openrouter":
      if (model === undefined)
        throw new UserError("authoring.model: not set. Name the model that writes benchmarks.");
      return openRouterAuthor({
        model: await models.chat(model),
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
