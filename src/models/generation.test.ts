import { createServer, type Server as HttpServer } from "node:http";
import { afterEach, expect, test } from "vitest";
import type { AttemptLine, SettledLine } from "../artefacts/ledger.ts";
import { nanoOf } from "../artefacts/nano-usd.ts";
import { fakeEndpoint } from "../testing/endpoints.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { startFake } from "../testing/fake-openrouter.mjs";
import { sampleLine } from "../testing/ledgers.ts";
import { type GenerationOptions, settleGenerations } from "./generation.ts";
import { type Dialect, modelServer, type Server } from "./server.ts";

const key = "sk-canary-77";
const prices = {
  prompt: "0.000001",
  completion: "0.000004",
  cacheRead: null,
  cacheWrite: null,
  request: null,
};
const unknown = { costNanoUsd: null, source: "unknown", upToNanoUsd: 5_000_000 } as const;
const uncounted = { inputTokens: null, outputTokens: null, cachedInputTokens: null, cacheWriteTokens: null };

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function opened(baseUrl: string, dialect: Dialect = "openrouter"): Server {
  return modelServer({ baseUrl, dialect, env: { OPENROUTER_API_KEY: key }, deadlineMs: 10_000 });
}

/** A server that answers GET generation by number of the request for that id (1-based). */
async function serverOf(answer: (id: string, time: number) => { status: number; json: unknown }): Promise<{
  readonly baseUrl: string;
  readonly asked: Map<string, number>;
}> {
  const asked = new Map<string, number>();
  const http: HttpServer = createServer((request, response) => {
    const id = new URL(request.url ?? "", "http://x").searchParams.get("id") ?? "";
    asked.set(id, (asked.get(id) ?? 0) + 1);
    const { status, json } = answer(id, asked.get(id) ?? 0);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    http.closeAllConnections();
    http.close();
  });
  const bound = http.address();
  return { asked, baseUrl: `http://127.0.0.1:${typeof bound === "object" ? bound?.port : 0}/v1` };
}

const notFound = { status: 404, json: { error: { message: "Generation not found", code: 404 } } };
const costing = (data: Record<string, unknown>): { status: number; json: unknown } => ({
  status: 200,
  json: { data },
});

type Settled = Omit<SettledLine, "kind" | "at">;

async function settled(
  lines: readonly AttemptLine[],
  server: Server,
  options: Partial<GenerationOptions> = {},
): Promise<{
  readonly found: readonly Settled[];
  readonly settling: Awaited<ReturnType<typeof settleGenerations>>;
  readonly waitedMs: number;
}> {
  const found: Settled[] = [];
  const clock = fakeClock();
  const settle = (one: Settled): unknown => found.push(one);
  const settling = await settleGenerations(lines, {
    server,
    clock,
    pricesOf: () => prices,
    settle,
    ...options,
  });
  return { found, settling, waitedMs: clock.waits.reduce((sum, ms) => sum + ms, 0) };
}

test("the server's figure for a turn that came without usage is what it charged", async () => {
  const running = await startFake();
  closers.push(() => running.close());
  running.fake.load({ generation_lag_ms: 0, models: { "acme/coder": { agent: ["ok"], usage: "none" } } });
  const server = opened(running.baseURL);
  const messages = [{ role: "user" as const, content: "Do it." }];
  const { id } = await server.client.chat.completions.create({
    model: "acme/coder",
    messages,
    max_completion_tokens: 64,
  });
  const line = sampleLine(4, { ...unknown, ...uncounted, generation: id });
  const { found, settling } = await settled([line], server);
  const stats = (await (await fetch(`${running.url}/__stats`)).json()) as { readonly spent: number };
  expect(stats.spent).toBeGreaterThan(0);
  expect(found).toEqual([{ id: 4, costNanoUsd: nanoOf(stats.spent), source: "generation" }]);
  expect(settling).toEqual({ generation: 1, estimated: 0, unknown: 0, trouble: null });
});

