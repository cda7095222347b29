import type { Endpoint } from "../artefacts/endpoint.ts";

/** The first endpoint of the fake server's acme/coder, with what it lists and charges by default. */
export function fakeEndpoint(over: Partial<Endpoint> = {}): Endpoint {
  return {
    model: "acme/coder",
    baseUrl: "http://127.0.0.1/api/v1",
    dialect: "openrouter",
    tag: "alpha/fp8",
    provider: "Alpha",
    quantization: "fp8",
    contextLength: 128_000,
    maxOutputTokens: 16_384,
    parameters: ["tools", "max_tokens", "temperature", "seed", "response_format", "reasoning"],
    prices: {
      prompt: "0.000001",
      completion: "0.000005",
      cacheRead: "0.0000001",
      cacheWrite: "0.00000125",
      request: "0",
    },
    cache: "automatic",
    chosen: "listed",
    ...over,
  };
}
