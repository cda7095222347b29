import { expect, test } from "vitest";
import { UserError } from "../errors.ts";
import { hasVersion, modelServer } from "./server.ts";

const remote = "https://openrouter.ai/api/v1";

test("a missing key names the variable to set", () => {
  expect(() => modelServer({ baseUrl: remote, env: {} })).toThrow(UserError);
  expect(() => modelServer({ baseUrl: remote, env: {} })).toThrow("OPENROUTER_API_KEY is not set");
  expect(() => modelServer({ baseUrl: remote, keyVariable: "MY_KEY", env: { MY_KEY: "  " } })).toThrow(
    "MY_KEY=…",
  );
});

test.each(["http://localhost:11434/v1", "http://127.0.0.1:8080/v1", "http://[::1]:8080/v1"])(
  "%s needs no key",
  (baseUrl) => {
    expect(modelServer({ baseUrl, env: {} }).key).not.toBe("");
  },
);

test.each([
  { baseUrl: remote, dialect: "openrouter" },
  { baseUrl: "https://notopenrouter.ai/v1", dialect: "openai" },
  { baseUrl: "https://api.example.com/v1", dialect: "openai" },
])("the dialect of $baseUrl is $dialect", ({ baseUrl, dialect }) => {
  expect(modelServer({ baseUrl, env: { OPENROUTER_API_KEY: "k" } }).dialect).toBe(dialect);
});

test("a set dialect wins over the host", () => {
  expect(modelServer({ baseUrl: "http://localhost/v1", env: {}, dialect: "openrouter" }).dialect).toBe(
    "openrouter",
  );
});

test.each(["localhost:11434", "", "ftp://example.com"])('"%s" is no address', (baseUrl) => {
  expect(() => modelServer({ baseUrl, env: {} })).toThrow(/is not an http address/);
});

test("the address is kept without a slash at its end", () => {
  expect(modelServer({ baseUrl: "http://localhost:8080/v1/", env: {} }).baseUrl).toBe(
    "http://localhost:8080/v1",
  );
});

test("an address with a password is refused, and the password not shown", () => {
  const open = (): unknown => modelServer({ baseUrl: "http://me:s3cret@localhost/v1", env: {} });
  expect(open).toThrow(UserError);
  expect(open).not.toThrow(/s3cret/);
});

test.each([
  { baseUrl: remote, deadlineMs: 600_000 },
  { baseUrl: "https://api.example.com/v1", deadlineMs: 600_000 },
  { baseUrl: "http://127.0.0.1:11434/v1", deadlineMs: 1_800_000 },
  // OpenRouter's dialect on this machine is a proxy, and the hardware is not ours.
  { baseUrl: "http://127.0.0.1:4000/v1", dialect: "openrouter" as const, deadlineMs: 600_000 },
])("one request to $baseUrl may take $deadlineMs ms", ({ deadlineMs, ...settings }) => {
  const env = { OPENROUTER_API_KEY: "k" };
  const server = modelServer({ ...settings, env });
  expect(server.deadlineMs).toBe(deadlineMs);
  expect(server.client.timeout).toBe(deadlineMs);
  expect(modelServer({ ...settings, env, deadlineMs: 5000 }).client.timeout).toBe(5000);
});

test.each([
  ["https://openrouter.ai/api/v1", true],
  ["http://127.0.0.1:1234/v1", true],
  ["https://generativelanguage.googleapis.com/v1beta/openai", true],
  ["http://127.0.0.1:1234", false],
  ["http://127.0.0.1:11434/api", false],
])("whether %s ends like an API: %s", (baseUrl, expected) => {
  expect(hasVersion(baseUrl)).toBe(expected);
});

test.each([
  { dialect: "openrouter" as const, title: "skillproof", cache: "false" },
  { dialect: "openai" as const, title: null, cache: null },
])("headers of the dialect $dialect", async ({ dialect, title, cache }) => {
  const seen: Headers[] = [];
  const server = modelServer({
    baseUrl: "http://localhost/v1",
    env: {},
    dialect,
    fetch: (_input, init) => {
      seen.push(new Headers(init?.headers));
      return Promise.resolve(Response.json({ data: [] }));
    },
  });
  await server.client.get("/models");
  expect(seen).toHaveLength(1);
  expect(seen[0]?.get("x-openrouter-title")).toBe(title);
  expect(seen[0]?.get("x-openrouter-cache")).toBe(cache);
});
