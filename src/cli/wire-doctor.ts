import { join } from "node:path";
import type Docker from "dockerode";
import { z } from "zod";
import { benchmarkFrom } from "../artefacts/benchmark.ts";
import type { Endpoint } from "../artefacts/endpoint.ts";
import type { RequestRole } from "../artefacts/ledger.ts";
import { parseDraft } from "../author/draft.ts";
import { type CampaignEstimate, estimateTrials } from "../campaign-estimate.ts";
import type { CampaignMaterial } from "../campaign-material.ts";
import type { Config } from "../config.ts";
import { InfrastructureError, UserError } from "../errors.ts";
import { planTrials } from "../evaluate/plan-trials.ts";
import { panelWarnings } from "../grade/panel-warnings.ts";
import { findModel, readCatalogue } from "../models/catalogue.ts";
import { type Clock, systemClock } from "../models/clock.ts";
import { readKey } from "../models/read-key.ts";
import { connectEngine } from "../sandbox/engine.ts";
import { findImage } from "../sandbox/build-image.ts";
import { recordOf } from "../sandbox/image.ts";
import { readContexts, recipeOf } from "../sandbox/recipe.ts";
import { checkSettings, defaultSettings, type SandboxSettings } from "../sandbox/settings.ts";
import { findLeftovers } from "../sandbox/sweep.ts";
import { readBundle, readGate } from "../store/benchmarks.ts";
import type { EngineFacts, EngineNeeds, ImageFacts } from "./doctor/engine-rows.ts";
import type { Loaded } from "./io.ts";
import { ModelServers } from "./model-servers.ts";
import { isStandIn, ModelAccess } from "./wire-models.ts";
import { endpointSettings, sandboxSettings } from "./wire-sandbox.ts";

/** An engine that answered. */
export type EngineLook = {
  readonly facts: (signal: AbortSignal) => Promise<EngineFacts>;
  readonly image: (signal: AbortSignal) => Promise<ImageFacts>;
  /** Names of containers and volumes of dead processes. */
  readonly leftovers: (signal: AbortSignal) => Promise<readonly string[]>;
};

export type EnginePlace = {
  /** As the campaign's file has it; null: found by itself. */
  readonly address: string | null;
  readonly needs: EngineNeeds;
  readonly connect: (signal: AbortSignal) => Promise<EngineLook>;
};

/** The engines of a campaign; the usual one without it. Throws `UserError` for settings that cannot be. */
export function enginePlaces(config: Config | null): readonly EnginePlace[] {
  const several = config === null ? null : endpointSettings(config);
  const usual = config === null ? defaultSettings : sandboxSettings(config);
  const concurrency = config?.evaluation.concurrency ?? 1;
  return (several ?? [{ settings: usual, concurrency }]).map((one) => ({
    address: one.settings.socket,
    needs: { cpus: one.settings.cpus, memoryMiB: one.settings.memoryMiB, concurrency: one.concurrency },
    connect: async (signal) => {
      const { socket, tls } = one.settings;
      return lookAt(await connectEngine(socket, { signal, tls }), one.settings);
    },
  }));
}

/** Throws `UserError` for limits that do not go together. */
export function checkSandbox(config: Config): void {
  checkSettings(sandboxSettings(config));
}

function lookAt(docker: Docker, settings: SandboxSettings): EngineLook {
  return {
    facts: async () => factsFrom(await docker.version(), await docker.info()),
    image: () => imageOn(docker, settings),
    leftovers: async (signal) => (await findLeftovers(docker, signal)).map(({ name }) => name),
  };
}

const text = z.string().min(1).nullish().catch(null);
const amount = z.number().positive().nullish().catch(null);
const can = z.boolean().nullish().catch(null);
const versionSchema = z.object({ Version: z.string(), ApiVersion: z.string() });
const infoSchema = z.object({
  ...{ KernelVersion: text, CgroupVersion: text, Driver: text, SystemTime: text, DockerRootDir: text },
  ...{ MemTotal: amount, NCPU: amount, MemoryLimit: can, CpuCfsQuota: can, PidsLimit: can },
});

function factsFrom(version: unknown, info: unknown): EngineFacts {
  const own = versionSchema.safeParse(version);
  const parsed = infoSchema.safeParse(info);
  if (!own.success || !parsed.success)
    throw new InfrastructureError(
      "what answers there is no Docker engine: it tells neither version nor state",
    );
  const { Version, ApiVersion } = own.data;
  const told = parsed.data;
  const timeMs = Date.parse(told.SystemTime ?? "");
  return {
    version: Version,
    apiVersion: ApiVersion,
    kernel: told.KernelVersion ?? null,
    cgroup: told.CgroupVersion ?? null,
    driver: told.Driver ?? null,
    timeMs: Number.isNaN(timeMs) ? null : timeMs,
    memoryMiB: told.MemTotal == null ? null : told.MemTotal / 1024 ** 2,
    cpus: told.NCPU ?? null,
    limits: { memory: told.MemoryLimit ?? null, cpu: told.CpuCfsQuota ?? null, pids: told.PidsLimit ?? null },
    root: told.DockerRootDir ?? null,
  };
}

