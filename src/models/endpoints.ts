import { z } from "zod";
import { type Asking, getJson } from "./get-json.ts";
import { hasOverrides, type ListedPrices, listedPrices } from "./prices.ts";
import type { Server } from "./server.ts";

const tokens = z.number().int().positive().nullish().catch(null);

const cardSchema = z.looseObject({
  tag: z.string().min(1),
  provider_name: z.string().min(1),
  quantization: z.string().nullish().catch(null),
  context_length: tokens,
  max_completion_tokens: tokens,
  supported_parameters: z.array(z.string()).catch([]),
  pricing: z.unknown().optional(),
  status: z.number().nullish().catch(null),
  uptime_last_30m: z.number().nullish().catch(null),
});

/** A card without tag or provider cannot be pinned, so it is left out. */
const answerSchema = z.object({
  data: z.object({ endpoints: z.array(z.union([cardSchema, z.unknown().transform(() => null)])) }),
});

/** One place that serves a model, as OpenRouter lists it. */
export type ListedEndpoint = {
  /** What a request can be pinned to. */
  readonly tag: string;
  /** Display name, as answers carry it. */
  readonly provider: string;
  /** Null when unknown. */
  readonly quantization: string | null;
  /** In tokens. */
  readonly contextLength: number | null;
  readonly maxOutputTokens: number | null;
  readonly parameters: readonly string[];
  readonly prices: ListedPrices;
  /** The prices are the base only. */
  readonly pricesVary: boolean;
  /** Negative: the server sends nothing there by itself. */
  readonly status: number | null;
  /** Per cent of the last 30 minutes. */
  readonly uptime: number | null;
};

/** Asks GET models/{author}/{slug}/endpoints; null when the server has no such list. Throws as `getJson` does. */
export async function readEndpoints(
  server: Server,
  model: string,
  asking: Asking,
): Promise<readonly ListedEndpoint[] | null> {
  // `author/slug:variant` is written as it is; anything else an id may hold is not part of a path.
  const path = model.split("/").map((part) => encodeURIComponent(part).replaceAll("%3A", ":"));
  const answer = answerSchema.safeParse(await getJson(server, `/models/${path.join("/")}/endpoints`, asking));
  if (!answer.success) return null;
  return answer.data.data.endpoints.flatMap((card) => (card === null ? [] : [endpointOf(card)]));
}

function endpointOf(card: z.infer<typeof cardSchema>): ListedEndpoint {
  const { quantization } = card;
  return {
    tag: card.tag,
    provider: card.provider_name,
    quantization: quantization == null || quantization === "unknown" ? null : quantization,
    contextLength: card.context_length ?? null,
    maxOutputTokens: card.max_completion_tokens ?? null,
    parameters: card.supported_parameters,
    prices: listedPrices(card.pricing),
    pricesVary: hasOverrides(card.pricing),
    status: card.status ?? null,
    uptime: card.uptime_last_30m ?? null,
  };
}
