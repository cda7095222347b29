import { hashJson } from "../hash.ts";
import type { Exchange } from "../store/exchanges.ts";
import type { Fetch } from "./buffering-fetch.ts";

/** Header that tells our own fetch what a request is for. It is taken off before anything is sent. */
export const subjectHeader = "x-sp-subject";

/** Of an answer's headers only these are kept. */
const keptHeaders = [
  "content-type",
  "retry-after",
  "x-generation-id",
  "x-openrouter-cache-status",
  "x-ratelimit-reset",
  "x-sp-kind",
  "x-sp-status",
];

type Asked = Pick<Exchange, "conversation" | "turn" | "bodyHash" | "method" | "path" | "request">;

export type RecordOptions = {
  /** What paths are told relative to. */
  readonly baseUrl: string;
  /** Never written: taken out of everything. */
  readonly secret: string;
  readonly append: (exchange: Exchange) => Promise<void>;
};

/** Writes down every exchange before handing its answer on. */
export function recordingFetch(fetch: Fetch, { baseUrl, secret, append }: RecordOptions): Fetch {
  return async (input, init) => {
    const asked = askedFor(input, init, baseUrl);
    const write = (answer: Pick<Exchange, "status" | "failure" | "headers" | "body">): Promise<void> =>
      append(scrub({ ...asked, ...answer }, secret));
    let response: Response;
    try {
      response = await fetch(input, init);
    } catch (error) {
      // Our own abort is no answer of the server; a deadline of the SDK is one that did not come.
      const failure = init?.signal?.aborted === true ? "deadline" : "connection";
      await write({ status: null, failure, headers: {}, body: "" });
      throw error;
    }
    const body = await response.text();
    const headers = Object.fromEntries(
      [...response.headers].filter(([name]) => keptHeaders.includes(name)).sort(),
    );
    await write({ status: response.status, failure: null, headers, body });
    return new Response(body, { status: response.status, headers: response.headers });
  };
}

export type Replay = {
  readonly fetch: Fetch;
  /** Requests answered so far, and how many of them were not the recorded ones byte for byte (a tool answered otherwise). */
  readonly count: () => { readonly answered: number; readonly drifted: number };
};

/**
 * Answers from a recording and from nothing else. A conversation goes as it went the last time it was begun: what a
 * killed or void attempt asked before is left out. A request that was never recorded gets a 400 that says so.
 */
export function replayingFetch(exchanges: readonly Exchange[], baseUrl: string): Replay {
  const left = lastCourses(exchanges);
  let answered = 0;
  let drifted = 0;
  return {
    count: () => ({ answered, drifted }),
    fetch: (input, init) => {
      const asked = askedFor(input, init, baseUrl);
      const answers = left.get(placeKey(asked)) ?? [];
      // Lists of models and the like may be asked for oftener than they were.
      const exchange = answers.length > 1 || asked.method === "POST" ? answers.shift() : answers[0];
      if (exchange === undefined) return Promise.resolve(unrecorded(asked));
      answered++;
      if (exchange.bodyHash !== asked.bodyHash) drifted++;
      const { status, failure, headers, body } = exchange;
      if (status !== null) return Promise.resolve(new Response(body, { status, headers }));
      // The SDK tells a deadline from a lost connection by these words.
      const words = failure === "deadline" ? "timed out (recorded)" : "connection lost (recorded)";
      return Promise.reject(new Error(words));
    },
  };
}

/** The answers of every conversation's last course, in order, by conversation and turn. */
function lastCourses(exchanges: readonly Exchange[]): Map<string, Exchange[]> {
  const courses = new Map<string, Exchange[]>();
  for (const exchange of exchanges) {
    const course = courses.get(exchange.conversation) ?? [];
    const last = course.at(-1);
    const begunAgain = exchange.turn === 1 && last !== undefined && (last.turn > 1 || last.status === 200);
    courses.set(exchange.conversation, begunAgain ? [exchange] : [...course, exchange]);
  }
  const answers = new Map<string, Exchange[]>();
  for (const exchange of [...courses.values()].flat()) {
    const key = placeKey(exchange);
    answers.set(key, [...(answers.get(key) ?? []), exchange]);
  }
  return answers;
}

function placeKey({ conversation, turn }: Pick<Exchange, "conversation" | "turn">): string {
  return `${conversation} ${turn}`;
}

function unrecorded({ method, path }: Asked): Response {
  const message = `the recording holds no answer to this request (${method} ${path})`;
  return new Response(JSON.stringify({ error: { message, code: 400 } }), {
    status: 400,
    headers: { "content-type": "application/json" },
  });
}

function askedFor(input: Parameters<Fetch>[0], init: RequestInit | undefined, baseUrl: string): Asked {
  const url = input instanceof Request ? input.url : String(input);
  const path = url.startsWith(baseUrl) ? url.slice(baseUrl.length) : url;
  const method = init?.method ?? "GET";
  const request: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : null;
  const subject = new Headers(init?.headers).get(subjectHeader);
  const { opening, turn } = placeOf(request);
  return {
    conversation: hashJson([method, path, subject, opening]),
    turn,
    bodyHash: hashJson(request),
    method,
    path,
    request: request as Exchange["request"],
  };
}

/**
 * Which request of its conversation this is: by what opened it and the number of turns, because what tools answered
 * (a date, a duration) may differ between a campaign and its replay.
 */
function placeOf(request: unknown): { readonly opening: unknown; readonly turn: number } {
  const { model, messages, seed } = (request ?? {}) as Record<string, unknown>;
  if (!Array.isArray(messages)) return { opening: request, turn: 1 };
  const roles = messages.map((message) => (message as { role?: unknown }).role);
  const opening = messages.slice(0, roles.indexOf("user") + 1) as unknown[];
  const turn = roles.filter((role) => role === "assistant").length + 1;
  return { opening: [model, seed ?? null, opening], turn };
}

/** Takes the key and the account out of an exchange, and what differs every time. */
function scrub(exchange: Exchange, secret: string): Exchange {
  const clean = (text: string): string => text.replaceAll(secret, "***");
  const request = JSON.parse(clean(JSON.stringify(exchange.request))) as Exchange["request"];
  const headers = Object.entries(exchange.headers).map(([name, value]) => [name, clean(value)]);
  return {
    ...exchange,
    request,
    headers: Object.fromEntries(headers) as Exchange["headers"],
    body: clean(withoutAccount(exchange.body)),
  };
}

/** Of an account, of the key it was asked with, and what differs every time. */
const leftOut = ["user_id", "creator_user_id", "created", "label"];

function withoutAccount(body: string): string {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return body; // not JSON: kept as it is
  }
  if (!isObject(value)) return body;
  const { data } = value;
  return JSON.stringify(isObject(data) ? { ...known(value), data: known(data) } : known(value));
}

function known(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !leftOut.includes(name)));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
