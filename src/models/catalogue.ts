import { z } from "zod";
import { UserError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import { type Clock, systemClock } from "./clock.ts";
import { getJson } from "./get-json.ts";
import { type ListedPrices, listedPrices } from "./prices.ts";
import type { Server } from "./server.ts";

const text = z.string().nullish().catch(null);
const tokens = z.number().int().positive().nullish().catch(null);

const cardSchema = z.object({
  id: z.string(),
  canonical_slug: text,
  owned_by: text,
  supported_parameters: z.array(z.string()).nullish().catch(null),
  context_length: tokens,
  max_model_len: tokens, // vLLM
  meta: z.object({ n_ctx: tokens, n_ctx_train: tokens }).nullish().catch(null), // llama.cpp
  pricing: z.unknown().optional(),
  expiration_date: text,
});

/** Ollama without models says null. */
const listSchema = z.object({ data: z.array(cardSchema).nullable() });

export type CatalogueEntry = {
  readonly id: string;
  /** The snapshot that `id` stands for; the server knows the model by this name too. */
  readonly canonicalSlug: string | null;
  readonly ownedBy: string | null;
  /** Null when the server does not list them. */
  readonly parameters: readonly string[] | null;
  /** In tokens, as served. */
  readonly contextLength: number | null;
  /** In tokens, what the model was trained for: the server's window is this or smaller. */
  readonly trainedLength: number | null;
  readonly prices: ListedPrices;
  /** When the model is to be removed: ISO 8601. */
  readonly expires: string | null;
};

/** The models a server says it has, by id. */
export type Catalogue = ReadonlyMap<string, CatalogueEntry>;

type CatalogueOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
  /** OpenRouter lists embedding models apart. */
  readonly of?: "text" | "embeddings";
};

/** Asks GET models; null when the server has no such list. Throws as `getJson` does. */
export async function readCatalogue(
  server: Server,
  { signal, clock = systemClock, of = "text" }: CatalogueOptions = {},
): Promise<Catalogue | null> {
  const path = of === "text" ? "/models" : "/embeddings/models";
  const list = listSchema.safeParse(await getJson(server, path, { clock, signal }));
  if (!list.success) return null;
  return new Map((list.data.data ?? []).map((card) => [card.id, entryOf(card)]));
}

/**
 * Refuses ids the catalogue does not have, all at once. A null catalogue knows nothing and refuses nothing. `advise`
 * may add what to do on this kind of server.
 */
export function requireKnownModels(
  ids: readonly string[],
  catalogue: Catalogue | null,
  advise: (unknown: readonly string[]) => string = () => "",
): void {
  if (catalogue === null) return;
  const unknown = ids.filter((id) => findModel(id, catalogue) === undefined);
  if (unknown.length === 0) return;
  const lines = unknown.map((id) => {
    const near = nearMisses(id, [...catalogue.keys()]);
    return `unknown model "${id}"${near.length === 0 ? "" : `: did you mean ${near.join(" or ")}?`}`;
  });
  const listed = `The server lists ${catalogue.size} model${catalogue.size === 1 ? "" : "s"}${fewNames(catalogue)}.`;
  const advice = advise(unknown);
  throw new UserError([...lines, advice === "" ? listed : `${listed} ${advice}`].join("\n"));
}

/** Ollama lists `name:latest` for what everybody calls `name`; OpenRouter knows a model by its snapshot's name too. */
export function findModel(id: string, catalogue: Catalogue): CatalogueEntry | undefined {
  return (
    catalogue.get(id) ??
    catalogue.get(`${id}:latest`) ??
    [...catalogue.values()].find(({ canonicalSlug }) => canonicalSlug === id)
  );
}

/** A local server has few models, under names that nobody guesses. */
function fewNames(catalogue: Catalogue): string {
  return catalogue.size === 0 || catalogue.size > 3 ? "" : ` (${[...catalogue.keys()].join(", ")})`;
}

/** The same name under another vendor first, then names few letters away; three at most. */
function nearMisses(wanted: string, known: readonly string[]): string[] {
  const name = (id: string): string => id.slice(id.lastIndexOf("/") + 1).toLowerCase();
  const sameName = known.filter((id) => name(id) === name(wanted));
  return [...new Set([...sameName, ...nearest(wanted, known, 3)])].slice(0, 3);
}

function entryOf(card: z.infer<typeof cardSchema>): CatalogueEntry {
  return {
    id: card.id,
    canonicalSlug: card.canonical_slug ?? null,
    ownedBy: card.owned_by ?? null,
    parameters: card.supported_parameters ?? null,
    contextLength: card.context_length ?? card.max_model_len ?? card.meta?.n_ctx ?? null,
    trainedLength: card.meta?.n_ctx_train ?? null,
    prices: listedPrices(card.pricing),
    expires: card.expiration_date ?? null,
  };
}
