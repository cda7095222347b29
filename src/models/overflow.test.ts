import { describe, expect, test } from "vitest";
import { errorBodyOf } from "./fault.ts";
import { isOverflow, lowerLimit } from "./overflow.ts";

const upstream = (raw: unknown): unknown => ({ message: "Provider returned error", metadata: { raw } });

describe("an overflow is known by", () => {
  const rows: readonly (readonly [name: string, status: number, error: unknown])[] = [
    ["OpenRouter's type", 400, { metadata: { error_type: "context_length_exceeded" } }],
    ["llama.cpp's type", 400, { type: "exceed_context_size_error" }],
    ["OpenAI's code", 400, { code: "context_length_exceeded" }],
    ["words in a 500", 500, { message: "Context size has been exceeded" }],
    ["words of the provider", 400, upstream("prompt is too long: 210000 tokens > 200000 maximum")],
    [
      "words of the provider in an object",
      400,
      upstream({ message: "Input is too long for requested model." }),
    ],
    [
      "Gemini's words",
      400,
      upstream("The input token count (9) exceeds the maximum number of tokens allowed"),
    ],
  ];
  test.each(rows)("%s", (_name, status, error) => {
    expect(isOverflow(status, errorBodyOf(error))).toBe(true);
  });

  test.each([
    [
      "too many tokens for this minute",
      429,
      { message: "Too many tokens, please wait before trying again." },
    ],
    ["another bad request", 400, { message: "Invalid request parameters" }],
  ] as const)("and not by %s", (_name, status, error) => {
    expect(isOverflow(status, errorBodyOf(error))).toBe(false);
  });
});

describe("the limit with which a request would fit", () => {
  const prompt = 3000;
  const say = {
    router: (window: number) =>
      `This endpoint's maximum context length is ${window} tokens. However, you requested about 99999 tokens (${prompt} of text input, 8192 in the output).`,
    openAi: (window: number) =>
      `This model's maximum context length is ${window} tokens. However, you requested 99999 tokens (${prompt} in the messages, 8192 in the completion).`,
    vllm: (window: number) =>
      `'max_tokens' is too large: 8192. This model's maximum context length is ${window} tokens and your request has ${prompt} input tokens (8192 > ${window} - ${prompt}).`,
    anthropic: (window: number) =>
      `input length and \`max_tokens\` exceed context limit: ${prompt} + 8192 > ${window}, decrease input length or \`max_tokens\` and try again`,
  };

  test.each(Object.keys(say) as (keyof typeof say)[])("is read from the words of %s", (server) => {
    for (const room of [2000, 8000]) {
      const limit = lowerLimit(errorBodyOf(upstream(say[server](prompt + room))), 8192) ?? 0;
      // Room for an estimate that is off by one in a hundred.
      expect(limit).toBeLessThanOrEqual(room);
      expect(limit).toBeGreaterThanOrEqual(room - prompt / 100);
    }
  });

  test("is read from llama.cpp's numbers", () => {
    const error = errorBodyOf({ n_prompt_tokens: 1000, n_ctx: 4096 });
    expect(lowerLimit(error, 8192)).toBe(4096 - 1000 - 1000 / 100);
  });

  test.each([
    { name: "too little room", error: { message: say.router(prompt + 1023) }, maxTokens: 8192 },
    { name: "a prompt over the window", error: { n_prompt_tokens: 4390, n_ctx: 4096 }, maxTokens: 8192 },
    {
      name: "less wanted than there is room for",
      error: { message: say.router(prompt + 4000) },
      maxTokens: 2000,
    },
    { name: "no numbers", error: { message: "prompt is too long" }, maxTokens: 8192 },
  ])("there is none: $name", ({ error, maxTokens }) => {
    expect(lowerLimit(errorBodyOf(error), maxTokens)).toBeUndefined();
  });

  test("is 1024 at least", () => {
    expect(lowerLimit(errorBodyOf({ message: say.router(prompt + 1024) }), 8192)).toBe(1024);
  });
});
