import { closeSync, fstatSync, lstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { type Claim, claimFormat, claimSchema } from "../artefacts/honesty.ts";
import { type PlannedTrial, type Trial, trialFormat, trialSchema } from "../artefacts/trial.ts";
import { type Verdict, verdictFormat, verdictSchema } from "../artefacts/verdict.ts";
import { messageOf, UserError } from "../errors.ts";
import { readAtOnce } from "./regular-file.ts";

/** What lies in a trial's folder besides the trial: attempts that are none. */
export const shelves = ["voids", "stopped"] as const;
export type Shelf = (typeof shelves)[number];

/** What of a trial's folder cannot be used, and why. Without its trial nothing in the folder can. */
export type Torn = { readonly what: "trial" | "verdict" | "claim"; readonly reason: string };

/** What is on disk of one planned trial. What is torn is null. */
export type FoundTrial = {
  readonly planned: PlannedTrial;
  readonly trial: Trial | null;
  readonly verdict: Verdict | null;
  /** What its last words claim, where judges were asked. */
  readonly claim: Claim | null;
  /** Attempts lost to infrastructure. */
  readonly voids: number;
  readonly torn: Torn | null;
  /** Why claim.json cannot be used: nothing but the claim is lost then. */
  readonly tornClaim: string | null;
  /** Names of files half written, which nobody will finish unless somebody works on the trial. */
  readonly temporary: readonly string[];
};

type Reading<T> =
  { readonly kind: "whole"; readonly value: T } | { readonly kind: "torn"; readonly reason: string };

/**
 * Reads a planned trial's folder and holds what it finds against what a finished one has: each file whole, the trial
 * that was planned, a workspace of the recorded size. Its hash is looked at when it is graded. Synchronous, because a
 * campaign has many folders and a call per file through the thread pool takes ten times as long. Throws `UserError` for
 * a file of another version, which is no damage, and what the file system throws for what it cannot read.
 */
export function findTrial(folder: string, planned: PlannedTrial): FoundTrial {
  const names = namesIn(folder);
  const none = { trial: null, verdict: null, claim: null, torn: null, tornClaim: null };
  const nothing = { planned, ...none, voids: 0, temporary: [] };
  if (names === null)
    return { ...nothing, torn: { what: "trial", reason: "a file lies in its folder's place" } };
  const voids = names.includes("voids") ? (namesIn(join(folder, "voids")) ?? []).length : 0;
  const temporary = names.filter(isTemporary);
  const found = { ...nothing, voids, temporary };
  const files = names.filter((name) => !isShelf(name) && !isTemporary(name));
  if (files.length === 0) return found;
  const trial = readTrial(folder, planned, files);
  if (trial.kind === "torn") return { ...found, torn: { what: "trial", reason: trial.reason } };
  if (!files.includes("verdict.json")) return { ...found, trial: trial.value };
  const verdict = readJson(join(folder, "verdict.json"), verdictSchema, verdictFormat);
  return verdict.kind === "whole"
    ? { ...found, ...readClaim(folder, files), trial: trial.value, verdict: verdict.value }
    : { ...found, trial: trial.value, torn: { what: "verdict", reason: `verdict.json ${verdict.reason}` } };
}

export function isShelf(name: string): boolean {
  return shelves.some((shelf) => shelf === name);
}

function isTemporary(name: string): boolean {
  return name.endsWith(".tmp");
}

function readTrial(folder: string, planned: PlannedTrial, files: readonly string[]): Reading<Trial> {
  if (!files.includes("trial.json")) return torn("trial.json is missing");
  const read = readJson(join(folder, "trial.json"), trialSchema, trialFormat);
  if (read.kind === "torn") return torn(`trial.json ${read.reason}`);
  const { trial, outcome } = read.value;
  if (trial.key !== planned.key) {
    const [held, wanted] = [trial.key, planned.key].map((key) => key.slice(0, 12));
    return torn(`trial.json holds another trial (key ${held}) than the plan (${wanted})`);
  }
  const reason =
    transcriptFault(join(folder, "transcript.jsonl")) ??
    (outcome.kind === "ended"
      ? snapshotFault(join(folder, "workspace.tar.gz"), outcome.snapshot.bytes)
      : null);
  return reason === null ? read : torn(reason);
}

function readClaim(
  folder: string,
  files: readonly string[],
): Partial<Pick<FoundTrial, "claim" | "tornClaim">> {
  if (!files.includes("claim.json")) return {};
  const claim = readJson(join(folder, "claim.json"), claimSchema, claimFormat);
  return claim.kind === "whole" ? { claim: claim.value } : { tornClaim: `claim.json ${claim.reason}` };
}

function readJson<T>(path: string, schema: z.ZodType<T>, format: string): Reading<T> {
  const text = textOf(path);
  if (text === null) return torn("is no file");
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    return torn(`is not JSON (${messageOf(error)})`);
  }
  const parsed = schema.safeParse(raw);
  if (parsed.success) return { kind: "whole", value: parsed.data };
  refuseOtherVersion(raw, format, path);
  const [issue] = parsed.error.issues;
  return torn(`has another shape (${issue?.path.map(String).join(".") ?? ""}: ${issue?.message ?? ""})`);
}

