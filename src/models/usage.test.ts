import { expect, test } from "vitest";
import type { Usage } from "./port.ts";
import { readUsage } from "./usage.ts";

const unknown: Usage = {
  inputTokens: null,
  uncachedInputTokens: null,
  cachedInputTokens: null,
  cacheWriteTokens: null,
  outputTokens: null,
  reasoningTokens: null,
  costUsd: null,
};
const counts = { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 60 } };
const known: Usage = {
  ...unknown,
  inputTokens: 100,
  uncachedInputTokens: 40,
  cachedInputTokens: 60,
  cacheWriteTokens: null,
  outputTokens: 7,
};

const rows: readonly (readonly [name: string, sent: unknown, expected: Usage])[] = [
  ["no usage at all", undefined, unknown],
  ["usage of another type", "many", unknown],
  ["prompt tokens include the cached ones", counts, known],
  [
    "without details the split is not known",
    { ...counts, prompt_tokens_details: null },
    { ...unknown, inputTokens: 100, outputTokens: 7 },
  ],
  ["a cached count alone splits nothing", { prompt_tokens_details: { cached_tokens: 60 } }, unknown],
  ["a cost of null is unknown", { ...counts, cost: null }, known],
  ["a cost of 0 is what the server said", { ...counts, cost: 0 }, { ...known, costUsd: 0 }],
  [
    "the upstream bill is inside the cost",
    { ...counts, cost: 0.5, is_byok: false, cost_details: { upstream_inference_cost: 0.5 } },
    { ...known, costUsd: 0.5 },
  ],
  [
    "with an own key it comes on top",
    { ...counts, cost: 0.25, is_byok: true, cost_details: { upstream_inference_cost: 0.5 } },
    { ...known, costUsd: 0.75 },
  ],
  ["with an own key and no bill, unknown", { ...counts, cost: 0, is_byok: true }, known],
  [
    "one odd field spoils only itself",
    { ...counts, cost: "cheap", completion_tokens_details: { reasoning_tokens: 3 } },
    { ...known, reasoningTokens: 3 },
  ],
];

test.each(rows)("%s", (_name, sent, expected) => {
  expect(readUsage(sent)).toEqual(expected);
});