async function imageOn(docker: Docker, { image, packages }: SandboxSettings): Promise<ImageFacts> {
  const own = image === null ? null : await findImage(docker, image);
  if (image !== null && own === null) return { kind: "unknown_base", image };
  const recipe = recipeOf(await readContexts(), packages, own?.Id ?? null);
  const record = await recordOf(docker, recipe);
  if (record !== null) return { kind: "ready", id: record.id, recipe };
  const others = await docker.listImages({ filters: { label: ["skillproof.recipe"] } });
  return { kind: "absent", recipe, others: others.length };
}

/** Whether a benchmark whose gate record fits is judged. Throws `UserError` when it is not sound or does not fit. */
export async function readSound(
  folder: string,
  id: string,
  skill: string,
): Promise<{ readonly judged: boolean }> {
  const path = join(folder, id);
  const bundle = await readBundle(path, parseDraft);
  const gate = await readGate(path);
  if (gate === null) throw new UserError(`${path}: no gate.json, so it was never put through the gate.`);
  benchmarkFrom(skill, bundle, gate);
  return { judged: bundle.spec.judged };
}

/** What the panel's composition makes doubtful. */
export function panelDoubts(judges: readonly string[], models: readonly string[]): readonly string[] {
  return panelWarnings(
    judges.map((id) => ({ id, standIn: isStandIn(id) })),
    models,
  );
}

export type ServerLook = {
  readonly baseUrl: string;
  /** Null when it lists none. */
  readonly models: number | null;
  readonly warnings: readonly string[];
  /** What may still be spent with the key; null: no limit, or not told. */
  readonly keyLimitUsd: number | null;
};

/** Whether a key is at hand where one is needed. Throws `UserError` when it is not. */
export async function requireKey(
  loaded: Loaded,
  of: "models" | "embedding",
  signal: AbortSignal,
): Promise<void> {
  const servers = new ModelServers(loaded, signal);
  await (of === "models" ? servers.open("agent") : servers.openEmbedding());
}

/** Asks the lists of the server, once and without patience. Throws what is wrong with key, address or server. */
export async function lookAtServer(loaded: Loaded, model: string, signal: AbortSignal): Promise<ServerLook> {
  const servers = new ModelServers(loaded, signal);
  const clock = impatient();
  const plain = await servers.open("agent");
  const catalogue = await readCatalogue(plain, { clock, signal });
  const server = await servers.open("agent", await servers.dialectFor(model));
  const key =
    server.dialect === "openrouter"
      ? await readKey(server, [], { clock, signal })
      : { limitRemainingUsd: null, warnings: [] };
  return {
    baseUrl: server.baseUrl,
    models: catalogue?.size ?? null,
    warnings: key.warnings,
    keyLimitUsd: key.limitRemainingUsd,
  };
}

/** Whether the server of the vectors lists the model; null when it lists none at all. */
export async function lookAtEmbedding(
  loaded: Loaded,
  model: string,
  signal: AbortSignal,
): Promise<boolean | null> {
  const server = await new ModelServers(loaded, signal).openEmbedding();
  const of = server.dialect === "openrouter" ? "embeddings" : "text";
  const catalogue = await readCatalogue(server, { clock: impatient(), signal, of });
  return catalogue === null ? null : findModel(model, catalogue) !== undefined;
}

/** Where requests of one model in its roles would go; nothing is paid for. Throws `UserError` when nowhere. */
export async function placeOf(
  loaded: Loaded,
  {
    id,
    roles,
    neededTokens,
  }: { readonly id: string; readonly roles: readonly RequestRole[]; readonly neededTokens: number },
  signal: AbortSignal,
): Promise<{ readonly endpoint: Endpoint | null; readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const listen = (event: { readonly kind: string; readonly words?: string }): void => {
    if (event.kind === "warning" && event.words !== undefined) warnings.push(event.words);
  };
  const access = new ModelAccess(loaded, listen, { drain: signal });
  const cast = Object.fromEntries(roles.map((role) => [role, [id]]));
  const [endpoint] = await access.findEndpoints(cast, neededTokens);
  return { endpoint: endpoint ?? null, warnings };
}

/** What the whole campaign may cost, from its first trial. */
export function estimateOf(material: CampaignMaterial, endpoints: readonly Endpoint[]): CampaignEstimate {
  // The recipe names trials and has no part in what they cost.
  return estimateTrials(planTrials(material.inputs, ""), [], material, endpoints);
}

/** What does not answer now is said to, instead of being waited for: time passes by itself. */
function impatient(): Clock {
  let skippedMs = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + skippedMs,
    async sleep(ms, signal) {
      await systemClock.sleep(0, signal);
      skippedMs += ms;
    },
  };
}
