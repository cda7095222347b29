import { openAiChatModel, type OpenAiChatSettings } from "../models/openai-chat.ts";
import type { ChatFailure, ChatMessage, ChatModel, ChatRequest, ChatTurn } from "../models/port.ts";
import { modelServer } from "../models/server.ts";
import { fakeEndpoint } from "./endpoints.ts";
import { fakeClock, type FakeClock } from "./fake-clock.ts";
import { type FakeLogEntry, type FakeModel, startFake } from "./fake-openrouter.mjs";

/** The key every request carries; it must stand in nothing that is said. */
export const canaryKey = "sk-canary-4f1d9a";

export const openingMessages: readonly ChatMessage[] = [
  { role: "system", content: "You work in a container." },
  { role: "user", content: "Do it." },
];

export const openingRequest: ChatRequest = {
  messages: openingMessages,
  tools: [{ name: "bash", description: "Runs a command.", parameters: { type: "object" } }],
  maxTokens: 1024,
};

export type FakedChat = {
  /** Replaces what acme/coder does and forgets every request. */
  load(model: FakeModel): void;
  /** A client of acme/coder, pinned to its first endpoint, whose clock never waits. */
  open(settings?: Partial<OpenAiChatSettings> & { readonly deadlineMs?: number }): {
    readonly model: ChatModel;
    readonly clock: FakeClock;
  };
  requests(): number;
  log(): readonly FakeLogEntry[];
  close(): Promise<void>;
};

/** A client and the fake server it talks to. */
export async function fakedChat(): Promise<FakedChat> {
  const running = await startFake();
  return {
    load: (model) => {
      running.fake.load({ models: { "acme/coder": model } });
    },
    open: ({ deadlineMs = 10_000, ...settings } = {}) => {
      const clock = fakeClock({ now: Date.now(), random: 0.5 });
      const env = { OPENROUTER_API_KEY: canaryKey };
      const server = modelServer({ baseUrl: running.baseURL, env, dialect: "openrouter", deadlineMs });
      const endpoint = fakeEndpoint({ baseUrl: running.baseURL });
      return { clock, model: openAiChatModel({ server, endpoint, role: "agent", clock, ...settings }) };
    },
    requests: () => running.fake.log.length,
    log: () => running.fake.log,
    close: () => running.close(),
  };
}

export function turnOf(answer: ChatTurn | ChatFailure): ChatTurn {
  if (answer.kind === "failure") throw new Error(`no turn: ${answer.message}`);
  return answer;
}
