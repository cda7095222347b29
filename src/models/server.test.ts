import { expect, test } from "vitest";
import { UserError } from "../errors.ts";
import { modelServer } from "./server.ts";

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
