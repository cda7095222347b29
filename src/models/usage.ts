import { z } from "zod";
import type { Usage } from "./port.ts";

const count = z.number().nonnegative().nullish().catch(null);

const usageSchema = z
  .object({
    prompt_tokens: count,
    completion_tokens: count,
    cost: count,
    is_byok: z.boolean().nullish().catch(null),
    prompt_tokens_details: z
      .object({ cached_tokens: count, cache_write_tokens: count })
      .nullish()
      .catch(null),
    completion_tokens_details: z.object({ reasoning_tokens: count }).nullish().catch(null),
    cost_details: z.object({ upstream_inference_cost: count }).nullish().catch(null),
  })
  .catch({});

/**
 * Reads a completion's `usage` (openrouter.md §9). `prompt_tokens` includes the cached ones, so the split is known
 * only when both numbers are. What the server did not say is null.
 */
export function readUsage(value: unknown): Usage {
  const usage = usageSchema.parse(value);
  const prompt = usage.prompt_tokens ?? null;
  const cached = usage.prompt_tokens_details?.cached_tokens ?? null;
  return {
    inputTokens: prompt,
    uncachedInputTokens: prompt === null || cached === null ? null : Math.max(0, prompt - cached),
    cachedInputTokens: prompt === null ? null : cached,
    cacheWriteTokens: usage.prompt_tokens_details?.cache_write_tokens ?? null,
    outputTokens: usage.completion_tokens ?? null,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? null,
    costUsd: costOf(usage),
  };
}

/** With the user's own provider key the upstream bill comes on top; without it, it is already inside `cost`. */
function costOf(usage: z.infer<typeof usageSchema>): number | null {
  const cost = usage.cost ?? null;
  if (cost === null || usage.is_byok !== true) return cost;
  const upstream = usage.cost_details?.upstream_inference_cost ?? null;
  return upstream === null ? null : cost + upstream;
}
