import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { TranscriptLine } from "../artefacts/transcript.ts";
import type { SnapshotRef, Trial } from "../artefacts/trial.ts";
import { writeAtomic, writeJson } from "./atomic.ts";
import { draftSuffix, placeDraft } from "./drafts.ts";
import type { Shelf } from "./find-trial.ts";
import { namesIn } from "./record.ts";
import { spoolSnapshot } from "./spool.ts";

/** What an agent left behind before it is known to be a finished trial. */
export type OpenTrial = {
  readonly record: (line: TranscriptLine) => void;
  readonly spool: (tar: AsyncIterable<Uint8Array>) => Promise<SnapshotRef>;
  /** Puts the evidence in its place. Until then nothing of it counts. */
  readonly finish: (trial: Trial) => Promise<void>;
  /**
   * Keeps the evidence of an attempt that is no trial: under voids/ when it was lost to infrastructure, under stopped/
   * when we ended it ourselves (the budget, a model or a campaign that cannot go on), which is nobody's fault.
   */
  readonly lose: (reason: string, shelf?: Shelf) => Promise<void>;
};

/** Begins a trial's folder under a temporary name. `finished` is told when it is in its place. */
export async function openTrial(
  final: string,
  finished: (trial: Trial) => Promise<void>,
): Promise<OpenTrial> {
  const draft = `${final}${draftSuffix}`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  const lines: string[] = [];
  return {
    record: (line) => lines.push(JSON.stringify(line)),
    spool: (tar) => spoolSnapshot(tar, join(draft, "workspace.tar.gz")),
    finish: async (trial) => {
      await writeAtomic(join(draft, "transcript.jsonl"), `${lines.join("\n")}\n`);
      await writeJson(join(draft, "trial.json"), trial);
      await placeDraft(draft, final);
      await finished(trial);
    },
    lose: async (reason, shelf = "voids") => {
      const text = `${shelf === "voids" ? "void" : shelf}: ${reason}`;
      lines.push(JSON.stringify({ kind: "note", text } satisfies TranscriptLine));
      await writeAtomic(join(draft, "transcript.jsonl"), `${lines.join("\n")}\n`);
      await mkdir(join(final, shelf), { recursive: true });
      const number = (await namesIn(join(final, shelf))).length;
      await rename(draft, join(final, shelf, String(number + 1)));
    },
  };
}
