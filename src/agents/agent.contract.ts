import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type TranscriptLine, transcriptLineSchema } from "../artefacts/transcript.ts";
import { trialUsageSchema } from "../artefacts/trial.ts";
import type { Container } from "../sandbox/port.ts";
import type { Agent, AgentLimits, AgentRecord } from "./port.ts";

/** What every implementation is asked to do: write `right` into /workspace/out.txt when the system prompt knows it. */
export const agentContractTask = {
  task: "Write the agreed word into out.txt.",
  /** Stands in the system prompt of the arm that knows. */
  fact: "The agreed word is right.",
  known: "right",
  otherwise: "wrong",
} as const;

export type OpenedAgent = { readonly agent: Agent; readonly close: () => Promise<void> };

const limits: AgentLimits = {
  turns: 6,
  outputTokens: 5000,
  seconds: 60,
  commandSeconds: 10,
  maxTokensPerTurn: 1024,
};

/** The contract of `Agent`, run over every implementation in every kind of container. */
export function agentContract(
  name: string,
  open: () => Promise<OpenedAgent>,
  openContainer: () => Promise<Container>,
): void {
  describe(`${name} keeps the contract of an agent`, () => {
    let opened: OpenedAgent;
    let container: Container;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    beforeEach(async () => {
      container = await openContainer();
    });
    afterEach(() => container.dispose());

    const work = async (
      system: string,
      options: { limits?: Partial<AgentLimits>; signal?: AbortSignal } = {},
    ): Promise<{ record: AgentRecord; lines: readonly TranscriptLine[] }> => {
      const lines: TranscriptLine[] = [];
      const { signal } = options;
      const task = { system, task: agentContractTask.task, seed: 11, subject: "agent contract" };
      const record = await opened.agent.work(task, container, {
        limits: { ...limits, ...options.limits },
        record: (line) => lines.push(transcriptLineSchema.parse(line)),
        ...(signal === undefined ? {} : { signal }),
      });
      return { record, lines };
    };

    const written = async (): Promise<string> => {
      const outcome = await container.readFile("/workspace/out.txt", 100);
      return outcome.kind === "read" ? new TextDecoder().decode(outcome.bytes) : outcome.reason;
    };

    test.each([
      { system: `You work. ${agentContractTask.fact}`, word: agentContractTask.known },
      { system: "You work.", word: agentContractTask.otherwise },
    ])("works in the container on what it was told: $word", async ({ system, word }) => {
      const { record } = await work(system);
      expect(record.end).toEqual({ kind: "ended", stop: "finished" });
      expect(record.finalMessage).not.toBe("");
      expect(await written()).toBe(word);
    });

    test("tells everything in order, beginning with what it was given", async () => {
      const { lines } = await work("You work.");
      expect(lines.slice(0, 2)).toEqual([
        { kind: "system", text: "You work." },
        { kind: "user", text: agentContractTask.task },
      ]);
      const calls = lines.flatMap((line) =>
        line.kind === "assistant" ? line.toolCalls.map(({ id }) => id) : [],
      );
      const answers = lines.flatMap((line) => (line.kind === "tool" ? [line.toolCallId] : []));
      expect(answers).toEqual(calls);
      expect(answers.length).toBeGreaterThan(0);
    });

    test("counts what it used", async () => {
      const { record } = await work("You work.");
      const usage = trialUsageSchema.parse(record.usage);
      expect(usage.modelCalls).toBeGreaterThan(1);
      const { bash, read_file, write_file, invalid } = usage.toolCalls;
      expect(bash + read_file + write_file).toBeGreaterThan(0);
      expect(invalid).toBe(0);
    });

    test("stops at the turn limit and keeps what it did", async () => {
      const { record } = await work("You work.", { limits: { turns: 1 } });
      expect(record.end).toEqual({ kind: "ended", stop: "turn_limit" });
      expect(record.finalMessage).toBeNull();
      expect(await written()).toBe(agentContractTask.otherwise);
    });

    test("an aborted signal rejects with its reason", async () => {
      const reason = new Error("Ctrl-C");
      await expect(work("You work.", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    });
  });
}
