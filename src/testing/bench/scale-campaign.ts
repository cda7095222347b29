import { mkdirSync, openSync, closeSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { analysisRulesSchema } from "../../artefacts/analysis.ts";
import type { EvidenceNote } from "../../artefacts/evidence.ts";
import type { AttemptLine, BegunLine } from "../../artefacts/ledger.ts";
import { type CampaignInputs, type Plan, type PlannedArm, planFormat } from "../../artefacts/plan.ts";
import { type PlannedTrial, type Trial, trialName } from "../../artefacts/trial.ts";
import type { Answer, Verdict } from "../../artefacts/verdict.ts";
import { analysisFor } from "../../campaign-analysis.ts";
import { campaignId } from "../../campaign-plan.ts";
import { planTrials } from "../../evaluate/plan-trials.ts";
import { canonicalJson, hashJson, sha256 } from "../../hash.ts";
import { randomFrom } from "../../seed.ts";
import { sampleInputs } from "../benchmark.ts";
import { sampleCanary } from "../canaries.ts";
import { fakeEndpoint } from "../endpoints.ts";
import { sampleLine } from "../ledgers.ts";
import { endedTrial, verdictOf } from "../trials.ts";

const skills = 5;
const models = ["acme/coder", "acme/coder-large", "umbra/writer:free", "umbra/writer-pro"];
const judges = ["acme/judge", "umbra/judge", "third/judge"];
const requestsPerTrial = 2;
const systemText = "You work in a container without a network. ".repeat(20);
const taskText = "Write the module, its tests and the notes. ".repeat(10);
const recipe = "synthetic";
const arms: readonly PlannedArm[] = [
  { id: "without_skill", treatment: { kind: "without_skill" }, delivered: null },
  { id: "with_skill", treatment: { kind: "with_skill" }, delivered: sha256("delivered") },
];

/** Trials of each arm × benchmark × model cell that give about `trials` in all; never less than one. */
export function scaleInputs(trials: number, benchmarksPerSkill = 10): CampaignInputs {
  const cells = skills * benchmarksPerSkill * models.length;
  return sampleInputs({
    name: "scale",
    skills: Array.from({ length: skills }, (_, skill) => ({
      id: `skill-${skill}`,
      arms: [...arms],
      treeHash: sha256(`skill ${skill}`),
      benchmarks: Array.from({ length: benchmarksPerSkill }, (_, benchmark) => ({
        id: `benchmark-${skill}-${benchmark}`,
        bundleHash: bundleHashOf({ benchmark: `benchmark-${skill}-${benchmark}` }),
      })),
    })),
    models,
    trials: Math.max(1, Math.round(trials / (arms.length * cells))),
    judges: [...judges],
    prompts: { system: sha256(systemText), tools: sha256("tools") },
    limits: { turns: 40, seconds: 900, contextTokens: 120_000, maxTokensPerTurn: 8192 },
    sandbox: { cpus: 2, memoryMiB: 2048, workspace: "memory", workspaceMiB: 512, pids: 256, packages: [] },
  });
}

function bundleHashOf({ benchmark }: Pick<PlannedTrial, "benchmark">): string {
  return sha256(`bundle ${benchmark}`);
}

export function scalePlan(inputs: CampaignInputs): Plan {
  return {
    format: planFormat,
    campaign: campaignId(inputs),
    inputs,
    inputsHash: hashJson(inputs),
    image: { id: "sha256:0", recipe, base: "packages" },
    endpoints: models.map((model) => ({ ...fakeEndpoint(), model })),
    replay: null,
    standIn: true,
    leaky: "include",
    analysis: analysisFor(
      analysisRulesSchema.parse({}),
      arms.map(({ id }) => id),
      inputs.trials,
    ),
    sections: [],
    benchmarks: inputs.skills.flatMap(({ id: skill, benchmarks }) =>
      benchmarks.map(({ id }) => ({
        ...{ skill, benchmark: id, title: id, judged: false, checks: [], leaks: [], standInJudges: false },
        ...{ backend: null, isolated: null },
      })),
    ),
    trials: planTrials(inputs, recipe),
  };
}

/** What became of one planned trial: a few are still to do, were lost first, wait for a verdict or were judged. */
type Fate = {
  readonly done: boolean;
  readonly voids: number;
  readonly graded: boolean;
  readonly judged: boolean;
};

export function fateOf(planned: PlannedTrial, at: number): Fate {
  const random = randomFrom(planned.key);
  return {
    done: at % 100 !== 99,
    voids: at % 50 === 7 ? 1 : 0,
    graded: random() < 0.99,
    judged: at % 10 === 3,
  };
}

/** Lays down what an evaluation of `plan` leaves in `folder`, without agents: every file, small and well-formed. */
export function layCampaign(folder: string, plan: Plan): void {
  const tar = Buffer.alloc(2560, "a small workspace\n");
  const snapshot = { sha256: sha256(tar), bytes: tar.length, packed: gzipSync(tar) };
  const chain = new SyntheticChain(join(folder, "evidence.jsonl"));
  const ledger = openSync(join(folder, "ledger.jsonl"), "w");
  chain.append({ kind: "plan", hash: hashJson(plan) });
  layCanaries(folder, plan, chain);
  plan.trials.forEach((planned, at) => {
    const place = join(folder, "trials", trialName(planned));
    mkdirSync(place, { recursive: true });
    writeSync(ledger, ledgerLines(planned, at));
    const fate = fateOf(planned, at);
    if (fate.voids > 0) {
      mkdirSync(join(place, "voids", "1"), { recursive: true });
      writeFileSync(join(place, "voids", "1", "transcript.jsonl"), '{"kind":"note","text":"void: lost"}\n');
    }
    if (!fate.done) return;
    const trial = syntheticTrial(planned, snapshot, fate.voids);
    writeFileSync(join(place, "transcript.jsonl"), transcript);
    writeFileSync(join(place, "workspace.tar.gz"), snapshot.packed);
    writeFileSync(join(place, "trial.json"), pretty(trial));
    chain.append({
      kind: "trial",
      trial: trialName(planned),
      key: planned.key,
      hash: hashJson(trial),
      files: trialFiles,
    });
    if (!fate.graded) return;
    const verdict = {
      ...syntheticVerdict(planned, snapshot.sha256, fate.judged),
      bundleHash: bundleHashOf(planned),
    };
    writeFileSync(join(place, "grader.log"), graderLog);
    writeFileSync(join(place, "verdict.json"), pretty(verdict));
    chain.append({
      kind: "verdict",
      trial: trialName(planned),
      key: planned.key,
      hash: hashJson(verdict),
      files: verdictFiles,
    });
  });
  chain.close();
  closeSync(ledger);
}

function layCanaries(folder: string, { inputs }: Plan, chain: SyntheticChain): void {
  for (const { id: skill, arms, treeHash, benchmarks } of inputs.skills) {
    for (const { id: arm, delivered } of arms) {
      const [first] = benchmarks;
      if (first === undefined) continue;
      const { id: benchmark, bundleHash } = first;
      const canary = { ...sampleCanary(), skill, arm, treeHash, delivered, benchmark, bundleHash };
      const name = join(skill, arm, "1");
      mkdirSync(join(folder, "canaries", skill, arm), { recursive: true });
      writeFileSync(join(folder, "canaries", `${name}.json`), pretty(canary));
      chain.append({ kind: "canary", canary: name, hash: hashJson(canary) });
    }
  }
}

/** As store/evidence.ts writes it, without a flush per line. */
class SyntheticChain {
  private readonly file: number;
  private last: string | null = null;

  constructor(path: string) {
    this.file = openSync(path, "w");
  }

  append(line: EvidenceNote): void {
    const text = canonicalJson({ ...line, previous: this.last });
    writeSync(this.file, `${text}\n`);
    this.last = sha256(text);
  }

  close(): void {
    closeSync(this.file);
  }
}

function syntheticTrial(
  planned: PlannedTrial,
  { sha256: hash, bytes }: { sha256: string; bytes: number },
  voids: number,
): Trial {
  const random = randomFrom("usage", planned.key);
  const usage = {
    inputTokens: Math.floor(random() * 60_000),
    uncachedInputTokens: Math.floor(random() * 20_000),
    cachedInputTokens: Math.floor(random() * 40_000),
    outputTokens: Math.floor(random() * 4000),
    costUsd: random() / 10,
    modelCalls: requestsPerTrial,
    modelSeconds: random() * 60,
    toolSeconds: random() * 10,
  };
  const trial = endedTrial(planned, { usage });
  return {
    ...trial,
    outcome: { kind: "ended", stop: "finished", snapshot: { sha256: hash, bytes } },
    finalMessage: finalMessage,
    prompts: { system: sha256(systemText), task: sha256(taskText), tools: sha256("tools") },
    voids,
  };
}

const finalMessage = "I wrote the module, its tests and the notes, and all of them hold. ".repeat(10);

function syntheticVerdict(
  planned: PlannedTrial,
  snapshot: string,
  judged: boolean,
): Omit<Verdict, "bundleHash"> {
  const passed = randomFrom("verdict", planned.key)() < (planned.arm === "with_skill" ? 0.7 : 0.5);
  return {
    ...verdictOf(passed ? "passed" : "failed"),
    assertions: Array.from({ length: 6 }, (_, at) => ({
      assertion: `assertion ${at} of the grader`,
      passed,
    })),
    answers: judged ? ["tone", "length", "form"].map((id) => syntheticAnswer(planned, id)) : [],
    snapshot,
  };
}

function syntheticAnswer({ key }: PlannedTrial, id: string): Answer {
  const random = randomFrom("ballots", key, id);
  const ballots = judges.map((judge) => {
    const answer = random() < 0.8 ? ("yes" as const) : ("no" as const);
    return {
      question: id,
      judge,
      answer,
      reason: null,
      reply: `${answer.toUpperCase()}. ${"It reads well. ".repeat(10)}`,
    };
  });
  return {
    question: { id, question: `Is its ${id} as the task asks?`, artefacts: ["letter.md"], expect: true },
    key: sha256(`${key} ${id}`),
    ballots,
    answer: ballots.filter(({ answer }) => answer === "yes").length >= 2,
  };
}

function ledgerLines(planned: PlannedTrial, at: number): string {
  const subject = trialName(planned);
  const lines: (BegunLine | AttemptLine)[] = [];
  for (let turn = 1; turn <= requestsPerTrial; turn++) {
    const id = at * requestsPerTrial + turn;
    const line = sampleLine(id, { subject, model: planned.model, turn, generation: `gen-${id}` });
    const { role, model, tag, attempt } = line;
    lines.push({
      kind: "begun",
      id,
      at: line.at,
      role,
      subject,
      model,
      tag,
      turn,
      attempt,
      upToNanoUsd: 9_000_000,
    });
    lines.push(line);
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

const transcript = [
  { kind: "system", text: systemText },
  { kind: "user", text: taskText },
  {
    kind: "assistant",
    text: null,
    toolCalls: [{ id: "1", name: "bash", arguments: '{"command":"ls"}' }],
    finish: "tool_calls",
  },
  { kind: "tool", toolCallId: "1", name: "bash", text: "src\nnotes.md\n", seconds: 0.1 },
  { kind: "assistant", text: finalMessage, toolCalls: [], finish: "stop" },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join("");

const graderLog = "every assertion was made\n";
const trialFiles = { "transcript.jsonl": sha256(transcript) };
const verdictFiles = { "grader.log": sha256(graderLog) };

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
