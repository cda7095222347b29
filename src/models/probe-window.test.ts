import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { BudgetError, InfrastructureError, UserError } from "../errors.ts";
import { fakeEndpoint } from "../testing/endpoints.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import {
  type LocalAnswer,
  type LocalRequest,
  type LocalServer,
  startLocalServer,
} from "../testing/local-server.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { openAiChatModel } from "./openai-chat.ts";
import { needsWindowProbe, probeWindow, type WindowProbe } from "./probe-window.ts";
import { modelServer } from "./server.ts";

let server: LocalServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

type Make = {
  /** In the server's own tokens; what is longer loses its front, its middle, or is refused. */
  readonly window: number;
  readonly cuts: "front" | "middle" | "refuses";
  /** Our four letters are so many of its tokens. */
  readonly density?: number;
  /** Gives back the secrets it sees; false: thinks until its sixteen tokens are used up. */
  readonly answers?: boolean;
  readonly counts?: boolean;
};

const body = z.object({ messages: z.array(z.object({ content: z.string() })) });

/** A local server whose model has read what is left of the prompt. */
function local({
  window,
  cuts,
  density = 1,
  answers = true,
  counts = true,
}: Make): (request: LocalRequest) => LocalAnswer {
  return ({ body: sent }) => {
    const prompt = body
      .parse(sent)
      .messages.map(({ content }) => content)
      .join("\n");
    const lettersPerToken = 4.4 / density;
    const tokens = Math.ceil(prompt.length / lettersPerToken);
    if (tokens > window && cuts === "refuses") {
      const message = `the request exceeds the available context size (${window} tokens), try increasing it`;
      const error = {
        code: 400,
        message,
        type: "exceed_context_size_error",
        n_prompt_tokens: tokens,
        n_ctx: window,
      };
      return { status: 400, json: { error } };
    }
    const kept = Math.min(tokens, window);
    const letters = Math.floor(kept * lettersPerToken);
    const half = Math.floor(letters / 2);
    const seen =
      tokens <= window
        ? prompt
        : cuts === "front"
          ? prompt.slice(-letters)
          : prompt.slice(0, half) + prompt.slice(-half);
    const secrets = [...seen.matchAll(/secret word is (\w+)/g)].map(([, word]) => word);
    return {
      json: {
        id: "chatcmpl-1",
        object: "chat.completion",
        model: "llama3",
        choices: [
          {
            index: 0,
            finish_reason: answers ? "stop" : "length",
            message: {
              role: "assistant",
              content: answers ? `They are ${secrets.join(" and ")}.` : "Let me",
            },
          },
        ],
        ...(counts ? { usage: { prompt_tokens: kept, completion_tokens: 8, total_tokens: kept + 8 } } : {}),
      },
    };
  };
}

async function probe(make: Make, expectedTokens = 12_000): Promise<WindowProbe> {
  server = await startLocalServer(local(make));
  const baseUrl = `${server.url}/v1`;
  const endpoint = fakeEndpoint({
    model: "llama3",
    baseUrl,
    dialect: "openai",
    tag: null,
    contextLength: null,
  });
  const opened = modelServer({ baseUrl, env: {} });
  const model = openAiChatModel({ server: opened, endpoint, role: "probe", clock: fakeClock() });
  // The port is a free one; the hint goes by Ollama's own.
  return probeWindow(model, { expectedTokens, baseUrl: "http://127.0.0.1:11434/v1" });
}

test("a window that is large enough costs one small answer", async () => {
  expect(await probe({ window: 32_768, cuts: "front" })).toEqual({ kind: "whole" });
  expect(server!.requests).toHaveLength(1);
  expect(server!.requests[0]?.body).toMatchObject({ max_tokens: 16 });
});

