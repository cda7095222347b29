import { afterAll, beforeAll, expect, test } from "vitest";
import { fakeEndpoint } from "../testing/endpoints.ts";
import { fakedChat, type FakedChat, openingRequest, turnOf } from "../testing/faked-chat.ts";
import type { Booking } from "./booking.ts";
import type { Ledger } from "./port.ts";

let chat: FakedChat;
beforeAll(async () => {
  chat = await fakedChat();
});
afterAll(() => chat.close());

type Noted = {
  readonly ledger: Ledger;
  readonly lines: readonly Booking[];
  readonly held: readonly (number | null)[];
};

/** A ledger in memory with room for so many attempts. */
function notedLedger(room = Infinity): Noted {
  const lines: Booking[] = [];
  const held: (number | null)[] = [];
  const reserve: Ledger["reserve"] = ({ upToNanoUsd }) => {
    if (held.length >= room) return null;
    held.push(upToNanoUsd);
    let open = true;
    return {
      book: (line) => {
        if (!open) throw new Error("booked twice");
        open = false;
        lines.push(line);
      },
    };
  };
  return { ledger: { reserve }, lines, held };
}

const nano = (usd: number | null): number => Math.round((usd ?? NaN) * 1e9);

test("every attempt is reserved, and booked with what became of it", async () => {
  chat.load({ rules: [{ times: 1, do: { fault: "bad_gateway" } }, { do: { agent: ["Done."] } }] });
  const { ledger, lines, held } = notedLedger();
  const { model } = chat.open({ ledger, role: "judge" });
  const turn = turnOf(await model.complete({ ...openingRequest, subject: "a trial" }));
  const place = { role: "judge", subject: "a trial", model: "acme/coder", tag: "alpha/fp8", turn: 1 };
  expect(lines).toMatchObject([
    { ...place, attempt: 1, outcome: "HTTP 502", source: "not_charged", costNanoUsd: 0 },
    {
      ...place,
      attempt: 2,
      outcome: "turn",
      source: "reported",
      costNanoUsd: nano(turn.usage.costUsd),
      generation: turn.generationId,
      provider: "Alpha",
      inputTokens: turn.usage.inputTokens,
      outputTokens: turn.usage.outputTokens,
    },
  ]);
  expect(held).toHaveLength(2);
  for (const upTo of held) expect(upTo).toBeGreaterThan(nano(turn.usage.costUsd));
});

test("turns are counted along the conversation", async () => {
  chat.load({ rules: [] });
  const { ledger, lines } = notedLedger();
  const { model } = chat.open({ ledger });
  const { message } = turnOf(await model.complete(openingRequest));
  const messages = [...openingRequest.messages, message, { role: "user", content: "More." } as const];
  await model.complete({ ...openingRequest, messages });
  expect(lines.map(({ turn, attempt }) => [turn, attempt])).toEqual([
    [1, 1],
    [2, 1],
  ]);
});

test("without room nothing is sent", async () => {
  chat.load({ rules: [] });
  const answer = await chat.open({ ledger: notedLedger(0).ledger }).model.complete(openingRequest);
  expect(answer).toMatchObject({ kind: "failure", failure: "budget", costUnknown: false });
  expect(chat.requests()).toBe(0);
});

test("room that runs out between two attempts ends the request as budget", async () => {
  chat.load({ rules: [{ do: { fault: "bad_gateway" } }] });
  const { ledger, lines } = notedLedger(2);
  expect(await chat.open({ ledger }).model.complete(openingRequest)).toMatchObject({ failure: "budget" });
  expect(lines).toHaveLength(2);
  expect(chat.requests()).toBe(2);
});

test.each(["stall_body", "reset_mid_body", "truncated_json"])(
  "%s: what may have been billed is unknown up to its reserve, and the turn's cost with it",
  async (fault) => {
    chat.load({ rules: [{ times: 1, do: { fault } }, { do: { agent: ["Done."] } }] });
    const { ledger, lines, held } = notedLedger();
    const { usage } = turnOf(await chat.open({ ledger, deadlineMs: 1500 }).model.complete(openingRequest));
    expect(lines[0]).toMatchObject({ source: "unknown", costNanoUsd: null, upToNanoUsd: held[0] });
    expect(lines[1]).toMatchObject({ source: "reported" });
    expect(usage.costUsd).toBeNull();
  },
);

test("with a server that is not there nothing was spent", async () => {
  const { ledger, lines } = notedLedger();
  const gone = await fakedChat();
  const { model } = gone.open({ ledger });
  await gone.close();
  expect(await model.complete(openingRequest)).toMatchObject({
    failure: "infrastructure",
    costUnknown: false,
  });
  expect(new Set(lines.map(({ source }) => source))).toEqual(new Set(["not_charged"]));
});

test("a server of one's own is free, whatever becomes of a request", async () => {
  chat.load({
    rules: [{ times: 1, do: { fault: "stall_body" } }, { do: { agent: ["Done."], usage: "no_cost" } }],
  });
  const { ledger, lines } = notedLedger();
  const prices = { prompt: "0", completion: "0", cacheRead: null, cacheWrite: null, request: null };
  const endpoint = fakeEndpoint({ dialect: "openai", tag: null, provider: null, prices });
  turnOf(await chat.open({ ledger, endpoint, deadlineMs: 1500 }).model.complete(openingRequest));
  expect(lines.map(({ source, costNanoUsd }) => [source, costNanoUsd])).toEqual([
    ["estimated", 0],
    ["estimated", 0],
  ]);
});

test("an answer of another endpoint is paid for all the same", async () => {
  chat.load({ rules: [{ do: { agent: ["Done."], provider: "Beta" } }] });
  const { ledger, lines } = notedLedger();
  await chat.open({ ledger }).model.complete(openingRequest);
  expect(lines).toMatchObject([{ outcome: "drift", source: "reported", provider: "Beta" }]);
  expect(lines[0]?.costNanoUsd).toBeGreaterThan(0);
});

test("a charge that comes with a turn nobody can read is a charge", async () => {
  chat.load({ rules: [{ do: { agent: [{ say: "x", quirk: "finish_error" }] } }] });
  const { ledger, lines } = notedLedger();
  turnOf(await chat.open({ ledger }).model.complete(openingRequest));
  expect(lines.map(({ outcome, source }) => [outcome, source])).toEqual(
    Array(3).fill(["malformed call", "reported"]),
  );
});

test("an aborted request is on its way: unknown, up to its reserve", async () => {
  chat.load({ rules: [{ do: { fault: "stall_body" } }] });
  const { ledger, lines, held } = notedLedger();
  const stop = new AbortController();
  const answer = chat.open({ ledger }).model.complete(openingRequest, stop.signal);
  await expect.poll(() => chat.requests()).toBe(1);
  stop.abort(new Error("Ctrl-C"));
  await expect(answer).rejects.toThrow("Ctrl-C");
  expect(lines).toMatchObject([{ outcome: "given up", source: "unknown", upToNanoUsd: held[0] }]);
});
