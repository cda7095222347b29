import { afterAll, beforeAll, expect, test } from "vitest";
import { compressedClock } from "../testing/compressed-clock.ts";
import { converse, type Conversed } from "../testing/converse.ts";
import { fakeEndpoint } from "../testing/endpoints.ts";
import { type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { Lane, type LaneEvent } from "./lane.ts";
import { openAiChatModel } from "./openai-chat.ts";
import type { ChatModel } from "./port.ts";
import { modelServer } from "./server.ts";

const trials = 20;
const turns = 4;
const concurrency = 8;
const call = [{ name: "bash", args: { command: "ls" } }];
const agent = [...Array.from({ length: turns - 1 }, () => call), "Done."];

let running: RunningFake;
beforeAll(async () => {
  running = await startFake();
});
afterAll(() => running.close());

/** `concurrent` attempts at once; the others are told to come back in a second. */
function allow(concurrent: number): void {
  const limit = { concurrent, window_ms: 50, max: 100 };
  running.fake.load({ models: { "acme/coder": { limit, rules: [{ do: { agent, delay_ms: 80 } }] } } });
}

type Opened = { readonly model: ChatModel; readonly events: readonly LaneEvent[] };

function openModel(): Opened {
  const clock = compressedClock(20);
  const server = modelServer({
    baseUrl: running.baseURL,
    env: {},
    dialect: "openrouter",
    deadlineMs: 10_000,
  });
  const endpoint = fakeEndpoint({ baseUrl: running.baseURL });
  const events: LaneEvent[] = [];
  const listen = (event: LaneEvent): number => events.push(event);
  const lane = new Lane({ model: endpoint.model, tag: endpoint.tag, concurrency, clock, listen });
  return { model: openAiChatModel({ server, endpoint, role: "agent", clock, lane }), events };
}

type Round = { readonly ended: readonly Conversed[]; readonly inFlight: number; readonly refused: number };

/** All trials in parallel, and what the server saw of them. */
async function round(model: ChatModel, concurrent: number): Promise<Round> {
  allow(concurrent);
  const ended = await Promise.all(
    Array.from({ length: trials }, (_, n) => converse(model, `trial ${n}`, "")),
  );
  const refused = running.fake.log.filter(({ status }) => status === 429).length;
  return { ended, inFlight: running.fake.maxInFlight, refused };
}

test("20 trials in parallel where three are allowed: all finish, the window follows, nobody starves", async () => {
  const { model, events } = openModel();
  const first = await round(model, 100);
  const grown = events.length;
  expect(events.map(({ kind }) => kind)).toEqual(Array.from({ length: concurrency - 4 }, () => "grow"));
  const roomy = await round(model, 100);
  const met = await round(model, 3);
  const learned = await round(model, 3);
  for (const { ended } of [first, roomy, met, learned]) {
    for (const trial of ended) expect(trial).toMatchObject({ words: "Done.", turns });
    const waits = ended.map(({ waitedSeconds }) => waitedSeconds).toSorted((a, b) => a - b);
    // Of all its turns together: nobody waited twice as long as most did.
    expect(waits.at(-1)).toBeLessThan(2 * (waits[trials / 2] ?? NaN));
  }
  expect(roomy).toMatchObject({ inFlight: concurrency, refused: 0 });
  expect(learned.inFlight).toBeLessThan(roomy.inFlight);
  expect(learned.refused).toBeLessThan(met.refused);
  const kinds = events.slice(grown).map(({ kind }) => kind);
  expect(kinds).toContain("shrink");
  expect(kinds.slice(kinds.indexOf("shrink"))).toContain("grow");
});
