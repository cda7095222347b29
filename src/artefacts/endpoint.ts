import { z } from "zod";

/** US dollars per token as the server wrote them (decimal text); null where it names no price of that kind. */
export const pricesSchema = z.object({
  prompt: z.string(),
  completion: z.string(),
  cacheRead: z.string().nullable(),
  cacheWrite: z.string().nullable(),
  /** Per request, whatever its size. */
  request: z.string().nullable(),
});
export type Prices = z.infer<typeof pricesSchema>;

/**
 * Where the requests of one model go for the whole campaign. Found at planning, frozen in the plan and used again on
 * resume: trials from two endpoints are never pooled.
 */
export const endpointSchema = z.object({
  /** As written in the YAML and in paths. */
  model: z.string(),
  /** Root of the server, up to and with `/v1`. */
  baseUrl: z.string(),
  dialect: z.enum(["openrouter", "openai"]),
  /** What requests are pinned to, e.g. `fireworks/fp8`; null on a server that has one endpoint only. */
  tag: z.string().nullable(),
  /** Display name that every answer must carry; null when none is told. */
  provider: z.string().nullable(),
  /** Null when unknown: then it cannot be asked for either. */
  quantization: z.string().nullable(),
  /** In tokens, of this endpoint and not of the model; null when unknown. */
  contextLength: z.number().int().nullable(),
  maxOutputTokens: z.number().int().nullable(),
  /** Optional request parameters it takes; others are not sent. Null when the server lists none and the YAML names none. */
  parameters: z.array(z.string()).nullable(),
  /** Null: what a request costs is unknown unless the server says it. */
  prices: pricesSchema.nullable(),
  /** How the provider's prompt cache is used: `marked` needs marks in the request. */
  cache: z.enum(["marked", "automatic"]),
  /** `configured` when the YAML named the endpoint, `listed` when it was chosen from the server's list. */
  chosen: z.enum(["configured", "listed", "only"]),
});
export type Endpoint = z.infer<typeof endpointSchema>;
