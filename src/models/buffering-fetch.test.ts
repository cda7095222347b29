import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bufferingFetch } from "./buffering-fetch.ts";

const pad = "\n         \n";
const rows: readonly {
  readonly name: string;
  readonly sent: { readonly status: number; readonly body: string };
  readonly expected: { readonly status: number; readonly kind: string | null; readonly body: unknown };
}[] = [
  {
    name: "a completion behind padding passes",
    sent: { status: 200, body: `${pad}${pad}{"choices":[{"index":0}]}` },
    expected: { status: 200, kind: null, body: { choices: [{ index: 0 }] } },
  },
  {
    name: "an error beside a choice is the reader's to judge",
    sent: { status: 200, body: '{"choices":[{"index":0}],"error":{"code":502}}' },
    expected: { status: 200, kind: null, body: { choices: [{ index: 0 }], error: { code: 502 } } },
  },
  {
    name: "a list of models passes",
    sent: { status: 200, body: '{"data":[{"id":"a"}]}' },
    expected: { status: 200, kind: null, body: { data: [{ id: "a" }] } },
  },
  {
    name: "an error in a 200 gets its code as status",
    sent: { status: 200, body: `${pad}{"id":"gen-1","error":{"message":"no","code":429}}` },
    expected: {
      status: 429,
      kind: "error-in-200",
      body: { id: "gen-1", error: { message: "no", code: 429 } },
    },
  },
  {
    name: "an error in a 200 without a usable code is a 502",
    sent: { status: 200, body: '{"choices":[],"error":{"message":"no","code":"server_error"}}' },
    expected: {
      status: 502,
      kind: "error-in-200",
      body: { choices: [], error: { message: "no", code: "server_error" } },
    },
  },
  {
    name: "a bare string is an error at a wrong path",
    sent: { status: 200, body: '{"error":"Unexpected endpoint or method."}' },
    expected: {
      status: 404,
      kind: "error-in-200",
      body: { error: { message: "Unexpected endpoint or method." } },
    },
  },
  {
    name: "padding alone",
    sent: { status: 200, body: `${pad}${pad}` },
    expected: { status: 599, kind: "empty", body: { error: { message: "empty body", code: 200 } } },
  },
  {
    name: "a page keeps its title and loses its markup",
    sent: { status: 403, body: "<!DOCTYPE html><html><head><title>Attention Required</title></head></html>" },
    expected: {
      status: 403,
      kind: "html",
      body: { error: { message: 'an HTML page, "Attention Required"', code: 403 } },
    },
  },
  {
    name: "a page with 200",
    sent: { status: 200, body: "<html><body>Please log in</body></html>" },
    expected: { status: 599, kind: "html", body: { error: { message: "an HTML page", code: 200 } } },
  },
  {
    name: "JSON cut short",
    sent: { status: 200, body: '{"choices":[{"ind' },
    expected: { status: 599, kind: "not-json", body: { error: { message: '{"choices":[{"ind', code: 200 } } },
  },
  {
    name: "FastAPI's detail becomes the message",
    sent: { status: 422, body: '{"detail":[{"loc":["body","n"],"msg":"required"},{"msg":"no"},7]}' },
    expected: {
      status: 422,
      kind: null,
      body: {
        detail: [{ loc: ["body", "n"], msg: "required" }, { msg: "no" }, 7],
        error: { message: "body.n: required; no; 7" },
      },
    },
  },
  {
    name: "FastAPI's detail as a text",
    sent: { status: 404, body: '{"detail":"Not Found"}' },
    expected: { status: 404, kind: null, body: { detail: "Not Found", error: { message: "Not Found" } } },
  },
  {
    name: "a bare string with an error's status",
    sent: { status: 400, body: '{"error":"try pulling it first"}' },
    expected: { status: 400, kind: null, body: { error: { message: "try pulling it first" } } },
  },
  {
    name: "vLLM's unwrapped error is wrapped",
    sent: { status: 400, body: '{"object":"error","message":"bad","type":"BadRequestError","code":400}' },
    expected: {
      status: 400,
      kind: null,
      body: {
        object: "error",
        message: "bad",
        type: "BadRequestError",
        code: 400,
        error: { message: "bad", type: "BadRequestError", code: 400 },
      },
    },
  },
];

let server: Server;
let address: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const row = rows[Number(request.url?.slice(1))];
    const ours = Object.keys(request.headers).filter((name) => name.startsWith("x-sp-"));
    const headers = { "content-type": "text/plain", "x-kept": "yes", "x-ours": ours.join() };
    response.writeHead(row?.sent.status ?? 500, headers);
    response.end(row?.sent.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const bound = server.address();
  address = typeof bound === "object" && bound !== null ? `http://127.0.0.1:${bound.port}` : "";
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test.each(rows.map((row, at) => ({ ...row, at })))("$name", async ({ at, sent, expected }) => {
  const response = await bufferingFetch()(`${address}/${at}`, { method: "POST", body: "{}" });
  expect(response.status).toBe(expected.status);
  expect(response.headers.get("x-sp-kind")).toBe(expected.kind);
  expect(response.headers.get("x-sp-status")).toBe(String(sent.status));
  expect(response.headers.get("x-kept")).toBe("yes");
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(await response.json()).toEqual(expected.body);
});

test("what we tell our own fetch is not sent", async () => {
  const headers = { "x-sp-subject": "a trial", "x-other": "sent" };
  const response = await bufferingFetch()(`${address}/0`, { method: "POST", body: "{}", headers });
  expect(response.headers.get("x-ours")).toBe("");
});

test("a body that is not text is a bug of ours, said as such", async () => {
  await expect(bufferingFetch()(address, { method: "POST", body: new Uint8Array(3) })).rejects.toThrow(
    "a text body",
  );
});
