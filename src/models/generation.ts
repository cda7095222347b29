import pLimit from "p-limit";
import { z } from "zod";
import type { Prices } from "../artefacts/endpoint.ts";
import type { AttemptLine, SettledLine } from "../artefacts/ledger.ts";
import { isAmount, nanoOf } from "../artefacts/nano-usd.ts";
import { tokensCost } from "./booking.ts";
import { classifyFault } from "./classify-error.ts";
import type { Clock } from "./clock.ts";
import { describeFault, faultOf } from "./fault.ts";
import { withOwnSignal } from "./own-signal.ts";
import type { Server } from "./server.ts";

const amount = z.number().nullish().catch(null);

const generationSchema = z.object({
  data: z.object({
    total_cost: amount,
    is_byok: z.boolean().nullish().catch(null),
    upstream_inference_cost: amount,
  }),
});

export type GenerationOptions = {
  /** The server that answered these attempts. */
  readonly server: Server;
  /** For attempts the server tells nothing about. */
  readonly pricesOf: (attempt: AttemptLine) => Prices | null;
  /** The ledger's. Called as soon as a cost is known, so that a kill loses little. */
  readonly settle: (found: Omit<SettledLine, "kind" | "at">) => void;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
};

/** How many attempts were settled, and how. */
export type Settling = {
  readonly generation: number;
  readonly estimated: number;
  /** Still unknown: neither the server nor the tokens say anything. */
  readonly unknown: number;
  /** Why the server was not asked to the end; null when it was. */
  readonly trouble: string | null;
};

/** The waits between two rounds: a minute in all. A generation is not found for up to some seconds after its answer. */
const waitsMs = [1000, 2000, 4000, 8000, 15_000, 15_000, 15_000];
const atOnce = 8;

/**
 * Asks GET generation what attempts of unknown cost did cost (openrouter.md §9), after the trials and never in one:
 * it takes up to a minute. What the server does not tell is estimated by price × tokens, where those were counted.
 * Never throws for what the server does; throws the signal's reason when it aborts.
 */
export async function settleGenerations(
  unsettled: readonly AttemptLine[],
  options: GenerationOptions,
): Promise<Settling> {
  const { server, settle } = options;
  const asked = server.dialect === "openrouter" ? await askInRounds(unsettled, options) : null;
  const left = asked?.left ?? unsettled;
  const estimates = left.flatMap((attempt) => {
    const prices = options.pricesOf(attempt);
    const costNanoUsd = prices === null ? null : tokensCost(attempt, prices);
    return costNanoUsd === null ? [] : [{ id: attempt.id, costNanoUsd, source: "estimated" as const }];
  });
  for (const estimate of estimates) settle(estimate);
  return {
    generation: unsettled.length - left.length,
    estimated: estimates.length,
    unknown: left.length - estimates.length,
    trouble: asked?.trouble ?? null,
  };
}

async function askInRounds(
  unsettled: readonly AttemptLine[],
  { server, settle, clock, signal }: GenerationOptions,
): Promise<{ readonly left: readonly AttemptLine[]; readonly trouble: string | null }> {
  const limit = pLimit(atOnce);
  let left = unsettled.filter(({ generation }) => generation !== null);
  const never = unsettled.filter(({ generation }) => generation === null);
  const troubles: string[] = [];
  for (const waitMs of [0, ...waitsMs]) {
    if (left.length === 0) break;
    if (waitMs > 0) await clock.sleep(waitMs, signal);
    const round = left.map((attempt) =>
      limit(async () => {
        if (troubles.length > 0) return [attempt];
        const answer = await askFor(attempt, { server, now: clock.now(), signal });
        if (answer.kind === "trouble") troubles.push(answer.words);
        if (answer.kind !== "cost") return [attempt];
        settle({ id: attempt.id, costNanoUsd: answer.nanoUsd, source: "generation" });
        return [];
      }),
    );
    left = (await Promise.all(round)).flat();
    if (troubles.length > 0) break;
  }
  return { left: [...left, ...never], trouble: troubles[0] ?? null };
}

type Answer =
  | { readonly kind: "cost"; readonly nanoUsd: number }
  | { readonly kind: "not_yet" }
  /** Asking for another one would end in the same way. */
  | { readonly kind: "trouble"; readonly words: string };

async function askFor(
  { generation }: AttemptLine,
  {
    server,
    now,
    signal,
  }: { readonly server: Server; readonly now: number; readonly signal: AbortSignal | undefined },
): Promise<Answer> {
  let body: unknown;
  try {
    body = await withOwnSignal(signal, (own) =>
      server.client.get<unknown>("/generation", { query: { id: generation }, signal: own }),
    );
  } catch (error) {
    signal?.throwIfAborted();
    const fault = faultOf(error);
    const notFound = fault.kind === "response" && fault.status === 404;
    if (notFound || classifyFault(fault, now).kind === "retry") return { kind: "not_yet" };
    return { kind: "trouble", words: `${server.baseUrl}/generation: ${describeFault(fault, server.key)}` };
  }
  const usd = costOf(body);
  return usd !== null && isAmount(usd) ? { kind: "cost", nanoUsd: nanoOf(usd) } : { kind: "not_yet" };
}

/** As with `usage.cost`: with the user's own provider key the upstream bill comes on top. */
function costOf(body: unknown): number | null {
  const generation = generationSchema.safeParse(body).data?.data;
  const cost = generation?.total_cost ?? null;
  if (cost === null || generation?.is_byok !== true) return cost;
  const upstream = generation.upstream_inference_cost ?? null;
  return upstream === null ? null : cost + upstream;
}
