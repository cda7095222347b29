import { z } from "zod";
import { InfrastructureError, UserError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import { type Clock, systemClock } from "./clock.ts";
import { type Fault, faultOf } from "./fault.ts";
import { withOwnSignal } from "./own-signal.ts";
import type { Server } from "./server.ts";
import { type Attempt, withRetries } from "./with-retries.ts";

const cardSchema = z.object({
  id: z.string(),
  supported_parameters: z.array(z.string()).nullish().catch(null),
  context_length: z.number().nullish().catch(null),
});

const listSchema = z.object({ data: z.array(cardSchema) });

export type CatalogueEntry = {
  readonly id: string;
  /** Null when the server does not list them. */
  readonly parameters: readonly string[] | null;
  /** In tokens. */
  readonly contextLength: number | null;
};

/** The models a server says it has, by id. */
export type Catalogue = ReadonlyMap<string, CatalogueEntry>;

/**
 * Asks GET models. Null when the server has no such list. Throws `UserError` when the key is refused or the
 * address is wrong, `InfrastructureError` when the server cannot be reached.
 */
export async function readCatalogue(
  server: Server,
  options: { readonly signal?: AbortSignal; readonly clock?: Clock } = {},
): Promise<Catalogue | null> {
  const { signal, clock = systemClock } = options;
  const send = async (): Promise<Attempt<unknown>> => {
    try {
      return {
        kind: "done",
        value: await withOwnSignal(signal, (own) => server.client.get<unknown>("/models", { signal: own })),
      };
    } catch (error) {
      signal?.throwIfAborted();
      const fault = faultOf(error);
      return hasNoList(fault) ? { kind: "done", value: null } : { kind: "fault", fault };
    }
  };
  const answer = await withRetries(send, { clock, secret: server.key, signal });
  if (answer.kind === "failure") {
    const message = `${server.baseUrl}/models: ${answer.message}`;
    if (answer.failure === "infrastructure") throw new InfrastructureError(`${message}. Is the server up?`);
    throw new UserError(`${message} (key from ${server.keyVariable})`);
  }
  const list = listSchema.safeParse(answer.value);
  if (!list.success) return null;
  return new Map(list.data.data.map((card) => [card.id, entryOf(card)]));
}

/** Refuses ids the catalogue does not have, all at once. A null catalogue knows nothing and refuses nothing. */
export function requireKnownModels(ids: readonly string[], catalogue: Catalogue | null): void {
  if (catalogue === null) return;
  const unknown = ids.filter((id) => findModel(id, catalogue) === undefined);
  if (unknown.length === 0) return;
  const lines = unknown.map((id) => {
    const near = nearMisses(id, [...catalogue.keys()]);
    return `unknown model "${id}"${near.length === 0 ? "" : `: did you mean ${near.join(" or ")}?`}`;
  });
  throw new UserError(`${lines.join("\n")}\nThe server lists ${catalogue.size} models.`);
}

/** Ollama lists `name:latest` for what everybody calls `name`. */
export function findModel(id: string, catalogue: Catalogue): CatalogueEntry | undefined {
  return catalogue.get(id) ?? catalogue.get(`${id}:latest`);
}

/** The same name under another vendor first, then names few letters away; three at most. */
function nearMisses(wanted: string, known: readonly string[]): string[] {
  const name = (id: string): string => id.slice(id.lastIndexOf("/") + 1).toLowerCase();
  const sameName = known.filter((id) => name(id) === name(wanted));
  return [...new Set([...sameName, ...nearest(wanted, known, 3)])].slice(0, 3);
}

/** 404, 405 and 501 say that there is no list; so does a server that answers unknown paths with a string in a 200. */
function hasNoList(fault: Fault): boolean {
  return fault.kind === "response" && [404, 405, 501].includes(fault.status);
}

function entryOf(card: z.infer<typeof cardSchema>): CatalogueEntry {
  return {
    id: card.id,
    parameters: card.supported_parameters ?? null,
    contextLength: card.context_length ?? null,
  };
}
