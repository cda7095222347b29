import { type TranscriptLine, transcriptLineSchema } from "../artefacts/transcript.ts";
import type { AgentLimits, AgentRecord } from "../agents/port.ts";
import { runToolLoop } from "../agents/tool-loop.ts";
import { agentTools } from "../agents/tools.ts";
import { fakeContainer, type FakeContainer } from "./fake-container.ts";
import { type ScriptedModel, scriptedModel, type ScriptedStep } from "./scripted-model.ts";

const roomy: AgentLimits = {
  turns: 50,
  outputTokens: 10_000,
  seconds: 1000,
  commandSeconds: 60,
  maxTokensPerTurn: 800,
};
/** What came of a loop, and everything it touched. */
export type Played = {
  record: AgentRecord;
  lines: TranscriptLine[];
  model: ScriptedModel;
  container: FakeContainer;
};

/** Runs the tool loop over a scripted model, in a fake container unless another is given. */
export async function playLoop(
  steps: readonly [ScriptedStep, ...ScriptedStep[]],
  options: {
    limits?: Partial<AgentLimits>;
    container?: FakeContainer;
    now?: () => number;
    signal?: AbortSignal;
  } = {},
): Promise<Played> {
  const { limits = {}, container = fakeContainer(), now = () => 0, signal } = options;
  const model = scriptedModel(steps);
  const lines: TranscriptLine[] = [];
  const record = await runToolLoop({
    model,
    tools: agentTools,
    task: { system: "sys", task: "do it", seed: 9, subject: "played" },
    container,
    limits: { ...roomy, ...limits },
    record: (line) => lines.push(transcriptLineSchema.parse(line)),
    now,
    signal,
  });
  return { record, lines, model, container };
}
