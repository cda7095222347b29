import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Exchange, ExchangeFile, readExchanges } from "../store/exchanges.ts";
import { fakeEndpoint } from "../testing/endpoints.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { type FakeRule, type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { canaryKey, openingMessages, openingRequest } from "../testing/faked-chat.ts";
import { bufferingFetch, type Fetch } from "./buffering-fetch.ts";
import { openAiChatModel } from "./openai-chat.ts";
import type { ChatFailure, ChatModel, ChatRequest, ChatTurn } from "./port.ts";
import { recordingFetch, replayingFetch } from "./recording.ts";
import { modelServer } from "./server.ts";

let fake: RunningFake;
let folder: string;
beforeAll(async () => {
  [fake, folder] = await Promise.all([startFake(), mkdtemp(join(tmpdir(), "recording-"))]);
});
afterAll(async () => {
  await fake.close();
  await rm(folder, { recursive: true });
});

/** Nothing listens here: what is answered comes from the recording. */
const nowhere = "http://127.0.0.1:9/api/v1";

function modelOver(fetch: Fetch, baseUrl: string): ChatModel {
  const env = { OPENROUTER_API_KEY: canaryKey };
  const server = modelServer({ baseUrl, env, dialect: "openrouter", deadlineMs: 1500, fetch });
  const clock = fakeClock({ now: Date.now(), random: 0.5 });
  return openAiChatModel({ server, endpoint: fakeEndpoint({ baseUrl }), role: "agent", clock });
}

type Recorded = { readonly file: string; readonly answers: readonly (ChatTurn | ChatFailure)[] };

async function record(
  name: string,
  rules: readonly FakeRule[],
  requests: readonly ChatRequest[],
): Promise<Recorded> {
  fake.fake.load({ models: { "acme/coder": { rules } } });
  const file = join(folder, `${name}.jsonl`);
  const exchanges = new ExchangeFile(file);
  const fetch = recordingFetch(bufferingFetch(), {
    baseUrl: fake.baseURL,
    secret: canaryKey,
    append: (exchange) => exchanges.append(exchange),
  });
  const model = modelOver(fetch, fake.baseURL);
  const answers = [];
  for (const request of requests) answers.push(await model.complete(request));
  return { file, answers };
}

async function replay(file: string, requests: readonly ChatRequest[]) {
  const replayed = replayingFetch(await readExchanges(file), nowhere);
  const model = modelOver(replayed.fetch, nowhere);
  const answers = [];
  for (const request of requests) answers.push(await model.complete(request));
  return { answers, count: replayed.count() };
}

/** What a turn says, without how long it took. */
function said(answer: ChatTurn | ChatFailure | undefined): unknown {
  if (answer?.kind !== "turn") return answer;
  const { message, finish, usage, servedBy, generationId, repairs } = answer;
  return { message, finish, usage, servedBy, generationId, repairs };
}

const done: FakeRule = { do: { agent: ["Done."] } };
const trial = (n: number): ChatRequest => ({
  ...openingRequest,
  subject: `sample/answer/acme%2Fcoder/with_skill/${n}`,
});

