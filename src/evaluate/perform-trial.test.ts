import { expect, test } from "vitest";
import type { Agent } from "../agents/port.ts";
import type { TranscriptLine } from "../artefacts/transcript.ts";
import { trialSchema } from "../artefacts/trial.ts";
import { type Container, SandboxError } from "../sandbox/port.ts";
import { answerBenchmark, sampleInputs } from "../testing/benchmark.ts";
import { fakeContainer } from "../testing/fake-container.ts";
import { collect, streamOf } from "../testing/sandbox-containers.ts";
import { noUsage } from "../testing/trials.ts";
import { performTrial, type TrialAttempt } from "./perform-trial.ts";
import { planTrials } from "./plan-trials.ts";

const agent: Agent = {
  id: "quick",
  standIn: true,
  work: ({ subject }) =>
    Promise.resolve({
      end: { kind: "ended", stop: "finished" },
      finalMessage: subject,
      usage: noUsage,
      served: { models: ["quick-2026"], providers: ["Alpha"] },
      request: { parameters: { max_tokens: 1 }, withheld: ["seed"] },
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
  const leftOut = "left out, with what lies below: 1 beyond 9 bytes in all";
  expect(attempt).toMatchObject({
    kind: "trial",
    trial: { outcome: { kind: "ended", snapshot: { bytes: 7, leftOut } } },
  });
  expect(lines).toContainEqual({ kind: "note", text: `snapshot: ${leftOut}` });
});

test("a snapshot that is cut off voids the trial", async () => {
  const { attempt } = await attemptWith(async function* () {
    await Promise.resolve();
    throw new SandboxError("the snapshot was cut off before the end of its archive");
  });
  expect(attempt).toEqual({ kind: "void", reason: "the snapshot was cut off before the end of its archive" });
});

test("a trial keeps who answered and what was sent, and its requests bear its name", async () => {
  const { attempt } = await attemptWith(() => streamOf(new Uint8Array(7)));
  if (attempt.kind !== "trial") throw new Error(attempt.kind);
  const { skill, benchmark, model, arm, n } = attempt.trial.trial;
  expect(trialSchema.parse(attempt.trial)).toMatchObject({
    served: { models: ["quick-2026"], providers: ["Alpha"] },
    request: { sent: { max_tokens: 1 }, withheld: ["seed"] },
    finalMessage: [skill, benchmark, encodeURIComponent(model), arm, String(n)].join("/"),
  });
});
