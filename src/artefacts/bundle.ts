import { z } from "zod";
import type { Claims } from "./claims.ts";
import type { FileTree } from "./tree.ts";

/** benchmark.yaml: what a bundle says about itself. */
export const bundleSpecSchema = z.strictObject({
  title: z.string().min(1),
  /** Globs of files the task may change, relative to /workspace. */
  outputs: z.array(z.string().min(1)).min(1),
  /** Paths of fixtures that the reference solution removes. */
  removes: z.array(z.string()).default([]),
  /** Command for the existing tests of the fixtures, if they have any. */
  regression: z.string().optional(),
  /** The grader ends with questions for the judges (exit 3). */
  judged: z.boolean().default(false),
});
export type BundleSpec = z.infer<typeof bundleSpecSchema>;

/**
 * Two workspaces of a judged bundle whose answers are known beforehand, to try the judges on. Laid over the fixtures
 * as the reference is. On `good` every answer is as expected, on `bad` at least one is not.
 */
export type Sentinels = { readonly good: FileTree; readonly bad: FileTree };

/** What an author delivers: task, fixtures, reference and grader. Not yet proven to measure anything. */
export type Bundle = {
  readonly id: string;
  readonly spec: BundleSpec;
  readonly task: string;
  readonly fixtures: FileTree;
  readonly reference: FileTree;
  readonly grader: FileTree;
  /** Null where the author traced nothing; the gate refuses that. */
  readonly claims: Claims | null;
  /** Null where none were delivered; only a judged bundle may have them. */
  readonly sentinels: Sentinels | null;
  /** Everything that was delivered, as delivered. */
  readonly tree: FileTree;
  /** Hash of `tree`. */
  readonly hash: string;
};
