import type { Claim } from "../../artefacts/honesty.ts";
import type { PlannedTrial, Trial } from "../../artefacts/trial.ts";
import type { Verdict } from "../../artefacts/verdict.ts";
import type { CutText } from "./cut-text.ts";
import type { Neighbours } from "./neighbours.ts";
import type { Turns } from "./turns.ts";
import type { WorkspaceChanges } from "./workspace-changes.ts";

/** All that a trial's page shows, as it was found on disk. */
export type TrialView = {
  readonly campaign: string;
  readonly planned: PlannedTrial;
  /** Of the benchmark. */
  readonly title: string;
  readonly trial: Trial | null;
  readonly verdict: Verdict | null;
  /** Attempts lost to infrastructure. */
  readonly voids: number;
  /** Why what lies in the trial's place cannot be used; null where that is not so. */
  readonly torn: string | null;
  /** As the agent got it; null before it did. */
  readonly task: CutText | null;
  readonly transcript: Turns;
  readonly workspace: WorkspaceView;
  /** Null where there is none. */
  readonly graderLog: CutText | null;
  /** What the panel says that the last message claims; null where it was not asked. */
  readonly claim: Claim | null;
  /** Probe containers of the trial's arm. */
  readonly canaries: { readonly passed: number; readonly sent: number };
  readonly neighbours: Neighbours;
  /** Names of the files that are there to be read as they are. */
  readonly files: readonly string[];
};

/** `words` say why there is nothing to show, or why the files are only listed; null otherwise. */
export type WorkspaceView = {
  readonly words: string | null;
  readonly changes: WorkspaceChanges | null;
  /** False when the archive is not the one that trial.json names; null when it was not read to its end. */
  readonly isRecorded: boolean | null;
};

/** Where a page's links lead: to report/ and to the folder trials/ with the files as they are, from the page. */
export type TrialLinks = { readonly report: string; readonly files: string };
