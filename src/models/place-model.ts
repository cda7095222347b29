import type { Endpoint } from "../artefacts/endpoint.ts";
import type { RequestRole } from "../artefacts/ledger.ts";
import type { CatalogueEntry } from "./catalogue.ts";
import { chooseEndpoint, type EndpointNeeds } from "./choose-endpoint.ts";
import { type ListedEndpoint, readEndpoints } from "./endpoints.ts";
import type { Asking } from "./get-json.ts";
import { perToken, type PricesPerMillion } from "./prices.ts";
import type { Server } from "./server.ts";
import { type ServerKind, windowHint } from "./server-kind.ts";

/** One model with all the roles it plays and what the YAML fixes for it. */
export type ModelInRoles = {
  readonly id: string;
  readonly roles: readonly RequestRole[];
  /** Tag of the endpoint to use. */
  readonly pin?: string | undefined;
  /** Optional request parameters, for a server that lists none. */
  readonly parameters?: readonly string[] | undefined;
  /** For a server that names none. */
  readonly prices?: PricesPerMillion | undefined;
};

export type Placed =
  | { readonly kind: "placed"; readonly endpoint: Endpoint; readonly warnings: readonly string[] }
  /** For the user to mend. */
  | { readonly kind: "none"; readonly reason: string };

export type PlaceOptions = {
  readonly server: Server;
  readonly serverKind: ServerKind;
  /** Of the server's list; undefined when that does not have the model, or there is no list. */
  readonly entry: CatalogueEntry | undefined;
  /** Longest prompt together with its answer. */
  readonly neededTokens: number;
  readonly asking: Asking;
};

/** Finds the endpoint of one model: chosen from the server's list of endpoints, or the only one there is. */
export async function placeModel(model: ModelInRoles, options: PlaceOptions): Promise<Placed> {
  const { server, entry, asking } = options;
  if (server.dialect !== "openrouter") return placeOnly(model, options);
  if (entry?.prices === "varies") {
    const reason = `${model.id}: has no price of its own, so it is a router. Name the model that is to be measured.`;
    return { kind: "none", reason };
  }
  const listed = await readEndpoints(server, entry?.id ?? model.id, asking);
  if (listed === null) return placeOnly(model, options);
  const choice = chooseEndpoint(listed, needsOf(model, options.neededTokens));
  if (choice.kind === "none") return choice;
  const warnings = [...choice.warnings, ...unusedSettings(model)];
  return { kind: "placed", endpoint: listedEndpoint(model, choice.endpoint, server), warnings };
}

function listedEndpoint({ id, pin }: ModelInRoles, listed: ListedEndpoint, server: Server): Endpoint {
  const { tag, provider, quantization, contextLength, maxOutputTokens, parameters, prices } = listed;
  return {
    model: id,
    baseUrl: server.baseUrl,
    dialect: server.dialect,
    tag,
    provider,
    quantization,
    contextLength,
    maxOutputTokens,
    parameters: [...parameters],
    prices: prices === "varies" ? null : prices,
    cache: needsMarks(id, listed) ? "marked" : "automatic",
    chosen: pin === undefined ? "listed" : "configured",
  };
}

/** Families that cache only what is marked (openrouter.md §10). */
function needsMarks(id: string, { provider, tag }: ListedEndpoint): boolean {
  const alibaba = provider === "Alibaba" || /^alibaba(\/|$)/.test(tag);
  return id.startsWith("anthropic/") || (id.startsWith("qwen/") && alibaba);
}

/** What the server lists for an endpoint is what holds there. */
function unusedSettings({ id, parameters, prices }: ModelInRoles): string[] {
  const keys = [parameters === undefined ? "" : "parameters", prices === undefined ? "" : "prices"];
  return keys
    .filter((key) => key !== "")
    .map((key) => `models.settings.${id}.${key}: not used, since the server lists them.`);
}

/** A server that lists no endpoints: there is one as far as can be known, and the YAML may say more about it. */
function placeOnly(model: ModelInRoles, { server, serverKind, entry, neededTokens }: PlaceOptions): Placed {
  const { id, pin } = model;
  const settings = `models.settings.${id}`;
  const openRouter = server.dialect === "openrouter";
  const { tools, tokens } = needsOf(model, neededTokens);
  const none = (reason: string): Placed => ({ kind: "none", reason });
  if (pin !== undefined && !openRouter) {
    return none(`${settings}.pin: ${server.baseUrl} has no endpoints to choose from. Leave it out.`);
  }
  const window = entry?.contextLength ?? entry?.trainedLength ?? null;
  if (window !== null && window < tokens) {
    const hint = entry?.contextLength == null ? "Use another model." : windowHint(serverKind);
    return none(`${id}: its window holds ${window} tokens where ${tokens} are needed. ${hint}`);
  }
  const parameters = model.parameters ?? entry?.parameters ?? null;
  if (tools && entry?.parameters?.includes("tools") === false) {
    return none(`${id}: ${server.baseUrl} says that it does not take tools.`);
  }
  const configured = model.prices === undefined ? undefined : perToken(model.prices);
  if (configured === null) return none(`${settings}.prices: not numbers of US dollars per million tokens.`);
  const listed = entry?.prices === "varies" ? null : entry?.prices;
  const prices = configured ?? listed ?? null;
  const endpoint: Endpoint = {
    model: id,
    baseUrl: server.baseUrl,
    dialect: server.dialect,
    tag: pin ?? null,
    provider: null,
    quantization: null,
    contextLength: entry?.contextLength ?? null,
    maxOutputTokens: null,
    parameters: parameters === null ? null : [...parameters],
    prices,
    cache: "automatic",
    chosen: pin === undefined ? "only" : "configured",
  };
  return { kind: "placed", endpoint, warnings: unknowns(endpoint, openRouter) };
}

function unknowns({ model, contextLength, prices, tag }: Endpoint, openRouter: boolean): string[] {
  const words = [
    openRouter && tag === null ? "the server does not list its endpoints: who serves it is unknown" : "",
    contextLength === null ? "the server does not tell its context window" : "",
    prices === null
      ? `what it costs is unknown; set models.settings.${model}.prices (0 for a model of your own)`
      : "",
  ];
  return words.filter((word) => word !== "").map((word) => `${model}: ${word}.`);
}

function needsOf({ id, roles, pin }: ModelInRoles, neededTokens: number): EndpointNeeds {
  const plays = (...asked: readonly RequestRole[]): boolean => asked.some((role) => roles.includes(role));
  return {
    model: id,
    tools: plays("agent", "author"),
    schema: plays("judge"),
    // Texts to embed are cut to the model's window by whoever embeds them.
    tokens: plays("agent", "author", "judge", "probe") ? neededTokens : 0,
    pin,
  };
}
