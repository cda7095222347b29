import { expect, test } from "vitest";
import { isJsonObject, type RawCall, readCalls } from "./read-calls.ts";

const ok = '{"command":"ls"}';

test.each<{ name: string; raw: RawCall; read: { name: string; arguments: string }; repairs: number }>([
  {
    name: "as it should be",
    raw: { id: "a", function: { name: "bash", arguments: ok } },
    read: { name: "bash", arguments: ok },
    repairs: 0,
  },
  {
    name: "an object",
    raw: { id: "a", function: { name: "bash", arguments: { command: "ls" } } },
    read: { name: "bash", arguments: ok },
    repairs: 1,
  },
  {
    name: "JSON in JSON",
    raw: { id: "a", function: { name: "bash", arguments: JSON.stringify(ok) } },
    read: { name: "bash", arguments: ok },
    repairs: 1,
  },
  {
    name: "nothing",
    raw: { id: "a", function: { name: "bash", arguments: null } },
    read: { name: "bash", arguments: "{}" },
    repairs: 1,
  },
  {
    name: "a prefix, a tail and an object",
    raw: { id: "a", function: { name: "functions.bash<|channel|>x", arguments: {} } },
    read: { name: "bash", arguments: "{}" },
    repairs: 2,
  },
  {
    name: "a string in JSON stays",
    raw: { id: "a", function: { name: "bash", arguments: '"ls"' } },
    read: { name: "bash", arguments: '"ls"' },
    repairs: 0,
  },
  {
    name: "two values stay",
    raw: { id: "a", function: { name: "bash", arguments: `${ok}${ok}` } },
    read: { name: "bash", arguments: `${ok}${ok}` },
    repairs: 0,
  },
  {
    name: "a missing bracket stays",
    raw: { id: "a", function: { name: "bash", arguments: '{"command":"ls"' } },
    read: { name: "bash", arguments: '{"command":"ls"' },
    repairs: 0,
  },
  { name: "no function at all", raw: { id: "a" }, read: { name: "", arguments: "{}" }, repairs: 1 },
])("arguments and names: $name", ({ raw, read, repairs }) => {
  expect(readCalls([raw], 1)).toEqual({ calls: [{ id: "a", ...read }], repairs });
});

test("missing and repeated ids are replaced, others kept", () => {
  const raw = [{ id: "a" }, { id: "a" }, { id: "" }, {}, { id: "functions.bash:0" }];
  const ids = readCalls(raw, 4).calls.map(({ id }) => id);
  expect(ids).toEqual(["a", "call_t4_1", "call_t4_2", "call_t4_3", "functions.bash:0"]);
});

test.each([
  ["{}", true],
  ["[]", false],
  ["null", false],
  ["", false],
])("%j is a JSON object: %s", (text, expected) => {
  expect(isJsonObject(text)).toBe(expected);
});