test.each<[string, Make]>([
  ["Ollama's 4096, the front is lost", { window: 4096, cuts: "front" }],
  ["the middle is lost", { window: 4096, cuts: "middle" }],
  ["a little is lost", { window: 10_000, cuts: "front" }],
  ["a model that thinks and answers nothing", { window: 4096, cuts: "front", answers: false }],
  ["a tokenizer that makes more tokens", { window: 4096, cuts: "front", density: 1.5 }],
  ["a server that does not count", { window: 4096, cuts: "front", counts: false }],
])("cut without a word: %s", async (_name, make) => {
  const probed = probe(make);
  await expect(probed).rejects.toThrow(UserError);
  await expect(probed).rejects.toThrow(/^llama3: .*prompt.*Modelfile.*num_ctx/);
  expect(server!.requests).toHaveLength(2);
});

test("how much arrived is said", async () => {
  await expect(probe({ window: 4096, cuts: "front" })).rejects.toThrow(
    /only 4096 of about 1[0-4]\d{3} tokens/,
  );
});

test("a server that refuses a long prompt says so itself", async () => {
  const probed = probe({ window: 4096, cuts: "refuses" });
  await expect(probed).rejects.toThrow(UserError);
  await expect(probed).rejects.toThrow(/prompt of 12000 tokens does not fit its window/);
});

test.each<[string, Make]>([
  ["a model that thinks", { window: 32_768, cuts: "front", answers: false }],
  ["a model that thinks, more tokens", { window: 32_768, cuts: "front", answers: false, density: 1.5 }],
  ["a model that thinks, fewer tokens", { window: 32_768, cuts: "front", answers: false, density: 0.7 }],
])("the count alone shows that all arrived: %s", async (_name, make) => {
  expect(await probe(make)).toEqual({ kind: "whole" });
});

test("neither counts nor secrets: it cannot be told", async () => {
  const probed = await probe({ window: 32_768, cuts: "front", answers: false, counts: false });
  expect(probed).toMatchObject({
    kind: "unknown",
    warning: expect.stringMatching(/^llama3: .*unknown/) as string,
  });
});

test("a beginning that is counted but not given back is a warning", async () => {
  const model = scriptedModel([
    { say: "I do not know.", usage: { inputTokens: 12_100 } },
    { say: "copper meadow", usage: { inputTokens: 1010 } },
  ]);
  const probed = await probeWindow(model, { expectedTokens: 12_000, baseUrl: "http://127.0.0.1/v1" });
  expect(probed).toMatchObject({
    kind: "unknown",
    warning: expect.stringContaining("does not give back") as string,
  });
});

test("secrets found while thinking count", async () => {
  const model = scriptedModel([{ say: null, echo: { reasoning_content: "Lantern and harbour, they" } }]);
  const probed = await probeWindow(model, { expectedTokens: 6000, baseUrl: "http://127.0.0.1/v1" });
  expect(probed).toEqual({ kind: "whole" });
});

test.each([
  ["infrastructure", InfrastructureError],
  ["budget", BudgetError],
  ["stop_model", UserError],
  ["stop_all", UserError],
] as const)("a failure %s ends the command", async (failure, type) => {
  const probed = probeWindow(scriptedModel([{ failure }]), {
    expectedTokens: 6000,
    baseUrl: "http://127.0.0.1/v1",
  });
  await expect(probed).rejects.toThrow(type);
});

test("a blocked probe tells nothing", async () => {
  const model = scriptedModel([{ failure: "blocked" }]);
  const probed = await probeWindow(model, { expectedTokens: 6000, baseUrl: "http://127.0.0.1/v1" });
  expect(probed.kind).toBe("unknown");
});

test("only servers that do not tell their window are probed", () => {
  expect(needsWindowProbe(fakeEndpoint({ dialect: "openai", contextLength: null }))).toBe(true);
  expect(needsWindowProbe(fakeEndpoint({ dialect: "openai", contextLength: 4096 }))).toBe(false);
  expect(needsWindowProbe(fakeEndpoint({ dialect: "openrouter", contextLength: null }))).toBe(false);
});
