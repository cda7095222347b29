import { afterAll, beforeAll, expect, test } from "vitest";
import { captureOf, fakeContainer } from "../testing/fake-container.ts";
import { fakedChat, type FakedChat } from "../testing/faked-chat.ts";
import { toolLoopAgent } from "./tool-loop.ts";

let chat: FakedChat;
beforeAll(async () => {
  chat = await fakedChat();
});
afterAll(() => chat.close());

const limits = { turns: 20, outputTokens: 50_000, seconds: 60, commandSeconds: 5, maxTokensPerTurn: 1024 };

test("a strict server that wants its reasoning back has no complaint about anything a loop sends", async () => {
  const outputs: Readonly<Record<string, string | Uint8Array>> = {
    quiet: "",
    nul: "a\0b",
    // A lone surrogate as some programs write it: not UTF-8.
    surrogate: new Uint8Array([0x61, 0xed, 0xa0, 0x80, 0x62]),
  };
  const bash = (command: string): object => ({ name: "bash", args: { command } });
  const agent = [
    { calls: [bash("quiet"), bash("nul"), bash("surrogate")], reasoning: "first" },
    { calls: [{ name: "read_file", args: { path: "kept" } }], reasoning: "second" },
    { calls: [bash("\0 and \uD800")], reasoning: "third", say: "" },
    { calls: [bash("quiet")], quirk: "args_cut", reasoning: "fourth" },
    "Done.",
  ];
  chat.load({ requires_reasoning: true, strict_history: true, rules: [{ do: { agent } }] });
  const container = fakeContainer({
    files: { "/workspace/kept": "c\0d\uD800" },
    run: ({ command }) => ({ stdout: captureOf(outputs[command] ?? "") }),
  });
  const task = { system: "You work\0.", task: "Do it\uD800.", seed: 1, subject: "strict" };
  const { end, finalMessage } = await toolLoopAgent(chat.open().model).work(task, container, {
    limits,
    record: () => undefined,
  });
  expect({ end, finalMessage }).toEqual({ end: { kind: "ended", stop: "finished" }, finalMessage: "Done." });
  expect(chat.log().map(({ status, warnings }) => [status, ...warnings])).toEqual(Array(5).fill([200]));
  const bodies = chat.log().map(({ body }) => body);
  const answers = (bodies.at(-1)?.["messages"] as { role: string; content: string }[])
    .filter(({ role }) => role === "tool")
    .map(({ content }) => content);
  expect(answers).toHaveLength(6);
  expect(answers.slice(0, 3)).toEqual([
    expect.stringMatching(/\S/) as string,
    expect.stringContaining("ab") as string,
    expect.stringMatching(/a\uFFFD+b/) as string,
  ]);
  expect(JSON.stringify(bodies)).not.toMatch(/\\u0000|\\ud8/i);
});
