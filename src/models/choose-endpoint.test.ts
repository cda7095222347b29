import { expect, test } from "vitest";
import { fakeEndpoint } from "../testing/endpoints.ts";
import { chooseEndpoint, describeEndpoint, type EndpointNeeds } from "./choose-endpoint.ts";
import type { ListedEndpoint } from "./endpoints.ts";
import { perToken } from "./prices.ts";

const agent: EndpointNeeds = { model: "acme/coder", tools: true, schema: false, tokens: 32_000 };
const judge: EndpointNeeds = { ...agent, tools: false, schema: true };

function at(tag: string, over: Partial<ListedEndpoint> = {}): ListedEndpoint {
  return {
    tag,
    provider: tag,
    quantization: "fp8",
    contextLength: 131_072,
    maxOutputTokens: 16_384,
    parameters: ["tools", "max_tokens", "seed"],
    prices: perToken({ input: 0.6, output: 2.2 }),
    pricesVary: false,
    status: 0,
    uptime: 99.9,
    ...over,
  };
}

/** Each row: the one that is to be chosen comes first, and only what it says makes the difference. */
const rows: readonly [string, EndpointNeeds, ListedEndpoint, readonly ListedEndpoint[]][] = [
  ["takes tools", agent, at("b"), [at("a", { parameters: ["max_tokens"] })]],
  ["judges need no tools", judge, at("a", { parameters: [] }), [at("b", { parameters: [] })]],
  ["large enough", agent, at("b"), [at("a", { contextLength: 31_999 })]],
  ["just large enough", agent, at("a", { contextLength: 32_000 }), [at("b")]],
  ["has a price", agent, at("b"), [at("a", { prices: "varies" }), at("0", { prices: null })]],
  ["up", agent, at("b"), [at("a", { status: -2 })]],
  ["high uptime", agent, at("b"), [at("a", { uptime: 94.9 })]],
  ["a known uptime before an unknown one", agent, at("b"), [at("a", { uptime: null })]],
  ["an unknown uptime before a low one", agent, at("b", { uptime: null }), [at("a", { uptime: 40 })]],
  ["small differences of uptime do not matter", agent, at("a", { uptime: 97 }), [at("b", { uptime: 99 })]],
  ["fp8 before fp4", agent, at("b"), [at("a", { quantization: "fp4" })]],
  ["fp8 before unknown", agent, at("b"), [at("a", { quantization: null })]],
  ["unknown before int4", agent, at("b", { quantization: null }), [at("a", { quantization: "int4" })]],
  ["bf16 is not preferred to fp8", agent, at("a"), [at("b", { quantization: "bf16" })]],
  [
    "quantization before price",
    agent,
    at("b"),
    [at("a", { quantization: "fp4", prices: perToken({ input: 0, output: 0 }) })],
  ],
  ["a schema for judges", judge, at("b", { parameters: ["structured_outputs"] }), [at("a")]],
  ["no schema needed by agents", agent, at("a"), [at("b", { parameters: ["tools", "response_format"] })]],
  ["cheaper", agent, at("b"), [at("a", { prices: perToken({ input: 0.61, output: 2.2 }) })]],
  [
    "input weighs ten times output",
    agent,
    at("b", { prices: perToken({ input: 0.5, output: 3 }) }),
    [at("a")],
  ],
  ["told apart by its tag", agent, at("a/turbo"), [at("a"), at("b")]],
  ["told apart by quantization", agent, at("a"), [at("a/turbo", { quantization: "fp4" }), at("b")]],
  ["the same in all: by tag", agent, at("a"), [at("b"), at("c")]],
];

test.each(rows)("%s", (_name, needs, expected, others) => {
  for (const listed of [
    [expected, ...others],
    [...others, expected],
  ]) {
    expect(chooseEndpoint(listed, needs)).toMatchObject({ kind: "chosen", endpoint: expected });
  }
});

test("a pin is kept although others are better, with what speaks against it", () => {
  const listed = [
    at("alpha/fp8"),
    at("beta/fp4", { quantization: "fp4", uptime: 80, status: -1, pricesVary: true }),
  ];
  const choice = chooseEndpoint(listed, { ...agent, pin: "beta/fp4" });
  expect(choice).toMatchObject({ kind: "chosen", endpoint: { tag: "beta/fp4" } });
  expect(choice.kind === "chosen" && choice.warnings.join(" ")).toMatch(
    /down at present.*80 % of the last 30 minutes.*fp4, below fp8.*base prices/,
  );
  expect(chooseEndpoint(listed, agent)).toMatchObject({ endpoint: { tag: "alpha/fp8" }, warnings: [] });
});

test.each<[string, string]>([
  [
    "fireworks/fp9",
    'models.settings.acme/coder.pin: no endpoint "fireworks/fp9"; did you mean fireworks/fp8?',
  ],
  ["deepinfra", "did you mean deepinfra/fp8 or deepinfra/turbo?"],
  ["zebra", 'no endpoint "zebra"; acme/coder is served at deepinfra/fp8, deepinfra/turbo, fireworks/fp8.'],
])("a pin that is not listed: %s", (pin, words) => {
  const listed = [at("fireworks/fp8"), at("deepinfra/turbo"), at("deepinfra/fp8")];
  const choice = chooseEndpoint(listed, { ...agent, pin });
  expect(choice.kind === "none" && choice.reason).toContain(words);
});

test("a pin that cannot do the work", () => {
  const listed = [
    at("a", { contextLength: 8192 }),
    at("b", { parameters: [] }),
    at("c", { prices: "varies" }),
  ];
  const reason = (pin?: string): unknown => {
    const choice = chooseEndpoint(listed, { ...agent, pin });
    return choice.kind === "none" && choice.reason;
  };
  expect(reason("a")).toContain("a holds 8192 tokens where 32000 are needed");
  expect(reason("b")).toContain("b does not take tools");
  expect(reason("c")).toContain("c names no price");
  // Without a pin every endpoint is named with its reason.
  expect(reason()).toMatch(/a holds 8192.*b does not take tools.*c names no price/);
});

test("a tag that matches another endpoint as well is used with a warning", () => {
  const listed = [at("a"), at("a/turbo")];
  const choice = chooseEndpoint(listed, { ...agent, pin: "a" });
  expect(choice.kind === "chosen" && choice.warnings).toEqual([
    "acme/coder: a cannot be told apart from a/turbo by a request: trials may be served by both.",
  ]);
  expect(chooseEndpoint(listed, agent)).toMatchObject({ endpoint: { tag: "a/turbo" }, warnings: [] });
});

test("a model that nobody serves", () => {
  expect(chooseEndpoint([], agent)).toEqual({
    kind: "none",
    reason: "acme/coder: no endpoint serves it at present.",
  });
});

test("the printed line", () => {
  const prices = perToken({ input: 0.6, output: 2.2 });
  expect(describeEndpoint(fakeEndpoint({ tag: "fireworks/fp8", contextLength: 131_072, prices }))).toBe(
    "acme/coder at fireworks/fp8 (fp8, 131072 tokens, $0.60/$2.20 per million)",
  );
  const local = fakeEndpoint({
    model: "llama3",
    baseUrl: "http://127.0.0.1:11434/v1",
    tag: null,
    quantization: null,
    contextLength: null,
    prices: null,
  });
  expect(describeEndpoint(local)).toBe(
    "llama3 at http://127.0.0.1:11434/v1 (quantization unknown, window unknown, price unknown)",
  );
});
