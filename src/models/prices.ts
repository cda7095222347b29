import { z } from "zod";
import type { Prices } from "../artefacts/endpoint.ts";

type Amount = number | string;

/** US dollars per million tokens, as people write prices. */
export type PricesPerMillion = {
  readonly input: Amount;
  readonly output: Amount;
  readonly cacheRead?: Amount | undefined;
  readonly cacheWrite?: Amount | undefined;
};

/** `varies`: a router that sends each request to a model of its choice and says -1. Null: none named. */
export type ListedPrices = Prices | "varies" | null;

const amount = z.union([z.string(), z.number()]).nullish().catch(null);

const pricingSchema = z.object({
  prompt: amount,
  completion: amount,
  request: amount,
  input_cache_read: amount,
  input_cache_write: amount,
  overrides: z.array(z.unknown()).nullish().catch(null),
});

/** Reads the `pricing` of a model or endpoint card: US dollars per token, as text or as numbers. */
export function listedPrices(pricing: unknown): ListedPrices {
  const read = pricingSchema.safeParse(pricing);
  if (!read.success) return null;
  const { prompt, completion, request, input_cache_read, input_cache_write } = read.data;
  if (prompt == null || completion == null) return null;
  if (Number(prompt) < 0 || Number(completion) < 0) return "varies";
  const [input, output] = [decimal(prompt), decimal(completion)];
  if (input === null || output === null) return null;
  return {
    prompt: input,
    completion: output,
    cacheRead: decimal(input_cache_read),
    cacheWrite: decimal(input_cache_write),
    request: decimal(request),
  };
}

/** Whether the listed prices are only the base: others hold from a prompt size upwards or at some hours. */
export function hasOverrides(pricing: unknown): boolean {
  return (pricingSchema.safeParse(pricing).data?.overrides ?? []).length > 0;
}

export function perToken({ input, output, cacheRead, cacheWrite }: PricesPerMillion): Prices | null {
  const [prompt, completion] = [decimal(input, -6), decimal(output, -6)];
  if (prompt === null || completion === null) return null;
  return {
    prompt,
    completion,
    cacheRead: decimal(cacheRead, -6),
    cacheWrite: decimal(cacheWrite, -6),
    request: null,
  };
}

/** `$0.60/$2.20 per million`: input and output. */
export function describePrices({ prompt, completion }: Prices): string {
  const dollars = (text: string): string => `$${withCents(decimal(text, 6) ?? text)}`;
  return `${dollars(prompt)}/${dollars(completion)} per million`;
}

/** The same number times 10^shift as plain decimal text, exactly; null for what is no number of 0 or more. */
export function decimal(value: Amount | null | undefined, shift = 0): string | null {
  const parts = /^(\d+)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(String(value).trim());
  if (parts === null) return null;
  const [, whole = "", fraction = "", exponent = "0"] = parts;
  const point = whole.length + Number(exponent) + shift;
  if (Math.abs(point) > 100) return null;
  const digits = (whole + fraction).padEnd(point, "0");
  const before = point <= 0 ? "0" : digits.slice(0, point);
  const after = point <= 0 ? "0".repeat(-point) + digits : digits.slice(point);
  return `${before.replace(/^0+(?=\d)/, "")}.${after}`.replace(/\.?0*$/, "");
}

function withCents(text: string): string {
  const [whole = "0", fraction = ""] = text.split(".");
  return `${whole}.${fraction.padEnd(2, "0")}`;
}
