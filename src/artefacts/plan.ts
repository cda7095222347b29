import { z } from "zod";
import { armTreatmentSchema } from "./arm.ts";
import { analysisSettingsSchema } from "./analysis.ts";
import { endpointSchema } from "./endpoint.ts";
import { leakSchema } from "./gate.ts";
import { headroomMarkSchema } from "./headroom.ts";
import { plannedSectionsSchema } from "./section-map.ts";
import { armSchema, plannedTrialSchema } from "./trial.ts";

export const planFormat = "skillproof/plan@4";

/** How skills reach the agent: SKILL.md in the system prompt, or names and descriptions only. */
export const deliverySchema = z.enum(["inject", "discover"]);

/** An arm as it is carried out for one skill: an ablation of every section is one arm for each by now. */
export const plannedArmSchema = z.object({
  id: armSchema,
  /** A pack names its skills, wherever their folders are. */
  treatment: armTreatmentSchema,
  /** Hash of what the agent gets, text and files; null when it gets nothing. */
  delivered: z.string().nullable(),
});
export type PlannedArm = z.infer<typeof plannedArmSchema>;

/** Everything that can change an outcome, by hash. The campaign's folder is named after it. */
export const campaignInputsSchema = z.object({
  name: z.string(),
  seed: z.number().int(),
  skills: z.array(
    z.object({
      id: z.string(),
      /** Of the folder that `with_skill` delivers. */
      treeHash: z.string(),
      /** In the order of the YAML. */
      arms: z.array(plannedArmSchema),
      benchmarks: z.array(z.object({ id: z.string(), bundleHash: z.string() })),
    }),
  ),
  models: z.array(z.string()),
  trials: z.number().int(),
  delivery: deliverySchema,
  limits: z.record(z.string(), z.number()),
  sandbox: z.record(z.string(), z.json()),
  judges: z.array(z.string()),
  /** What the YAML fixes for models that take part, by id: pin, sampling, parameters. */
  modelSettings: z.record(z.string(), z.json()),
  /** Of the constant part of the system prompt and of the tool specifications. */
  prompts: z.object({ system: z.string(), tools: z.string() }),
  /** Of the stand-in policy, where stand-in models take part. */
  standInPolicy: z.string().nullable(),
  /** The rule of a probe, whose trials choose benchmarks and are counted nowhere else; null for a campaign. */
  probe: z.object({ ceiling: z.string(), floor: z.string() }).nullable(),
  /** Benchmarks that the YAML leaves out by what a probe found on them. */
  excluded: z.array(
    z.object({ skill: z.string(), benchmark: z.string(), bundleHash: z.string(), mark: headroomMarkSchema }),
  ),
});
export type CampaignInputs = z.infer<typeof campaignInputsSchema>;

/** What a report says about a benchmark, kept so that a campaign's folder is enough to make the report. */
export const plannedBenchmarkSchema = z.object({
  skill: z.string(),
  benchmark: z.string(),
  title: z.string(),
  judged: z.boolean(),
  /** Names of the gate's checks it passed. */
  checks: z.array(z.string()),
  /** Kinds of the leaks that it found, each once. */
  leaks: z.array(leakSchema.shape.kind),
  /** The gate's ballots came from a stand-in. */
  standInJudges: z.boolean(),
  backend: z.string().nullable(),
  /** False when the author's program ran on the host. */
  isolated: z.boolean().nullable(),
});
export type PlannedBenchmark = z.infer<typeof plannedBenchmarkSchema>;

/** Whether benchmarks whose gate found leaks are counted. */
export const leakyHandlingSchema = z.enum(["include", "exclude"]);
export type LeakyHandling = z.infer<typeof leakyHandlingSchema>;

export const planSchema = z.object({
  format: z.literal(planFormat),
  campaign: z.string(),
  inputs: campaignInputsSchema,
  inputsHash: z.string(),
  /** Found at planning, outside the hash. */
  image: z.object({ id: z.string(), recipe: z.string(), base: z.string() }),
  /** Where requests go, one per model that is asked over a server; used again on resume. */
  endpoints: z.array(endpointSchema),
  standIn: z.boolean(),
  /** Hash of the recording that answers instead of a server: what is asked stays the same, so it is outside the hash. */
  replay: z.string().nullable(),
  /** How the report counts; it changes no outcome, so it stays outside the hash. */
  leaky: leakyHandlingSchema,
  /** Hypotheses and how they are tested; null where the arms give none. Like `leaky` outside the hash, and frozen. */
  analysis: analysisSettingsSchema.nullable(),
  /** Per skill, the hash of its sections as they are kept beside the plan: what a section map is made of. */
  sections: z.array(plannedSectionsSchema),
  benchmarks: z.array(plannedBenchmarkSchema),
  /** In the order they are worked on. */
  trials: z.array(plannedTrialSchema),
});
export type Plan = z.infer<typeof planSchema>;
