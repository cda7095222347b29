import { z } from "zod";
import { UserError } from "../errors.ts";
import { type Asking, getJson } from "./get-json.ts";
import type { Server } from "./server.ts";

const amount = z.number().nullish().catch(null);

// `label` holds part of the key and is not read.
const keySchema = z.object({
  data: z.object({
    limit: amount,
    limit_remaining: amount,
    is_free_tier: z.boolean().nullish().catch(null),
    free_model_daily_requests: z.object({ limit: amount, remaining: amount }).nullish().catch(null),
  }),
});

export type KeyState = {
  /** What may still be spent with this key; null: no limit of its own, or not told. */
  readonly limitRemainingUsd: number | null;
  readonly warnings: readonly string[];
};

/**
 * Asks GET key (openrouter.md §3, §14). Throws `UserError` when the key is refused or its limit is used up. `free`:
 * models of the campaign that cost nothing and are limited by the day.
 */
export async function readKey(server: Server, free: readonly string[], asking: Asking): Promise<KeyState> {
  const answer = keySchema.safeParse(await getJson(server, "/key", asking));
  if (!answer.success) {
    const warning = `${server.baseUrl} tells nothing about the key: whether its limit suffices is unknown.`;
    return { limitRemainingUsd: null, warnings: [warning] };
  }
  const { limit, limit_remaining, is_free_tier, free_model_daily_requests: daily } = answer.data.data;
  const limitRemainingUsd = limit_remaining ?? null;
  if (limitRemainingUsd !== null && limitRemainingUsd <= 0) {
    throw new UserError(
      `The key from ${server.keyVariable} has used up its limit${limit == null ? "" : ` of $${limit}`}. Raise it, then give the same command again.`,
    );
  }
  const warnings: string[] = [];
  if (is_free_tier === true && free.length === 0) {
    warnings.push("The account has never bought credits: models that cost money will refuse it.");
  }
  if (free.length > 0) {
    const perDay = daily?.limit ?? (is_free_tier === true ? "few" : null);
    const today = daily?.remaining == null ? "" : `, ${daily.remaining} of them are left today (UTC)`;
    const perDayWords = perDay === null ? "a limited number a day" : `${perDay} a day`;
    warnings.push(`${free.join(", ")}: free models take 20 requests a minute and ${perDayWords}${today}.`);
  }
  return { limitRemainingUsd, warnings };
}
