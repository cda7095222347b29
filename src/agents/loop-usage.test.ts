import { expect, test } from "vitest";
import { playLoop } from "../testing/play-loop.ts";
import type { ScriptedStep } from "../testing/scripted-model.ts";

const ls: ScriptedStep = { calls: [{ name: "bash", arguments: { command: "ls" } }] };
const bad: ScriptedStep = { calls: [{ name: "bash", arguments: "{" }] };
const done: ScriptedStep = { say: "Done." };

test("is summed, and calls are counted by kind", async () => {
  const write = { name: "write_file", arguments: { path: "a", content: "" } };
  const read = { name: "read_file", arguments: { path: "a" } };
  const steps = [{ calls: [write, read, read], repairs: 2 }, bad, { ...ls, waitedSeconds: 3 }, done] as const;
  const { record } = await playLoop(steps);
  expect(record.usage).toEqual({
    inputTokens: 60,
    uncachedInputTokens: 40,
    cachedInputTokens: 20,
    outputTokens: 8,
    costUsd: 2,
    modelCalls: 4,
    toolCalls: { bash: 1, read_file: 2, write_file: 1, invalid: 1 },
    repairedCalls: 2,
    lengthTurns: 0,
    textCalls: 0,
    peakContextTokens: 17,
    modelSeconds: 4,
    toolSeconds: 0,
    waitingSeconds: 3,
  });
});

test("one unknown makes its sum unknown and no other", async () => {
  const { record } = await playLoop([{ ...ls, usage: { costUsd: null, cachedInputTokens: null } }, done]);
  expect(record.usage).toMatchObject({
    uncachedInputTokens: 20,
    cachedInputTokens: null,
    outputTokens: 4,
    inputTokens: 30,
    costUsd: null,
    peakContextTokens: 17,
  });
});

test("a request given up that may have been billed makes the cost unknown", async () => {
  const { record } = await playLoop([
    ls,
    { failure: "infrastructure", costUnknown: true, waitedSeconds: 40 },
  ]);
  expect(record.usage).toMatchObject({ costUsd: null, waitingSeconds: 40, outputTokens: 2 });
});

test("turns cut off and calls written as text are counted, whatever comes of them", async () => {
  const textCall: ScriptedStep = { say: '<tool_call>{"name":"bash"}</tool_call>' };
  const cutCall: ScriptedStep = { ...ls, finish: "length" };
  const cutWords: ScriptedStep = { say: "First", finish: "length" };
  const { record } = await playLoop([textCall, cutCall, cutWords, { ...textCall, finish: "length" }]);
  expect(record.end).toEqual({ kind: "ended", stop: "invalid_calls" });
  expect(record.usage).toMatchObject({ modelCalls: 4, lengthTurns: 3, textCalls: 2 });
});
