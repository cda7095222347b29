import { describe, expect, test } from "vitest";
import { readTurn } from "./read-turn.ts";

const usage = { prompt_tokens: 5, completion_tokens: 2, cost: 0.25 };

/** A 200's body whose only choice holds this. */
function answer(message: object | null, choice: object = {}): unknown {
  const choices = message === null ? [] : [{ finish_reason: "stop", message, ...choice }];
  return { id: "gen-1", model: "m-1", provider: "Alpha", choices, usage };
}

describe("provider fields that go back", () => {
  const details = [
    { type: "reasoning.encrypted", data: "b3BhcXVl", id: null, index: 1, format: "x" },
    { type: "reasoning.text", text: "a\0b\uD800", signature: "s", index: 0 },
  ];

  test.each([
    { name: "every item in its order, whatever it holds", given: { reasoning_details: details } },
    { name: "an empty array", given: { reasoning_details: [] } },
    { name: "reasoning_content where the server gave it", given: { reasoning_content: "hm" } },
  ])("$name", ({ given }) => {
    const reading = readTurn(answer({ content: "Done.", reasoning: "for display", ...given }), 1);
    expect(reading.kind === "turn" && JSON.stringify(reading.turn.message.echo)).toBe(JSON.stringify(given));
  });

  test("none where there is nothing in them", () => {
    const reading = readTurn(
      answer({ content: "Done.", reasoning_details: null, reasoning_content: null }),
      1,
    );
    expect(reading.kind === "turn" && "echo" in reading.turn.message).toBe(false);
  });
});

test.each([
  { name: "no choice", body: answer(null), fault: "empty" },
  {
    name: "an error in the choice",
    body: answer({ content: "x" }, { error: { code: 502 } }),
    fault: "response",
  },
  { name: "a call nobody could read", body: answer({}, { finish_reason: "error" }), fault: "malformed" },
])("$name is no turn, and tells what came with it all the same", ({ body, fault }) => {
  expect(readTurn(body, 1)).toMatchObject({
    kind: "fault",
    fault: { kind: fault },
    answered: { usage: { costUsd: usage.cost }, servedBy: "Alpha", generationId: "gen-1" },
  });
});
