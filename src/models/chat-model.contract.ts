import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ChatMessage, ChatModel, ChatRequest, ChatTurn, ToolSpec } from "./port.ts";

/** What every implementation is asked to do, so that it can be prepared for it. */
export const contractTask = {
  /** First user message of the working conversation. The first turn calls write_file, the second says it is done. */
  task: "Write the word right into out.txt.",
  judge: "Question: does the artefact hold the word right?",
  /** In the judge's message when the answer is to be YES. */
  yesIf: "ARTEFACT: right",
} as const;

export const writeFileSpec: ToolSpec = {
  name: "write_file",
  description: "Writes a text file.",
  parameters: {
    type: "object",
    properties: { path: { type: "string" }, content: { type: "string" } },
    required: ["path", "content"],
  },
};

type Opened = { readonly agent: ChatModel; readonly judge: ChatModel; readonly close: () => Promise<void> };

/** The contract of `ChatModel`, run over every implementation. */
export function chatModelContract(name: string, open: () => Promise<Opened>): void {
  describe(`${name} keeps the contract of a chat model`, () => {
    let opened: Opened;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    const opening: ChatMessage[] = [
      { role: "system", content: "You work in a container." },
      { role: "user", content: contractTask.task },
    ];
    const request: ChatRequest = { messages: opening, tools: [writeFileSpec], maxTokens: 1024, seed: 7 };

    test("a turn with calls has ids, names and JSON objects for arguments", async () => {
      const turn = await turnOf(opened.agent, request);
      const { toolCalls } = turn.message;
      expect(toolCalls.length).toBeGreaterThan(0);
      expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(toolCalls.length);
      for (const call of toolCalls) {
        expect(call.id).not.toBe("");
        expect(call.name).toBe("write_file");
        expect(JSON.parse(call.arguments)).toMatchObject({ path: "out.txt" });
      }
    });

    test("its own turn, sent back with the tool's answer, is taken and leads to a final message", async () => {
      const first = await turnOf(opened.agent, request);
      const answers = first.message.toolCalls.map(({ id }): ChatMessage => ({
        role: "tool",
        toolCallId: id,
        content: "Wrote 5 bytes.",
      }));
      const second = await turnOf(opened.agent, {
        ...request,
        messages: [...opening, first.message, ...answers],
      });
      expect(second.message.toolCalls).toEqual([]);
      expect(second.message.content).not.toBe("");
      expect(second.finish).toBe("stop");
    });

    test("usage is a count or null, and the whole prompt is uncached plus cached", async () => {
      const { usage } = await turnOf(opened.agent, request);
      for (const value of Object.values(usage)) expect(value === null || value >= 0).toBe(true);
      const { uncachedInputTokens: uncached, cachedInputTokens: cached } = usage;
      if (uncached !== null && cached !== null) expect(uncached + cached).toBeGreaterThan(10);
    });

    test("time of the request and time of waiting are told apart", async () => {
      const { modelSeconds, waitedSeconds } = await turnOf(opened.agent, request);
      expect(modelSeconds).toBeGreaterThanOrEqual(0);
      expect(waitedSeconds).toBe(0);
    });

    test.each([
      { artefact: contractTask.yesIf, answer: "YES" },
      { artefact: "ARTEFACT: wrong", answer: "NO" },
    ])(
      "a judge answers $answer for '$artefact', as JSON when a schema is given",
      async ({ artefact, answer }) => {
        const content = `${contractTask.judge}\n${artefact}`;
        const asked: ChatRequest = { messages: [{ role: "user", content }], tools: [], maxTokens: 1024 };
        const plain = await turnOf(opened.judge, asked);
        expect(plain.message.content).toBe(answer);
        const schema = {
          type: "object",
          properties: { answer: { type: "string", enum: ["YES", "NO"] }, reason: { type: "string" } },
          required: ["answer", "reason"],
        };
        const shaped = await turnOf(opened.judge, { ...asked, responseSchema: { name: "ballot", schema } });
        const reason: unknown = expect.any(String);
        expect(JSON.parse(shaped.message.content ?? "")).toEqual({ answer, reason });
      },
    );

    test("an aborted signal rejects with its reason", async () => {
      const reason = new Error("the user pressed Ctrl-C");
      await expect(opened.agent.complete(request, AbortSignal.abort(reason))).rejects.toBe(reason);
    });
  });
}

async function turnOf(model: ChatModel, request: ChatRequest): Promise<ChatTurn> {
  const answer = await model.complete(request);
  if (answer.kind !== "turn") throw new Error(`no turn: ${answer.message}`);
  return answer;
}
