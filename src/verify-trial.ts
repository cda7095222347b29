import { createHash } from "node:crypto";
import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { z } from "zod";
import { claimSchema } from "./artefacts/honesty.ts";
import { transcriptLineSchema } from "./artefacts/transcript.ts";
import { type PlannedTrial, trialName, trialSchema } from "./artefacts/trial.ts";
import { verdictSchema } from "./artefacts/verdict.ts";
import { messageOf } from "./errors.ts";
import { sha256 } from "./hash.ts";
import { hashFiles } from "./store/file-hash.ts";
import { namesIn, readRecord, readText, recordIn, type Recorded } from "./store/record.ts";
import { readSmall } from "./store/small-file.ts";
import { openSnapshot } from "./store/spool.ts";
import type { MeasuredSnapshot, TrialFound } from "./verify/found.ts";

const transcript = "transcript.jsonl";
const snapshot = "workspace.tar.gz";

/** What is on disk of each of `trials`, in their order, read when it is asked for. */
export async function* findTrials(
  campaign: string,
  trials: readonly PlannedTrial[],
): AsyncGenerator<TrialFound> {
  for (const planned of trials) yield await findTrial(campaign, planned);
}

/** What decides how one planned trial ended, and no more. */
export async function findOutcome(
  campaign: string,
  planned: PlannedTrial,
): Promise<Pick<TrialFound, "trial" | "verdict">> {
  const folder = join(campaign, "trials", trialName(planned));
  const { names } = namesNow(folder);
  return {
    trial: await recordAt(folder, "trial.json", { names, schema: trialSchema }),
    verdict: await recordAt(folder, "verdict.json", { names, schema: verdictSchema }),
  };
}

/** Reads and measures all that is on disk of one planned trial. */
async function findTrial(campaign: string, planned: PlannedTrial): Promise<TrialFound> {
  const folder = join(campaign, "trials", trialName(planned));
  const { names, odd } = namesNow(folder);
  const trial = await recordAt(folder, "trial.json", { names, schema: trialSchema });
  const outcome = trial.kind === "there" ? trial.value.outcome : null;
  const recorded = outcome?.kind === "ended" ? outcome.snapshot.bytes : 0;
  const count = async (name: string): Promise<number> =>
    names.includes(name) ? (await namesIn(join(folder, name))).length : 0;
  const said = names.includes(transcript) ? readSmall(join(folder, transcript)) : null;
  return {
    planned,
    trial,
    verdict: await recordAt(folder, "verdict.json", { names, schema: verdictSchema }),
    claim: await recordAt(folder, "claim.json", { names, schema: claimSchema }),
    files: await hashesOf(folder, names, said),
    said: openingIn(said?.toString() ?? (await textOf(folder, transcript, names))),
    snapshot: names.includes(snapshot) ? await measure(join(folder, snapshot), recorded) : { kind: "absent" },
    voids: await count("voids"),
    stopped: await count("stopped"),
    odd,
  };
}

async function textOf(folder: string, name: string, names: readonly string[]): Promise<string> {
  return names.includes(name) ? ((await readText(join(folder, name))) ?? "") : "";
}

/**
 * Names of files and folders, and of what is neither. Where something else lies in the folder's place, all that could be
 * there: reading each says what is wrong.
 */
function namesNow(folder: string): { readonly names: readonly string[]; readonly odd: readonly string[] } {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    const odd = entries.filter(isOdd).map(({ name }) => name);
    return { names: entries.filter((entry) => !isOdd(entry)).map(({ name }) => name), odd };
  } catch (error) {
    const isNone = error instanceof Error && "code" in error && error.code === "ENOENT";
    return { names: isNone ? [] : ["trial.json", "verdict.json", "claim.json"], odd: [] };
  }
}

function isOdd(entry: Dirent): boolean {
  return !entry.isFile() && !entry.isDirectory();
}

async function recordAt<T>(
  folder: string,
  name: string,
  { names, schema }: { readonly names: readonly string[]; readonly schema: z.ZodType<T> },
): Promise<Recorded<T>> {
  if (!names.includes(name)) return { kind: "absent" };
  const bytes = readSmall(join(folder, name));
  return bytes === null ? readRecord(join(folder, name), schema) : recordIn(bytes.toString(), schema);
}

/** Of what evidence names beside the records. */
async function hashesOf(
  folder: string,
  names: readonly string[],
  said: Buffer | null,
): Promise<TrialFound["files"]> {
  const log = "grader.log";
  const small = { [transcript]: said, [log]: names.includes(log) ? readSmall(join(folder, log)) : null };
  const hashes: Record<string, string> = {};
  for (const [name, bytes] of Object.entries(small)) {
    if (bytes !== null) hashes[name] = sha256(bytes);
    else if (names.includes(name)) Object.assign(hashes, await hashFiles(folder, [name]));
  }
  return hashes;
}

/** Hashes of the first system and user text. What cannot be read is another check's: its file's hash does not fit. */
function openingIn(text: string): TrialFound["said"] {
  const opening = text.split("\n", 2).flatMap((line) => {
    try {
      const read = transcriptLineSchema.safeParse(JSON.parse(line));
      return read.success ? [read.data] : [];
    } catch {
      return [];
    }
  });
  const hashOf = (kind: "system" | "user"): string | null => {
    const said = opening.find((line) => line.kind === kind);
    return said?.kind === kind ? sha256(said.text) : null;
  };
  return { system: hashOf("system"), task: hashOf("user") };
}

/** A workspace of more bytes is unpacked piece by piece. */
const mostAtOnce = 4 * 1024 * 1024;

/** Unpacks no further than what was recorded: a few bytes of a file can be endless ones of a workspace. */
async function measure(path: string, recorded: number): Promise<MeasuredSnapshot> {
  const hash = createHash("sha256");
  const packed = recorded <= mostAtOnce ? readSmall(path) : null;
  const pieces = packed === null ? openSnapshot(path) : unpacked(packed, recorded);
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      hash.update(piece);
      bytes += piece.length;
      if (bytes > recorded) return { kind: "unreadable", words: `more than ${recorded} bytes` };
    }
  } catch (error) {
    if (isTooLarge(error)) return { kind: "unreadable", words: `more than ${recorded} bytes` };
    return { kind: "unreadable", words: `a file that cannot be unpacked (${messageOf(error)})` };
  }
  return { kind: "there", sha256: hash.digest("hex"), bytes };
}

function* unpacked(packed: Buffer, recorded: number): Generator<Uint8Array> {
  yield gunzipSync(packed, { maxOutputLength: Math.max(1, recorded) });
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
}
