import { z } from "zod";
import { analysisRulesSchema, comparisonsSchema } from "./artefacts/analysis.ts";
import { armsSchema } from "./artefacts/arm.ts";
import { deliverySchema } from "./artefacts/plan.ts";

const count = z.number().int().positive();
const folderName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "letters, digits, dot, dash, underscore")
  .max(100, "at most 100 characters: a folder is called so");

/** Of one arm on one benchmark × model. More is a slip of the keyboard, and would fill the memory before it is noticed. */
export const mostTrialsPerCell = 1000;
const trialsPerCell = count.max(
  mostTrialsPerCell,
  `at most ${mostTrialsPerCell} per arm, benchmark and model`,
);

/** Each once: a model that stands there twice would have its trials counted twice. */
const modelIds = z.array(z.string().min(1)).superRefine((ids, context) => {
  for (const [at, id] of ids.entries()) {
    const first = ids.indexOf(id);
    if (first < at)
      context.addIssue({ code: "custom", path: [at], message: `the same model as number ${first + 1}` });
  }
});

const endpoint = {
  /** OpenAI-compatible root, e.g. https://openrouter.ai/api/v1 or http://127.0.0.1:11434/v1. */
  baseUrl: z.url().optional(),
  apiKeyEnv: z.string().min(1).default("OPENROUTER_API_KEY"),
};

const skillEntry = z.union([
  z.string().min(1),
  z.strictObject({
    folder: z.string().min(1),
    /** Benchmarks to use instead of `<benchmarks>/<name of the folder>`. */
    benchmarks: z.string().min(1).optional(),
  }),
]);

/** US dollars per million tokens. */
const perMillion = z.number().nonnegative();

/** What is fixed for one model, in every role it plays. */
const modelSettingsSchema = z.strictObject({
  /** Tag of the endpoint to use, as the server lists it (`fireworks/fp8`), instead of choosing one. */
  pin: z.string().min(1).optional(),
  /** Optional request parameters (`seed`, `temperature`, `reasoning`, `response_format`) of a server that lists none. */
  parameters: z.array(z.string().min(1)).optional(),
  /** For a server that names no prices; 0 for a model of your own. */
  prices: z
    .strictObject({
      input: perMillion,
      output: perMillion,
      cacheRead: perMillion.optional(),
      cacheWrite: perMillion.optional(),
    })
    .optional(),
  /** The provider's default when absent. */
  temperature: z.number().min(0).max(2).optional(),
  reasoning: z
    .strictObject({
      effort: z.string().min(1).optional(),
      max_tokens: count.optional(),
      enabled: z.boolean().optional(),
      exclude: z.boolean().optional(),
    })
    .optional(),
  /** Requests in flight at most; fewer while the server limits us. */
  concurrency: count.optional(),
});
export type ModelSettings = z.output<typeof modelSettingsSchema>;

const modelsSchema = z.strictObject({
  ...endpoint,
  baseUrl: z.url().default("https://openrouter.ai/api/v1"),
  /** Decides which fields may be sent; derived from the host when absent. */
  dialect: z.enum(["openrouter", "openai"]).optional(),
  /** Total time of one request, reading included. Default 600, 1800 for a server on this machine. */
  deadlineSeconds: count.optional(),
  /** By model id. */
  settings: z.record(z.string(), modelSettingsSchema).default({}),
  /** Folder to write every exchange with the server to. */
  record: z.string().min(1).optional(),
  /** Folder of a recording to answer from, instead of the server. */
  replay: z.string().min(1).optional(),
  /** Policy file of the stand-in models (ids that begin with `stand-in/`). */
  standIn: z.string().optional(),
});

const embeddingSchema = z.strictObject({
  provider: z.enum(["lexical", "openai"]).default("lexical"),
  model: z.string().optional(),
  ...endpoint,
});

const chunkingSchema = z.strictObject({
  sources: z.enum(["skill", "linked", "all"]).default("linked"),
  foldBelowTokens: z.number().int().min(0).default(50),
  /** Replaces the built-in list of titles that describe a skill rather than a capability. */
  boilerplateTitles: z.array(z.string()).optional(),
});

const clusteringSchema = z.strictObject({
  kMin: count.default(2),
  kMax: count.default(10),
  benchmarks: count.default(5),
  /** Default 0.98; 0.999 for lexical, whose reduced vectors bring all related texts close together. */
  duplicateCosine: z.number().min(0).max(1).optional(),
  minClusterTokens: z.number().int().min(0).default(120),
});

const limitsSchema = z.strictObject({
  turns: count.default(30),
  outputTokens: count.default(60_000),
  seconds: count.default(900),
  commandSeconds: count.default(120),
  maxTokensPerTurn: count.default(8192),
});

const authoringSchema = z.strictObject({
  backend: z.enum(["openrouter", "command", "replay"]).default("openrouter"),
  model: z.string().optional(),
  /** Program and arguments for the `command` back end. */
  command: z.array(z.string()).min(1).optional(),
  /** Recording for the `replay` back end. */
  recording: z.string().optional(),
  maxAttempts: count.default(3),
  /** For one attempt, in US dollars. */
  budgetUsd: z.number().positive().optional(),
  timeoutSeconds: count.default(1800),
  limits: limitsSchema.prefault({}),
});

