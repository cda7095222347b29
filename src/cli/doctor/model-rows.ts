import { join, relative } from "node:path";
import type { Endpoint } from "../../artefacts/endpoint.ts";
import type { RequestRole } from "../../artefacts/ledger.ts";
import type { Config } from "../../config.ts";
import type { Loaded } from "../io.ts";
import { shellWord } from "../shell-word.ts";
import { lookAtEmbedding, lookAtServer, placeOf, requireKey, type ServerLook } from "../wire-doctor.ts";
import { isStandIn } from "../wire-models.ts";
import type { Place } from "./campaign-rows.ts";
import { checked, fail, ok, type Row, together, tried, warn } from "./row.ts";

export type ModelInRoles = { readonly id: string; readonly roles: readonly RequestRole[] };

/** Models of the campaign's file, each with all its roles, in the order in which they are named. */
export function modelsIn({ evaluation, judge, authoring }: Config): readonly ModelInRoles[] {
  const author = authoring.backend === "openrouter" && authoring.model !== undefined ? [authoring.model] : [];
  const named = [
    ...evaluation.models.map((id) => ({ id, role: "agent" as const })),
    ...judge.models.map((id) => ({ id, role: "judge" as const })),
    ...author.map((id) => ({ id, role: "author" as const })),
  ];
  const roles = new Map<string, RequestRole[]>();
  for (const { id, role } of named) roles.set(id, [...(roles.get(id) ?? []), role]);
  return [...roles].map(([id, its]) => ({ id, roles: [...new Set(its)] }));
}

/** The variables that hold keys: never more of them than whether they are set. */
export function keyRows(
  loaded: Loaded,
  { signal, cwd }: Pick<Place, "signal" | "cwd">,
): Promise<readonly Row[]> {
  const { models, embedding, folder } = loaded.config;
  const dotenv = shellWord(join(relative(cwd, folder), ".env"));
  const isAsked = modelsIn(loaded.config).some(({ id }) => !isStandIn(id));
  const wanted = [
    ...(isAsked ? [{ of: "models" as const, variable: models.apiKeyEnv }] : []),
    ...(embedding.provider === "openai" ? [{ of: "embedding" as const, variable: embedding.apiKeyEnv }] : []),
  ];
  const once = wanted.filter(
    ({ variable }, at) => wanted.findIndex((one) => one.variable === variable) === at,
  );
  if (once.length === 0) return Promise.resolve([ok("key", "none is needed: only stand-ins take part")]);
  return together(
    once.map(({ of, variable }) => {
      const check = `key ${variable}`;
      const isSet = (loaded.env[variable]?.trim() ?? "") !== "";
      return checked(
        check,
        async (own) => {
          await requireKey(loaded, of, own);
          if (models.replay !== undefined) return ok(check, "not needed for a replay");
          return ok(check, isSet ? "set (not shown)" : "not set, and a server on this machine needs none");
        },
        { signal, mend: `echo ${shellWord(`${variable}=…`)} >> ${dotenv}` },
      );
    }),
  );
}

export type ServerRows = { readonly rows: readonly Row[]; readonly look: ServerLook | null };

/** Whether the server answers; `first`: a model that it should have. */
export async function serverRows(loaded: Loaded, first: string, signal: AbortSignal): Promise<ServerRows> {
  const check = "model server";
  const { baseUrl, replay } = loaded.config.models;
  const looked = await tried(check, (own) => lookAtServer(loaded, first, own), {
    signal,
    mend: `curl -sS ${rootOf(baseUrl)}/models`,
  });
  if (looked.kind === "row") return { rows: [looked.row], look: null };
  const look = looked.value;
  const { models, keyLimitUsd, warnings } = look;
  const lists = models === null ? "lists no models" : `lists ${models} model(s)`;
  const key =
    keyLimitUsd === null
      ? "the key's limit is unavailable, or it has none"
      : `the key may spend $${keyLimitUsd} more`;
  const from = replay === undefined ? baseUrl : `the recording of ${baseUrl}`;
  const words = [`${from} ${lists}; ${key}`, ...warnings].join(". ");
  return { rows: [models === null || warnings.length > 0 ? warn(check, words) : ok(check, words)], look };
}

function rootOf(baseUrl: string): string {
  return shellWord(baseUrl.replace(/\/+$/, ""));
}

/** Every model by itself: there, priced, and able to use tools where it has to. */
export function modelRows(
  loaded: Loaded,
  models: readonly ModelInRoles[],
  {
    signal,
    neededTokens,
    known,
  }: { readonly signal: AbortSignal; readonly neededTokens: number; readonly known: readonly string[] },
): Promise<readonly Row[]> {
  return together(
    models.map(({ id, roles }) => {
      const check = `model ${id}`;
      const catalogue = `curl -sS ${rootOf(loaded.config.models.baseUrl)}/models`;
      return checked(
        check,
        async (own) => {
          const { endpoint, warnings } = await placeOf(loaded, { id, roles, neededTokens }, own);
          const as = roles.join(", ");
          if (endpoint === null) return ok(check, `stand-in; ${as}`);
          const words = [
            `${as}; ${describe(endpoint)}`,
            ...warnings.filter((one) => !known.includes(one)),
          ].join(". ");
          if (endpoint.prices === null)
            return warn(check, words, `models.settings.${id}.prices: { input: 0, output: 0 }`);
          return words.includes(". ") ? warn(check, words) : ok(check, words);
        },
        { signal, mend: catalogue },
      );
    }),
  );
}

function describe({ tag, prices, parameters, contextLength }: Endpoint): string {
  const million = (perToken: string): string => `$${(Number(perToken) * 1e6).toFixed(2)}`;
  const cost =
    prices === null
      ? "no price is known"
      : `${million(prices.prompt)} in, ${million(prices.completion)} out per million tokens`;
  const tools =
    parameters === null
      ? "whether it takes tools is not told"
      : parameters.includes("tools")
        ? "takes tools"
        : "takes no tools";
  const window = contextLength === null ? "window unavailable" : `window ${contextLength} tokens`;
  return [tag ?? "its only endpoint", cost, tools, window].join("; ");
}

/** The model of the vectors, where it is not ours. */
export function embeddingRows(loaded: Loaded, signal: AbortSignal): Promise<readonly Row[]> {
  const { provider, model, baseUrl = loaded.config.models.baseUrl } = loaded.config.embedding;
  const check = "embedding";
  if (provider === "lexical") return Promise.resolve([ok(check, "lexical: no model, no network")]);
  if (model === undefined)
    return Promise.resolve([fail(check, "embedding.model: not set", "embedding.model: vendor/model")]);
  return checked(
    check,
    async (own) => {
      const listed = await lookAtEmbedding(loaded, model, own);
      if (listed === null)
        return warn(check, `${baseUrl} answers and lists no such models: ${model} is unknown`);
      if (listed) return ok(check, `${model} at ${baseUrl}`);
      return fail(check, `${baseUrl} does not list ${model}`, `curl -sS ${rootOf(baseUrl)}/models`);
    },
    { signal, mend: `curl -sS ${rootOf(baseUrl)}/models` },
  );
}