/** A campaign of another version of this tool was paid for: it is not done again because this one cannot read it. */
function refuseOtherVersion(raw: unknown, format: string, path: string): void {
  if (raw === null || typeof raw !== "object" || !("format" in raw) || typeof raw.format !== "string") return;
  const [kind = ""] = format.split("@");
  if (raw.format === format || !raw.format.startsWith(`${kind}@`)) return;
  throw new UserError(
    `${path}: its format is ${raw.format}, this version reads ${format}. ` +
      "Use the version that began the campaign, or change `name` to begin a new one.",
  );
}

/** Every line of it ends with a newline, the last one too. */
function transcriptFault(path: string): string | null {
  const end = endOf(path, 1);
  if (end === null) return `transcript.jsonl ${lackAt(path)}`;
  return end.last.toString() === "\n" ? null : "transcript.jsonl ends in the middle of a line";
}

/** A gzip stream ends with the size of what was packed, modulo 2³² (RFC 1952). `bytes`: of the plain tar. */
function snapshotFault(path: string, bytes: number): string | null {
  const end = endOf(path, 4);
  if (end === null) return `workspace.tar.gz ${lackAt(path)}`;
  const packed = end.last.length === 4 && end.size >= smallestGzip ? end.last.readUInt32LE() : null;
  if (packed === bytes % 2 ** 32) return null;
  return `workspace.tar.gz holds ${packed ?? "less than one"} byte(s) where trial.json says ${bytes}, or is cut off`;
}

/** Why there is nothing to read. */
function lackAt(path: string): string {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined ? "is missing" : "is not a regular file";
}

/** Header, an empty block, checksum and size. */
const smallestGzip = 20;

/**
 * Null when there is no file. Through one buffer for all: a campaign's files are many and small, and a buffer each, or
 * Node's own reading of text, stays in memory until the next full collection.
 */
function textOf(path: string): string | null {
  const file = ifThere(() => openSync(path, readAtOnce));
  if (file === null) return null;
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return null;
    const bytes = stat.size <= scratch.length ? scratch : Buffer.alloc(stat.size);
    let read = 0;
    while (read < stat.size) {
      const more = readSync(file, bytes, read, stat.size - read, read);
      if (more === 0) break;
      read += more;
    }
    return bytes.toString("utf8", 0, read);
  } finally {
    closeSync(file);
  }
}

const scratch = Buffer.alloc(64 * 1024);

/** The last `count` bytes of a file, or as many as there are; null when there is no file. */
function endOf(path: string, count: number): { readonly last: Buffer; readonly size: number } | null {
  const file = ifThere(() => openSync(path, readAtOnce));
  if (file === null) return null;
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return null;
    const last = Buffer.alloc(count);
    const read = readSync(file, last, 0, count, Math.max(0, stat.size - count));
    return { last: last.subarray(0, read), size: stat.size };
  } finally {
    closeSync(file);
  }
}

/** Names in a folder; none when there is none; null when a file lies there. */
function namesIn(folder: string): readonly string[] | null {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    if (hasCode(error, "ENOTDIR")) return null;
    throw error;
  }
}

function ifThere<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    // What opening a socket says, or a device without a driver.
    if (["ENOENT", "ENXIO", "ENODEV"].some((code) => hasCode(error, code))) return null;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function torn(reason: string): { readonly kind: "torn"; readonly reason: string } {
  return { kind: "torn", reason };
}
