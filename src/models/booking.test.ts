import { expect, test } from "vitest";
import type { Endpoint, Prices } from "../artefacts/endpoint.ts";
import { attemptLineSchema } from "../artefacts/ledger.ts";
import { fakeEndpoint } from "../testing/endpoints.ts";
import { type AttemptOutcome, begunOf, type BookedRequest, type Booking, bookingOf } from "./booking.ts";
import { errorBodyOf, type ServerFault } from "./fault.ts";
import type { Usage } from "./port.ts";

const prices: Prices = {
  prompt: "0.000001",
  completion: "0.000004",
  cacheRead: "0.0000001",
  cacheWrite: "0.00000125",
  request: null,
};
const request: BookedRequest = {
  inputTokens: 1000,
  maxTokens: 500,
  turn: 3,
  attempt: 2,
  subject: "s/b/m/arm/1",
};
/** Every input token written to the cache, all the output used. */
const most = 1000 * 1250 + 500 * 4000;
const openrouter = fakeEndpoint({ dialect: "openrouter", prices });
const other = fakeEndpoint({ dialect: "openai", tag: null, provider: null, prices });
const nobodyKnows = { ...other, prices: null };
const free = {
  ...other,
  prices: { ...prices, prompt: "0", completion: "0", cacheRead: null, cacheWrite: null },
};

const nothing: Usage = {
  inputTokens: null,
  uncachedInputTokens: null,
  cachedInputTokens: null,
  cacheWriteTokens: null,
  outputTokens: null,
  reasoningTokens: null,
  costUsd: null,
};
const counted: Usage = { ...nothing, inputTokens: 900, outputTokens: 100 };
const split: Usage = { ...counted, uncachedInputTokens: 300, cachedInputTokens: 600, cacheWriteTokens: 200 };

type Cost = Pick<Booking, "costNanoUsd" | "source" | "upToNanoUsd">;
const known = (costNanoUsd: number, source: Booking["source"]): Cost => ({
  costNanoUsd,
  source,
  upToNanoUsd: null,
});
const unknown = (upToNanoUsd: number | null): Cost => ({ costNanoUsd: null, source: "unknown", upToNanoUsd });

function turn(
  usage: Partial<Usage>,
  more: Partial<Extract<AttemptOutcome, { kind: "turn" }>> = {},
): AttemptOutcome {
  return { kind: "turn", usage: { ...nothing, ...usage }, generation: "gen-1", provider: "Alpha", ...more };
}

const turns: readonly (readonly [string, AttemptOutcome, Endpoint, Cost])[] = [
  ["the server's own figure", turn({ ...split, costUsd: 0.0125 }), openrouter, known(12_500_000, "reported")],
  ["a reported 0 is a figure", turn({ costUsd: 0 }), nobodyKnows, known(0, "reported")],
  ["no figure, but a generation to ask about", turn(counted), openrouter, unknown(900 * 1250 + 100 * 4000)],
  ["nothing counted, but a generation", turn({}), openrouter, unknown(most)],
  [
    "a generation of a server that cannot be asked",
    turn(counted),
    other,
    known(900 * 1000 + 100 * 4000, "estimated"),
  ],
  [
    "no generation",
    turn(counted, { generation: null }),
    openrouter,
    known(900 * 1000 + 100 * 4000, "estimated"),
  ],
  [
    "cached and written input",
    turn(split),
    other,
    known(100 * 1000 + 600 * 100 + 200 * 1250 + 100 * 4000, "estimated"),
  ],
  ["nothing counted", turn({}), other, known(1000 * 1000 + 500 * 4000, "estimated")],
  [
    "nothing counted, the output read",
    turn({}, { outputCharacters: 41 }),
    other,
    known(1000 * 1000 + 11 * 4000, "estimated"),
  ],
  ["no prices", turn(split), nobodyKnows, unknown(null)],
  ["prices of 0 by configuration", turn(counted), free, known(0, "estimated")],
  ["a price that is none", turn(counted), { ...other, prices: { ...prices, prompt: "-1" } }, unknown(null)],
  [
    "a cost beyond any bill",
    turn({ ...counted, costUsd: 1e300 }),
    other,
    known(900 * 1000 + 100 * 4000, "estimated"),
  ],
  [
    "tokens beyond any count",
    turn({ ...counted, inputTokens: 1e300 }),
    other,
    known(1000 * 1000 + 100 * 4000, "estimated"),
  ],
];

test.each(turns)("a turn: %s", (_name, outcome, endpoint, cost) => {
  expect(bookingOf(outcome, request, endpoint, "agent")).toMatchObject({ ...cost, outcome: "turn" });
});

function answered(
  status: number,
  body: string | null = null,
  headers: Record<string, string> = {},
): ServerFault {
  const error = errorBodyOf({ message: "says the server", metadata: { provider_name: "Alpha" } });
  return { kind: "response", status, body, error, header: (name) => headers[name] ?? null };
}
const lost = (message: string): ServerFault => ({ kind: "connection", message });
const uncharged = known(0, "not_charged");

