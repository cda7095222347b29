import { z } from "zod";

/** Hashes of files by their path, of the bytes as they lie on disk. */
const fileHashesSchema = z.record(z.string(), z.string());

const trialNoteSchema = z.object({
  kind: z.enum(["trial", "verdict", "claim"]),
  /** Its folder below trials/. */
  trial: z.string(),
  key: z.string(),
  /** Of the canonical JSON of trial.json, of verdict.json, or of claim.json. */
  hash: z.string(),
  /** What else the artefact rests on and does not name by hash itself, relative to the trial's folder. */
  files: fileHashesSchema,
});
const canaryNoteSchema = z.object({
  kind: z.literal("canary"),
  /** Its file below canaries/, without `.json`. */
  canary: z.string(),
  hash: z.string(),
});
/** The first line: what was planned, before anything was done. */
const planNoteSchema = z.object({
  kind: z.literal("plan"),
  /** Of the canonical JSON of plan.json as it was frozen. */
  hash: z.string(),
});
/** The state of what only grows, or stands beside the trials, when the campaign came to its end or was stopped. */
const settledNoteSchema = z.object({
  kind: z.literal("settled"),
  /**
   * The ledger and what judges did on sentinels, relative to the campaign's folder; what is not there is left out. The
   * ledger may grow afterwards: its first `bytes` bytes have the hash.
   */
  files: z.record(z.string(), z.object({ sha256: z.string(), bytes: z.number().int().nonnegative() })),
});

/** Something that was found torn and taken out of the way: what follows about the same trial was made again. */
const setAsideNoteSchema = z.object({
  kind: z.literal("set_aside"),
  trial: z.string(),
  what: z.enum(["trial", "verdict", "claim"]),
  /** Below the campaign's folder. */
  place: z.string(),
  reason: z.string(),
});
export type SetAsideNote = z.infer<typeof setAsideNoteSchema>;

/** A line of evidence.jsonl without its link to the one before. */
export const evidenceNoteSchema = z.discriminatedUnion("kind", [
  planNoteSchema,
  canaryNoteSchema,
  trialNoteSchema,
  settledNoteSchema,
  setAsideNoteSchema,
]);
export type EvidenceNote = z.infer<typeof evidenceNoteSchema>;

/** Of the line before, as it stands in the file without its newline; null in the first one. */
export const evidenceLinkSchema = z.object({ previous: z.string().nullable() });

type About =
  | { readonly kind: "trial" | "verdict" | "claim"; readonly trial: string }
  | { readonly kind: "canary"; readonly canary: string }
  | { readonly kind: "set_aside"; readonly place: string }
  | { readonly kind: "plan" | "settled" };

/** Names what a line is about: what happened to which trial, or which canary. */
export function markOf(about: About): string {
  switch (about.kind) {
    case "plan":
    case "settled":
      return about.kind;
    case "set_aside":
      return `set_aside ${about.place}`;
    case "canary":
      return `canary ${about.canary}`;
    case "trial":
    case "verdict":
    case "claim":
      return `${about.kind} ${about.trial}`;
  }
}
