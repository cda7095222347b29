import { z } from "zod";
import { armSchema } from "./trial.ts";

export const canaryFormat = "skillproof/canary@3";

export const probeNameSchema = z.enum([
  "interfaces",
  "routes",
  "name_resolution",
  "outside_connections",
  "mounts",
  "skill_in_files",
  "skill_in_processes",
  "skill_in_prompt",
  "reference",
  "grader",
  "fixtures",
]);
export type ProbeName = z.infer<typeof probeNameSchema>;

export const probeSchema = z.object({
  probe: probeNameSchema,
  /** What was looked at or tried, in words. */
  asked: z.string(),
  expected: z.string(),
  answered: z.string(),
  passed: z.boolean(),
});
export type Probe = z.infer<typeof probeSchema>;

const count = z.number().int();

/** How much was searched. What an agent's user cannot read, the canary cannot either; it is counted. */
export const searchedSchema = z.object({
  files: count,
  bytes: count,
  unreadableFiles: count,
  /** Older than the markers and part of the image, whose recipe says what is in it; not searched. */
  filesOfImage: count,
  processes: count,
  unreadableProcesses: count,
});
export type Searched = z.infer<typeof searchedSchema>;

/** What one probe container of one arm answered on one engine, before the trials of that arm. */
export const canarySchema = z.object({
  format: z.literal(canaryFormat),
  skill: z.string(),
  arm: armSchema,
  /** Address of the engine, where the campaign has several; null where there is one. */
  endpoint: z.string().nullable(),
  /** Whose fixtures, reference and grader it was opened with. */
  benchmark: z.string(),
  bundleHash: z.string(),
  /** Of the skill under test as `with_skill` delivers it, before the marker was planted. */
  treeHash: z.string(),
  /** Hash of what the arm delivers, as the plan has it; null when it delivers nothing. */
  delivered: z.string().nullable(),
  image: z.string(),
  searched: searchedSchema,
  probes: z.array(probeSchema),
  passed: z.boolean(),
});
export type Canary = z.infer<typeof canarySchema>;
