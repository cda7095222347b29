import { expect, test } from "vitest";
import type { Agent } from "../agents/port.ts";
import type { TranscriptLine } from "../artefacts/transcript.ts";
import { type Container, SandboxError } from "../sandbox/port.ts";
import { answerBenchmark, sampleInputs } from "../testing/benchmark.ts";
import { fakeContainer } from "../testing/fake-container.ts";
import { collect, streamOf } from "../testing/sandbox-containers.ts";
import { performTrial, type TrialAttempt } from "./perform-trial.ts";
import { planTrials } from "./plan-trials.ts";

const usage = {
  inputTokens: 1,
  uncachedInputTokens: 1,
  cachedInputTokens: 0,
  outputTokens: 1,
  costUsd: 0,
  modelCalls: 1,
  toolCalls: { bash: 0, read_file: 0, write_file: 0, invalid: 0 },
  repairedCalls: 0,
  peakContextTokens: 1,
  modelSeconds: 0,
  toolSeconds: 0,
  waitingSeconds: 0,
};
const agent: Agent = {
  id: "quick",
  standIn: true,
  work: () =>
    Promise.resolve({
      end: { kind: "ended", stop: "finished" },
      finalMessage: null,
      usage,
    }),
};

/** One attempt by an agent that ends at once, in a container with this snapshot. */
async function attemptWith(
  snapshot: Container["snapshot"],
): Promise<{ readonly attempt: TrialAttempt; readonly lines: readonly TranscriptLine[] }> {
  const [planned] = planTrials(sampleInputs(), "recipe");
  if (planned === undefined) throw new Error("the sample plans no trial");
  const container = { ...fakeContainer(), unpack: () => Promise.resolve({ refused: "" }), snapshot };
  const lines: TranscriptLine[] = [];
  const tools = {
    sandbox: {
      image: { id: "sha256:1", recipe: "recipe", base: "registry" as const },
      open: () => Promise.resolve(container),
    },
    agent,
    pack: () => streamOf(),
    record: (line: TranscriptLine) => void lines.push(line),
    spool: async (tar: AsyncIterable<Uint8Array>) => ({ sha256: "s", bytes: (await collect(tar)).length }),
  };
  const limits = { turns: 1, outputTokens: 1, seconds: 1, commandSeconds: 1, maxTokensPerTurn: 1 };
  const context = { campaign: "c", limits, toolsHash: "t", voids: 0 };
  return { attempt: await performTrial(planned, answerBenchmark(), null, tools, context), lines };
}

test("a workspace over a limit counts as a trial, with a note of what was left out", async () => {
  const { attempt, lines } = await attemptWith(async function* (onLeftOut) {
    yield* streamOf(new Uint8Array(7));
    onLeftOut?.("left out, with what lies below: 1 beyond 9 bytes in all");
  });
  expect(attempt).toMatchObject({
    kind: "trial",
    trial: { outcome: { kind: "ended", snapshot: { bytes: 7 } } },
  });
  const text = "snapshot: left out, with what lies below: 1 beyond 9 bytes in all";
  expect(lines).toContainEqual({ kind: "note", text });
});

test("a snapshot that is cut off voids the trial", async () => {
  const { attempt } = await attemptWith(async function* () {
    await Promise.resolve();
    throw new SandboxError("the snapshot was cut off before the end of its archive");
  });
  expect(attempt).toEqual({ kind: "void", reason: "the snapshot was cut off before the end of its archive" });
});
