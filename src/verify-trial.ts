import { createHash } from "node:crypto";
import { join } from "node:path";
import { claimSchema } from "./artefacts/honesty.ts";
import { transcriptLineSchema } from "./artefacts/transcript.ts";
import { type PlannedTrial, trialName, trialSchema } from "./artefacts/trial.ts";
import { verdictSchema } from "./artefacts/verdict.ts";
import { messageOf } from "./errors.ts";
import { sha256 } from "./hash.ts";
import { hashFiles } from "./store/file-hash.ts";
import { namesIn, readRecord, readText } from "./store/record.ts";
import { openSnapshot } from "./store/spool.ts";
import type { MeasuredSnapshot, TrialFound } from "./verify/found.ts";

const transcript = "transcript.jsonl";
const snapshot = "workspace.tar.gz";

/** Reads and measures all that is on disk of one planned trial. */
export async function findTrial(campaign: string, planned: PlannedTrial): Promise<TrialFound> {
  const folder = join(campaign, "trials", trialName(planned));
  const names = await namesIn(folder);
  const trial = await readRecord(join(folder, "trial.json"), trialSchema);
  const outcome = trial.kind === "there" ? trial.value.outcome : null;
  const recorded = outcome?.kind === "ended" ? outcome.snapshot.bytes : 0;
  return {
    planned,
    trial,
    verdict: await readRecord(join(folder, "verdict.json"), verdictSchema),
    claim: await readRecord(join(folder, "claim.json"), claimSchema),
    files: await hashFiles(folder, [transcript, "grader.log"]),
    said: await openingOf(join(folder, transcript)),
    snapshot: names.includes(snapshot) ? await measure(join(folder, snapshot), recorded) : { kind: "absent" },
    voids: (await namesIn(join(folder, "voids"))).length,
    stopped: (await namesIn(join(folder, "stopped"))).length,
  };
}

/** Hashes of the first system and user text. What cannot be read is another check's: its file's hash does not fit. */
async function openingOf(path: string): Promise<TrialFound["said"]> {
  const text = (await readText(path)) ?? "";
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

/** Unpacks no further than what was recorded: a few bytes of a file can be endless ones of a workspace. */
async function measure(path: string, recorded: number): Promise<MeasuredSnapshot> {
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const piece of openSnapshot(path)) {
      hash.update(piece);
      bytes += piece.length;
      if (bytes > recorded) return { kind: "unreadable", words: `more than ${recorded} bytes` };
    }
  } catch (error) {
    return { kind: "unreadable", words: `a file that cannot be unpacked (${messageOf(error)})` };
  }
  return { kind: "there", sha256: hash.digest("hex"), bytes };
}