test("a generation that is not found at first is asked for again", async () => {
  const { baseUrl, asked } = await serverOf((_id, time) =>
    time < 4 ? notFound : costing({ total_cost: 0.002 }),
  );
  const { found, waitedMs } = await settled([sampleLine(1, unknown)], opened(baseUrl));
  expect(found).toEqual([{ id: 1, costNanoUsd: 2_000_000, source: "generation" }]);
  expect([asked.get("gen-1"), waitedMs]).toEqual([4, 1000 + 2000 + 4000]);
});

test("with an own provider key the upstream bill comes on top", async () => {
  const byok = { total_cost: 0.001, is_byok: true };
  const { baseUrl } = await serverOf((id) =>
    costing(
      id === "told" ? { ...byok, upstream_inference_cost: 0.02 } : { ...byok, upstream_inference_cost: null },
    ),
  );
  const lines = ["told", "untold"].map((generation, index) =>
    sampleLine(index + 1, { ...unknown, generation }),
  );
  const { found } = await settled(lines, opened(baseUrl));
  expect(found).toEqual([
    { id: 1, costNanoUsd: 21_000_000, source: "generation" },
    { id: 2, costNanoUsd: 900 * 1000 + 100 * 4000, source: "estimated" },
  ]);
});

test("after a minute tokens and prices decide, and without them the cost stays unknown", async () => {
  const { baseUrl, asked } = await serverOf(() => notFound);
  const lines = [
    sampleLine(1, { ...unknown, generation: "counted" }),
    sampleLine(2, { ...unknown, ...uncounted, generation: "uncounted" }),
    sampleLine(3, { ...unknown, generation: "unpriced", model: "other" }),
  ];
  const pricesOf = ({ model }: AttemptLine): typeof prices | null => (model === "other" ? null : prices);
  const { found, settling, waitedMs } = await settled(lines, opened(baseUrl), { pricesOf });
  expect(found).toEqual([{ id: 1, costNanoUsd: 900 * 1000 + 100 * 4000, source: "estimated" }]);
  expect(settling).toEqual({ generation: 0, estimated: 1, unknown: 2, trouble: null });
  expect(waitedMs).toBe(60_000);
  expect([...asked.values()]).toEqual([8, 8, 8]);
});

test("an overloaded server is asked again, one that refuses the key is not", async () => {
  const busy = { status: 503, json: { error: { message: "busy", code: 503 } } };
  const first = await serverOf((_id, time) => (time === 1 ? busy : costing({ total_cost: 0 })));
  expect((await settled([sampleLine(1, unknown)], opened(first.baseUrl))).found).toMatchObject([
    { costNanoUsd: 0 },
  ]);
  const refusing = await serverOf(() => ({
    status: 401,
    json: { error: { message: `bad ${key}`, code: 401 } },
  }));
  const lines = Array.from({ length: 40 }, (_, index) =>
    sampleLine(index + 1, { ...unknown, generation: `g${index}` }),
  );
  const { settling, waitedMs } = await settled(lines, opened(refusing.baseUrl));
  expect(settling).toMatchObject({ generation: 0, estimated: 40 });
  expect(settling.trouble).toMatch(/generation: HTTP 401/);
  expect(settling.trouble).not.toContain(key);
  expect([waitedMs, refusing.asked.size <= 8]).toEqual([0, true]);
});

test("other servers are not asked", async () => {
  const { baseUrl, asked } = await serverOf(() => costing({ total_cost: 1 }));
  const { settling } = await settled([sampleLine(1, unknown)], opened(baseUrl, "openai"));
  expect([settling.estimated, asked.size]).toEqual([1, 0]);
});

test("an abort ends the waiting with its reason", async () => {
  const { baseUrl } = await serverOf(() => notFound);
  const controller = new AbortController();
  const clock = fakeClock();
  const waiting = settleGenerations([sampleLine(1, unknown)], {
    server: opened(baseUrl),
    clock: {
      ...clock,
      sleep: (ms, signal) => {
        controller.abort(new Error("enough"));
        return clock.sleep(ms, signal);
      },
    },
    pricesOf: () => fakeEndpoint().prices,
    settle: () => expect.unreachable(),
    signal: controller.signal,
  });
  await expect(waiting).rejects.toThrow("enough");
});