const faults: readonly (readonly [words: string, fault: ServerFault, onOpenRouter: Cost, elsewhere: Cost])[] =
  [
    ["given up at the deadline", { kind: "deadline" }, unknown(most), unknown(most)],
    ["no connection", lost("connect ECONNREFUSED 127.0.0.1:9"), uncharged, uncharged],
    ["no connection", lost(""), uncharged, uncharged],
    ["no connection", lost("getaddrinfo ENOTFOUND nowhere"), uncharged, uncharged],
    ["connection lost", lost("other side closed"), unknown(most), unknown(most)],
    ["connection lost", lost("read ECONNRESET"), unknown(most), unknown(most)],
    ["HTTP 400", answered(400), uncharged, uncharged],
    ["HTTP 429", answered(429), uncharged, uncharged],
    ["HTTP 502", answered(502), uncharged, uncharged],
    ["HTTP 502", answered(502, "html"), uncharged, uncharged],
    [
      "HTTP 200 without an answer",
      answered(599, "not-json", { "x-sp-status": "200" }),
      unknown(most),
      unknown(most),
    ],
    [
      "HTTP 200 without an answer",
      answered(599, "empty", { "x-sp-status": "200" }),
      unknown(most),
      unknown(most),
    ],
    ["HTTP 200 without an answer", answered(599, "html", { "x-sp-status": "200" }), uncharged, uncharged],
    ["error 502 in a 200", answered(502, "error-in-200"), uncharged, unknown(most)],
    ["error 404 in a 200", answered(404, "error-in-200"), uncharged, uncharged],
    ["nothing generated", { kind: "empty", message: "" }, uncharged, unknown(most)],
    ["malformed call", { kind: "malformed", message: "" }, uncharged, unknown(most)],
    ["vectors do not fit", { kind: "miscount", message: "" }, unknown(most), unknown(most)],
  ];

test.each(faults)("%s: %j", (words, fault, onOpenRouter, elsewhere) => {
  const outcome: AttemptOutcome = { kind: "fault", fault, costUnknown: false };
  expect(bookingOf(outcome, request, openrouter, "agent")).toMatchObject({ ...onOpenRouter, outcome: words });
  expect(bookingOf(outcome, request, other, "agent")).toMatchObject(elsewhere);
});

test("what the classifier holds for possibly billed is unknown, up to the reserve", () => {
  const outcome: AttemptOutcome = { kind: "fault", fault: answered(524), costUnknown: true };
  expect(bookingOf(outcome, request, openrouter, "judge")).toMatchObject(unknown(most));
  expect(bookingOf(outcome, request, nobodyKnows, "judge")).toMatchObject(unknown(null));
  expect(bookingOf(outcome, request, free, "judge")).toMatchObject(known(0, "estimated"));
});

test("a cut answer keeps the id it can be asked about by", () => {
  const fault = answered(599, "not-json", { "x-generation-id": "gen-9" });
  const booking = bookingOf({ kind: "fault", fault, costUnknown: false }, request, openrouter, "agent");
  expect(booking).toMatchObject({ generation: "gen-9", provider: "Alpha", ...unknown(most) });
});

test("every booking is a line of the ledger, with the place of its request", () => {
  const fractions = { ...split, inputTokens: 900.4, reasoningTokens: 7 };
  const outcomes: readonly AttemptOutcome[] = [
    turn(fractions),
    ...turns.map(([, outcome]) => outcome),
    ...faults.map(([, fault]) => ({ kind: "fault", fault, costUnknown: true }) as const),
  ];
  for (const outcome of outcomes) {
    const booking = bookingOf(outcome, request, openrouter, "judge");
    expect(attemptLineSchema.parse({ kind: "attempt", id: 1, at: "", ...booking })).toMatchObject({
      role: "judge",
      subject: request.subject,
      model: openrouter.model,
      tag: openrouter.tag,
      turn: 3,
      attempt: 2,
    });
    expect(JSON.stringify(booking)).not.toContain("says the server");
  }
  expect(bookingOf(turn(fractions), request, openrouter, "judge")).toMatchObject({
    inputTokens: 900,
    cachedInputTokens: 600,
    cacheWriteTokens: 200,
    outputTokens: 100,
    reasoningTokens: 7,
  });
});

test("the reserve is what the request can cost at most", () => {
  const place = { role: "judge", subject: request.subject, model: openrouter.model, turn: 3, attempt: 2 };
  expect(begunOf(request, openrouter, "judge")).toEqual({ ...place, tag: openrouter.tag, upToNanoUsd: most });
  expect(begunOf(request, nobodyKnows, "judge").upToNanoUsd).toBeNull();
  expect(begunOf(request, free, "judge").upToNanoUsd).toBe(0);
});