const gateSchema = z.strictObject({
  graderSeconds: count.default(120),
  /** Independent gradings of the reference, each under other circumstances. */
  gradings: z.number().int().min(2).default(5),
  /** Broken variants of the reference to try at most. */
  mutants: count.default(40),
  /** Share of them that the grader must refuse. */
  killRate: z.number().min(0).max(1).default(0.8),
  /** Whether passages that task, skill, fixtures and grader share refuse a bundle or are only told. */
  leaks: z.enum(["warn", "reject"]).default("warn"),
  /** Containers at once; has no influence on any outcome. */
  concurrency: count.default(3),
});

const evaluationSchema = z.strictObject({
  models: modelIds.default([]),
  trials: trialsPerCell.default(3),
  /** What is compared; see artefacts/arm.ts for all that an arm can be. Folders of packs are relative to this file. */
  arms: armsSchema.prefault(["without_skill", "with_skill"]),
  /** `inject`: SKILL.md stands in the system prompt. `discover`: names and descriptions do, and the agent may read on. */
  delivery: deliverySchema.default("inject"),
  limits: limitsSchema.prefault({}),
  /** What the campaign may cost in US dollars, earlier starts of it included. */
  budgetUsd: z.number().positive().optional(),
  /** Hours after which one start of the command begins no further trial. */
  deadlineHours: z.number().positive().optional(),
  /** Leaves out benchmarks that `skillproof probe` marked so; none unless said, since a skill's harm can hide there. */
  exclude: z.array(z.enum(["ceiling", "floor"])).default([]),
  /** Blocks worked on at once; has no influence on any outcome. */
  concurrency: count.default(2),
});

const probeSchema = z.strictObject({
  /** Models whose baseline is tried; evaluation.models when absent. */
  models: modelIds.optional(),
  trials: trialsPerCell.default(3),
});

const judgeSchema = z.strictObject({
  models: z.array(z.string().min(1)).max(3).default([]),
  /** Also asks them what the last words of every failed trial claim. It costs as much as one more question a trial. */
  claims: z.boolean().default(false),
  /** Total time of one request to a judge. */
  deadlineSeconds: count.default(120),
});

/** Engines need not see the files of this machine, nor this machine theirs. */
const engineSchema = z.strictObject({
  /** Path of a unix socket, or tcp://host:port. Paths are relative to this file. */
  address: z.string().min(1),
  /** PEM files for a tcp:// engine that demands TLS: who signed its certificate, and ours with its key. */
  tls: z.strictObject({ ca: z.string().min(1), cert: z.string().min(1), key: z.string().min(1) }).optional(),
  /** Containers alive there at once; evaluation.concurrency when absent. */
  concurrency: count.optional(),
});

/** How the campaign is analysed; frozen in its plan. */
const analysisSchema = analysisRulesSchema.extend({
  /** Which arm against which; every arm that delivers a skill against the one without, when absent. */
  comparisons: comparisonsSchema.optional(),
});

const reportSchema = z.strictObject({
  /** Whether benchmarks that give an answer or the skill's how away are counted. They are named in any case. */
  leaky: z.enum(["include", "exclude"]).default("include"),
});

const sandboxSchema = z.strictObject({
  /** Address of the engine; found by itself when absent. */
  socket: z.string().optional(),
  /** Several engines instead: containers are spread over them by free places. */
  endpoints: z.array(engineSchema).min(1).optional(),
  /** An image of your own that has bash, tar and python3. */
  image: z.string().optional(),
  /** Debian packages that this skill needs besides what the image has. */
  packages: z.array(z.string()).default([]),
  cpus: z.number().positive().default(1),
  memoryMiB: count.default(1024),
  /**
   * Where /workspace lives. `tmpfs`: in memory, capped, and memoryMiB must leave room for it. `volume`: on the engine's
   * disk, for trees too large for memory; it has no quota, so an agent can fill that disk.
   */
  workspace: z.enum(["tmpfs", "volume"]).default("tmpfs"),
  /** Size limit of a tmpfs workspace. In both modes what goes into a snapshot: what is beyond it is left out there. */
  workspaceMiB: count.default(256),
  pids: count.default(256),
});

export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  /** Names the campaign's folder. */
  name: folderName,
  seed: z.number().int().default(7),
  skills: z.array(skillEntry).default([]),
  /** Folder of the bundles that passed the gate. */
  benchmarks: z.string().default("benchmarks"),
  /** Folder for everything that commands produce. */
  out: z.string().default("out"),
  models: modelsSchema.prefault({}),
  embedding: embeddingSchema.prefault({}),
  chunking: chunkingSchema.prefault({}),
  clustering: clusteringSchema.prefault({}),
  authoring: authoringSchema.prefault({}),
  gate: gateSchema.prefault({}),
  evaluation: evaluationSchema.prefault({}),
  probe: probeSchema.prefault({}),
  judge: judgeSchema.prefault({}),
  sandbox: sandboxSchema.prefault({}),
  analysis: analysisSchema.prefault({}),
  report: reportSchema.prefault({}),
});

/** As the user wrote it. */
export type RawConfig = z.input<typeof configSchema>;

type Parsed = z.output<typeof configSchema>;

/** With every default filled in, every path absolute and every skill an object. */
export type Config = Omit<Parsed, "skills"> & {
  /** Of the file itself. */
  readonly folder: string;
  readonly skills: readonly { readonly folder: string; readonly benchmarks: string | null }[];
};

/** What the command line may put over the file. */
export type ConfigOverrides = {
  readonly skills?: readonly string[];
  readonly models?: readonly string[];
  readonly trials?: number;
  readonly benchmarks?: string;
  readonly out?: string;
};