describe("a recording", () => {
  test("gives the same turns without the server", async () => {
    const requests = [trial(1), trial(2)];
    const { file, answers } = await record("same", [{ do: { agent: ["One.", "Two."] } }], requests);
    const replayed = await replay(file, requests);
    expect(replayed.answers.map(said)).toEqual(answers.map(said));
    expect(replayed.count).toEqual({ answered: 2, drifted: 0 });
  });

  test.each(["rate_limit_upstream", "server_error", "reset_mid_body", "stall_body", "whitespace_only"])(
    "gives %s again, and then what cured it",
    async (fault) => {
      const { file, answers } = await record(fault, [{ times: 1, do: { fault } }, done], [trial(1)]);
      const replayed = await replay(file, [trial(1)]);
      expect(replayed.answers.map(said)).toEqual(answers.map(said));
      expect(replayed.count.answered).toBe(2);
    },
  );

  test("holds the refusal of a request that the server refused", async () => {
    const { file, answers } = await record("refused", [{ do: { fault: "provider_400" } }], [trial(1)]);
    expect(answers[0]).toMatchObject({ kind: "failure", failure: "stop_model" });
    expect((await replay(file, [trial(1)])).answers).toEqual(answers);
  });

  test("goes by the course a conversation took last: what a killed attempt asked is left out", async () => {
    const killed = [trial(1)];
    const again = [trial(1)];
    const { file } = await record(
      "killed",
      [{ call: 1, do: { agent: ["First."] } }, { do: { agent: ["Second."] } }],
      [...killed, ...again],
    );
    const [answer] = (await replay(file, again)).answers;
    expect(answer).toMatchObject({ message: { content: "Second." } });
  });

  test("what a tool answered otherwise is counted, and the recorded turn given all the same", async () => {
    const call = { name: "bash", args: { command: "date" } };
    const first = openingRequest;
    const { file, answers } = await record("drift", [{ do: { agent: [[call], "Done."] } }], [first]);
    const [turn] = answers;
    if (turn?.kind !== "turn") throw new Error("no turn");
    const second = (date: string): ChatRequest => ({
      ...first,
      messages: [
        ...openingMessages,
        turn.message,
        { role: "tool", toolCallId: turn.message.toolCalls[0]?.id ?? "", content: date },
      ],
    });
    await appendSecond(file, second("Monday"));
    const { answers: replayed, count } = await replay(file, [first, second("Tuesday")]);
    expect(replayed[1]).toMatchObject({ kind: "turn", message: { content: "Done." } });
    expect(count).toEqual({ answered: 2, drifted: 1 });
  });

  test("an unknown request is refused with words that say so, and nothing is waited for", async () => {
    const { file } = await record("unknown", [done], [trial(1)]);
    const { answers } = await replay(file, [trial(7)]);
    expect(answers[0]).toMatchObject({
      kind: "failure",
      failure: "stop_model",
      waitedSeconds: 0,
      message: expect.stringContaining("the recording holds no answer to this request") as string,
    });
  });

  test("neither the key nor the account stands in it", async () => {
    const merge = { user_id: "user_37", error: { message: `Incorrect API key provided: ${canaryKey}` } };
    const { file } = await record("secret", [{ do: { fault: "unauthorized", merge } }], [trial(1)]);
    const text = await readFile(file, "utf8");
    expect(text).toContain("Incorrect API key provided: ***");
    expect(text).not.toContain(canaryKey);
    expect(text).not.toContain("user_37");
    expect(text.toLowerCase()).not.toContain("authorization");
  });

  test("what a server tells of the key is not in it, but for its limits", async () => {
    const file = join(folder, "key.jsonl");
    const exchanges = new ExchangeFile(file);
    const data = { label: "sk-or-v1-4f1...d9a", creator_user_id: "user_37", limit_remaining: 4 };
    const fetch = recordingFetch(() => Promise.resolve(Response.json({ data })), {
      baseUrl: nowhere,
      secret: canaryKey,
      append: (exchange) => exchanges.append(exchange),
    });
    expect(await (await fetch(`${nowhere}/key`)).json()).toEqual({ data });
    const [kept] = await readExchanges(file);
    expect(JSON.parse(kept?.body ?? "")).toEqual({ data: { limit_remaining: 4 } });
  });

  test("a torn last line is left out; a broken one is an error that names it", async () => {
    const { file } = await record("torn", [done], [trial(1), trial(2)]);
    const text = await readFile(file, "utf8");
    const torn = join(folder, "torn-copy.jsonl");
    await writeFile(torn, text.slice(0, -20));
    expect(await readExchanges(torn)).toHaveLength(1);
    await writeFile(torn, `{}\n${text}`);
    await expect(readExchanges(torn)).rejects.toThrow("torn-copy.jsonl:1");
    await expect(readExchanges(join(folder, "none.jsonl"))).rejects.toThrow("no recording there");
  });
});

/** Goes on with a recorded conversation as the first process did. */
async function appendSecond(file: string, request: ChatRequest): Promise<void> {
  const exchanges = new ExchangeFile(file);
  const append = (exchange: Exchange): Promise<void> => exchanges.append(exchange);
  const fetch = recordingFetch(bufferingFetch(), { baseUrl: fake.baseURL, secret: canaryKey, append });
  expect((await modelOver(fetch, fake.baseURL).complete(request)).kind).toBe("turn");
}
