import type { Endpoint } from "../artefacts/endpoint.ts";
import type { RequestRole } from "../artefacts/ledger.ts";
import { UserError } from "../errors.ts";
import { type Catalogue, findModel, readCatalogue, requireKnownModels } from "./catalogue.ts";
import type { Clock } from "./clock.ts";
import type { Asking } from "./get-json.ts";
import { requireFixedModels } from "./moving-targets.ts";
import { type ModelInRoles, type Placed, placeModel } from "./place-model.ts";
import { type KeyState, readKey } from "./read-key.ts";
import { hasVersion, type Server } from "./server.ts";
import { type ServerKind, serverKindOf, unknownModelHint } from "./server-kind.ts";

export type PreflightRequest = {
  readonly server: Server;
  /** A model may play several roles; what the YAML fixes for it is the same in each. */
  readonly models: readonly (Omit<ModelInRoles, "roles"> & { readonly role: RequestRole })[];
  /** Longest prompt together with its answer, in tokens. */
  readonly neededTokens: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
};

export type Preflight = {
  /** One per model, in the order in which they were first named, whatever roles it plays. */
  readonly endpoints: readonly Endpoint[];
  readonly warnings: readonly string[];
  /** What may still be spent with the key; null: no limit of its own, or not told. */
  readonly limitRemainingUsd: number | null;
};

/** A model whose removal is announced for less than this from now is named: campaigns are resumed for days. */
const soonMs = 14 * 24 * 3_600_000;

/**
 * Finds where each model is served and what may be sent there, from the server's lists alone: nothing is paid for.
 * What a server does not list is unknown, with a warning. Throws `UserError`, with the trouble of every model at once,
 * when the campaign could not work as it is written.
 */
export async function preflight(request: PreflightRequest): Promise<Preflight> {
  const { server, neededTokens, clock, signal } = request;
  const asking: Asking = { clock, signal };
  const models = byModel(request.models);
  const ids = models.map(({ id }) => id);
  const key = await keyState(server, ids, asking);
  const catalogue = await readLists(server, models, asking);
  const serverKind = serverKindOf(server.baseUrl, catalogue);
  if (server.dialect === "openrouter") requireFixedModels(ids, catalogue);
  const warnings = [...key.warnings, ...checkKnown(ids, catalogue, serverKind, server)];
  const placed: Placed[] = [];
  for (const model of models) {
    const entry = catalogue === null ? undefined : findModel(model.id, catalogue);
    placed.push(await placeModel(model, { server, serverKind, entry, neededTokens, asking }));
    warnings.push(...removal(model.id, entry?.expires ?? null, clock.now()));
  }
  const reasons = placed.flatMap((place) => (place.kind === "none" ? [place.reason] : []));
  if (reasons.length > 0) throw new UserError(reasons.join("\n"));
  const found = placed.flatMap((place) => (place.kind === "placed" ? [place] : []));
  return {
    endpoints: found.map(({ endpoint }) => endpoint),
    warnings: [...warnings, ...found.flatMap((place) => place.warnings)],
    limitRemainingUsd: key.limitRemainingUsd,
  };
}

function byModel(models: PreflightRequest["models"]): ModelInRoles[] {
  const found = new Map<string, ModelInRoles>();
  for (const { role, ...model } of models) {
    const roles = found.get(model.id)?.roles ?? [];
    found.set(model.id, { ...model, roles: [...roles, role] });
  }
  return [...found.values()];
}

function keyState(server: Server, ids: readonly string[], asking: Asking): Promise<KeyState> {
  if (server.dialect !== "openrouter") return Promise.resolve({ limitRemainingUsd: null, warnings: [] });
  const free = ids.filter((id) => id.endsWith(":free"));
  return readKey(server, free, asking);
}

/** The list of text models, and that of embedding models where they are listed apart and one is asked for. */
async function readLists(
  server: Server,
  models: readonly ModelInRoles[],
  { clock, signal }: Asking,
): Promise<Catalogue | null> {
  const text = await readCatalogue(server, { clock, signal });
  const apart = server.dialect === "openrouter" && models.some(({ roles }) => roles.includes("embedding"));
  if (text === null || !apart) return text;
  const embeddings = await readCatalogue(server, { clock, signal, of: "embeddings" });
  return new Map([...text, ...(embeddings ?? [])]);
}

function checkKnown(
  ids: readonly string[],
  catalogue: Catalogue | null,
  serverKind: ServerKind,
  { baseUrl }: Server,
): string[] {
  if (catalogue === null) {
    const lacking = `${baseUrl} lists no models`;
    if (!hasVersion(baseUrl) && (serverKind === "ollama" || serverKind === "lm-studio")) {
      throw new UserError(`${lacking}: the base URL lacks /v1. Write ${baseUrl}/v1.`);
    }
    const address = hasVersion(baseUrl) ? "" : " Does the base URL lack /v1?";
    return [`${lacking}: whether it has ${ids.join(", ")} is unknown.${address}`];
  }
  // Azure lists the models that could be deployed, under other names than those of the deployments.
  if (serverKind === "azure") {
    const unlisted = ids.filter((id) => findModel(id, catalogue) === undefined);
    return unlisted.map(
      (id) => `${id}: taken for the name of a deployment. ${unknownModelHint("azure", [])}`,
    );
  }
  requireKnownModels(ids, catalogue, (unknown) => unknownModelHint(serverKind, unknown));
  return [];
}

function removal(id: string, expires: string | null, now: number): string[] {
  const at = expires === null ? NaN : Date.parse(expires);
  if (expires === null || Number.isNaN(at) || at > now + soonMs) return [];
  return [
    at <= now
      ? `${id}: was to be removed on ${expires}; it may be gone at any time.`
      : `${id}: is to be removed on ${expires}. Trials that are missing then cannot be made up for.`,
  ];
}
