import type { Endpoint } from "../artefacts/endpoint.ts";
import type { AttemptLine, LedgerLine, SettledLine } from "../artefacts/ledger.ts";
import { dollars, priceOf } from "../artefacts/nano-usd.ts";
import { trialName, type TrialUsage } from "../artefacts/trial.ts";
import { type CampaignFound, valueOf } from "./found.ts";
import type { Difference } from "../artefacts/verification.ts";
import type { Look } from "./look.ts";

/** Every request was for the plan, went to its endpoint, and every estimated cost is its price × the tokens counted. */
export function checkPrices({ plan, ledger }: CampaignFound): Look {
  if (ledger.kind === "unreadable") return unreadable(ledger.words);
  const lines = valueOf(ledger) ?? [];
  const attempts = new Map(
    lines.flatMap((line) => (line.kind === "attempt" ? [[line.id, line] as const] : [])),
  );
  const endpoints = new Map(plan.endpoints.map((endpoint) => [endpoint.model, endpoint]));
  const planned = new Set(plan.trials.map(trialName));
  let estimates = 0;
  const differences = [...lines.entries()].flatMap(([at, line]): readonly Difference[] => {
    const attempt = line.kind === "settled" ? attempts.get(line.id) : line;
    if (attempt === undefined) return [];
    const place = `ledger.jsonl:${at + 1}`;
    const endpoint = endpoints.get(attempt.model);
    if (endpoint === undefined || endpoint.tag !== attempt.tag) return [elsewhere(place, attempt, endpoint)];
    if (
      line.kind === "attempt" &&
      line.role === "agent" &&
      line.subject !== null &&
      !planned.has(line.subject)
    ) {
      return [{ place, expected: "a request for a planned trial", came: line.subject }];
    }
    if (line.kind === "begun" || attempt.kind === "begun" || line.source !== "estimated") return [];
    const expected = costOf(attempt, endpoint);
    if (expected === null) return [];
    estimates++;
    return expected === line.costNanoUsd ? [] : [otherCost(place, expected, line)];
  });
  const words = `${attempts.size} request attempts against the plan's endpoints; ${estimates} estimated cost(s) against its prices`;
  return { differences, words };
}

/** What no provider told is null in the record of a trial, never 0. */
export function checkUnavailable({ trials, ledger }: CampaignFound): Look {
  if (ledger.kind === "unreadable") return unreadable(ledger.words);
  const turns = new Map<string, AttemptLine[]>();
  for (const line of valueOf(ledger) ?? []) {
    if (line.kind !== "attempt" || line.role !== "agent" || line.outcome !== "turn" || line.subject === null)
      continue;
    const known = turns.get(line.subject);
    if (known === undefined) turns.set(line.subject, [line]);
    else known.push(line);
  }
  const differences: Difference[] = [];
  let compared = 0;
  for (const { planned, trial } of trials) {
    const usage = valueOf(trial)?.usage;
    const asked = turns.get(trialName(planned)) ?? [];
    if (usage === undefined || asked.length === 0) continue;
    compared++;
    for (const [name, isTold] of told) {
      if (usage[name] === null || asked.some(isTold)) continue;
      differences.push({
        place: `trials/${trialName(planned)}/trial.json: usage.${name}`,
        expected: `null: none of its ${asked.length} answers in ledger.jsonl tells it`,
        came: String(usage[name]),
      });
    }
  }
  return { differences, words: `usage of ${compared} trials against the ledger` };
}

type Told = readonly [
  name: keyof Pick<TrialUsage, "inputTokens" | "cachedInputTokens" | "outputTokens" | "costUsd">,
  isTold: (attempt: AttemptLine) => boolean,
];

const told: readonly Told[] = [
  ["inputTokens", ({ inputTokens }) => inputTokens !== null],
  ["cachedInputTokens", ({ cachedInputTokens }) => cachedInputTokens !== null],
  ["outputTokens", ({ outputTokens }) => outputTokens !== null],
  ["costUsd", ({ source }) => source === "reported"],
];

function unreadable(came: string): Look {
  return {
    differences: [{ place: "ledger.jsonl", expected: "a ledger that can be read", came }],
    words: "nothing, since the ledger cannot be read",
  };
}

function elsewhere(
  place: string,
  { model, tag }: Exclude<LedgerLine, SettledLine>,
  endpoint: Endpoint | undefined,
): Difference {
  const came = `${model} at ${tag ?? "its only endpoint"}`;
  if (endpoint === undefined) return { place, expected: "a model that the plan has an endpoint of", came };
  return { place, expected: `${model} at ${endpoint.tag ?? "its only endpoint"}, as planned`, came };
}

function otherCost(place: string, expected: number, { costNanoUsd }: AttemptLine | SettledLine): Difference {
  const words = `${expected} billionths of a dollar (${dollars(expected)}), the plan's price × tokens`;
  return { place, expected: words, came: `${costNanoUsd ?? "unknown"} (${dollars(costNanoUsd)})` };
}

/** Null where not all was counted: then the cost was guessed from the text, which is not kept. */
function costOf(attempt: AttemptLine, { prices }: Endpoint): number | null {
  const { inputTokens, outputTokens } = attempt;
  if (prices === null || inputTokens === null || outputTokens === null) return null;
  const cached = Math.min(inputTokens, attempt.cachedInputTokens ?? 0);
  const uncached = inputTokens - cached;
  const cacheWrite = Math.min(uncached, attempt.cacheWriteTokens ?? 0);
  return priceOf({ uncached, cached, cacheWrite, output: outputTokens, requests: 1 }, prices);
}
