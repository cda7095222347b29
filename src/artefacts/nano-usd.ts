import type { Prices } from "./endpoint.ts";

/** Money is counted in whole billionths of a US dollar: sums of whole numbers do not drift. */
const nanoPlaces = 9;

/** What one or more requests carried, in whole tokens. */
export type PricedTokens = {
  /** Input that did not come from the provider's cache, with what was written to it. */
  readonly uncached: number;
  readonly cached: number;
  /** Part of `uncached`. */
  readonly cacheWrite: number;
  readonly output: number;
  readonly requests: number;
};

/**
 * Tokens × price in nano-dollars, exact and rounded up once at the end. A cache price that is not told is that of
 * uncached input. Null when a price cannot be read (`-1` stands for "not fixed") or the sum is beyond any bill.
 */
export function priceOf(tokens: PricedTokens, prices: Prices): number | null {
  const { uncached, cached, cacheWrite, output, requests } = tokens;
  const parts: readonly (readonly [count: number, price: string])[] = [
    [Math.max(0, uncached - cacheWrite), prices.prompt],
    [cached, prices.cacheRead ?? prices.prompt],
    [cacheWrite, prices.cacheWrite ?? prices.prompt],
    [output, prices.completion],
    [requests, prices.request ?? "0"],
  ];
  const read = parts.map(([count, price]) => ({ count: BigInt(count), price: decimalOf(price) }));
  const known = read.flatMap(({ count, price }) => (price === null ? [] : [{ count, price }]));
  if (known.length < read.length) return null;
  const places = Math.max(...known.map(({ price }) => price.places));
  const sum = known.reduce(
    (total, { count, price }) => total + count * price.units * 10n ** BigInt(places - price.places),
    0n,
  );
  return nanoFrom({ units: sum, places });
}

/** The most that so many tokens can cost: all input at its dearest price, nothing from a cache. */
export function highestPriceOf(
  tokens: { readonly input: number; readonly output: number },
  prices: Prices,
): number | null {
  const plain = { uncached: tokens.input, cached: 0, cacheWrite: 0, output: tokens.output, requests: 1 };
  const fresh = priceOf(plain, prices);
  const written = priceOf({ ...plain, cacheWrite: tokens.input }, prices);
  return fresh === null || written === null ? null : Math.max(fresh, written);
}

/** Above this a number of dollars has no nano-dollars that a number can hold. */
const mostUsd = Number.MAX_SAFE_INTEGER / 10 ** nanoPlaces;

/** Whether a number is an amount of money at all: servers have sent stranger things. */
export function isAmount(usd: number): boolean {
  return usd >= 0 && usd <= mostUsd;
}

/**
 * Nano-dollars of a number of dollars, rounded up. Fifteen digits are all that a number holds faithfully; what is
 * behind them (0.1 + 0.2) is no money. Throws `RangeError` for what `isAmount` refuses.
 */
export function nanoOf(usd: number): number {
  const nano = isAmount(usd) ? nanoFrom(decimalOf(usd.toPrecision(15))) : null;
  if (nano === null) throw new RangeError(`${usd} is no amount of dollars`);
  return nano;
}

/** As people read it: `$12.40`, under a dollar `$0.0123`; null is `unknown`, and little is never shown as nothing. */
export function dollars(nano: number | null): string {
  if (nano === null) return "unknown";
  if (nano === 0) return "$0.00";
  const tenThousandths = rounded(BigInt(nano), 5);
  if (tenThousandths === 0n) return "under $0.0001";
  return tenThousandths < 10_000n ? `$${decimalText(tenThousandths, 4)}` : cents(nano);
}

function cents(nano: number): string {
  return `$${decimalText(rounded(BigInt(nano), 7), 2)}`;
}

/** Half up, without `places` decimal places. */
function rounded(value: bigint, places: number): bigint {
  const unit = 10n ** BigInt(places);
  return (value + unit / 2n) / unit;
}

function decimalText(units: bigint, places: number): string {
  const digits = units.toString().padStart(places + 1, "0");
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** `units` / 10^`places`. */
type Decimal = { readonly units: bigint; readonly places: number };

/** Null for what is not a plain decimal number of at least 0. */
function decimalOf(text: string): Decimal | null {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,2}))?$/i.exec(text.trim()) ?? [];
  if (whole === "" && fraction === "") return null;
  const units = BigInt(whole + fraction);
  const places = fraction.length - Number(exponent);
  return places >= 0 ? { units, places } : { units: units * 10n ** BigInt(-places), places: 0 };
}

function nanoFrom(value: Decimal | null): number | null {
  if (value === null) return null;
  const unit = 10n ** BigInt(value.places);
  const nano = (value.units * 10n ** BigInt(nanoPlaces) + unit - 1n) / unit;
  return nano > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(nano);
}
