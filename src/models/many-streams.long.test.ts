import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import pLimit from "p-limit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { converse } from "../testing/converse.ts";
import { fakeEndpoint } from "../testing/endpoints.ts";
import { type FakeProcess, startFakeProcess } from "../testing/fake-process.ts";
import { watchLoop } from "../testing/loop-lag.ts";
import { systemClock } from "./clock.ts";
import { Lane } from "./lane.ts";
import { openAiChatModel } from "./openai-chat.ts";
import type { ChatModel } from "./port.ts";
import { modelServer } from "./server.ts";

const trials = 200;
const turns = 10;
const inFlight = 64;
/** Of every tool call: what makes a conversation grow. */
const output = "0123456789abcde\n".repeat(128);
const mostGrowthBytes = 32 * 2 ** 20;
const mostLagMs = 100;

let fake: FakeProcess;
beforeAll(async () => {
  fake = await startFakeProcess();
});
afterAll(() => fake.close());

/** Conversations of different pace, in seconds per turn: as with real models, answers do not come all at once. */
const paces = [1, 1.5, 2, 2.5];

async function allow(turnsOfEach: number, secondsPerTurn: readonly number[]): Promise<void> {
  const calls = [{ name: "bash", args: { command: "ls" } }];
  const agent = [...Array.from({ length: turnsOfEach - 1 }, () => calls), "Done."];
  const rules = secondsPerTurn.map((seconds, n) => ({
    if: { chance: (n + 1) / secondsPerTurn.length },
    do: { agent, delay_ms: seconds * 1000 },
  }));
  const account = { total_credits: 1e6 };
  await fake.load({ account, models: { "acme/coder": { rules } } });
}

function openModel(): ChatModel {
  const server = modelServer({ baseUrl: fake.baseURL, env: {}, dialect: "openrouter" });
  const endpoint = fakeEndpoint({ baseUrl: fake.baseURL });
  const lane = new Lane({
    model: endpoint.model,
    tag: endpoint.tag,
    concurrency: inFlight,
    clock: systemClock,
  });
  return openAiChatModel({ server, endpoint, role: "agent", lane });
}

/** Resident bytes after a full collection. */
function residentBytes(collect: () => void): number {
  collect();
  return process.memoryUsage.rss();
}

function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

test("200 trials at 64 in flight: memory stays flat and the event loop free", async () => {
  const model = openModel();
  const limit = pLimit(inFlight);
  const collect = collector();
  // The lane opens by one for every twenty answers: short trials until all places are there.
  await allow(1, [0]);
  const short = Array.from({ length: 20 * inFlight }, (_, n) =>
    limit(() => converse(model, `short ${n}`, "")),
  );
  await Promise.all(short);

  await allow(turns, paces);
  const watch = watchLoop();
  let ended = 0;
  let halfway = NaN;
  const started = residentBytes(collect);
  const conversed = Array.from({ length: trials }, (_, n) =>
    limit(async () => {
      const { words } = await converse(model, `trial ${n}`, output);
      expect(words).toBe("Done.");
      ended++;
      if (ended === trials / 2) halfway = residentBytes(collect);
      if (ended % 10 === 0) await fake.clearLog();
    }),
  );
  const began = performance.now();
  const cpu = process.cpuUsage();
  await Promise.all(conversed);
  const lag = watch.stop();
  const seconds = (performance.now() - began) / 1000;
  const end = residentBytes(collect);
  const stats = await fake.stats();
  const mib = (bytes: number): number => Math.round(bytes / 2 ** 20);
  const { user, system } = process.cpuUsage(cpu);
  const cpuSeconds = (user + system) / 1e6;
  console.info({
    seconds,
    cpuSeconds,
    startMib: mib(started),
    halfwayMib: mib(halfway),
    endMib: mib(end),
    ...lag,
  });
  expect(stats).toMatchObject({ in_flight: 0, max_in_flight: inFlight });
  expect(end - halfway).toBeLessThan(mostGrowthBytes);
  expect(lag.ownMs).toBeLessThan(mostLagMs);
});
