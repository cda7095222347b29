import type { Canary } from "../artefacts/canary.ts";
import type { Claim } from "../artefacts/honesty.ts";
import type { JudgeTrials } from "../artefacts/judges.ts";
import type { Plan } from "../artefacts/plan.ts";
import type { Report } from "../artefacts/report.ts";
import type { KeptSections } from "../artefacts/section-map.ts";
import type { PlannedTrial, Trial } from "../artefacts/trial.ts";
import type { Timings } from "../artefacts/timings.ts";
import type { Verdict } from "../artefacts/verdict.ts";
import type { Difference } from "../artefacts/verification.ts";
import type { Chain } from "./chain.ts";
import type { Figures } from "./figures.ts";
import type { Look } from "./look.ts";

/** A file as it was read. `hash` is of the canonical JSON of all that it holds, known to this version or not. */
export type Read<T> =
  | { readonly kind: "there"; readonly value: T; readonly hash: string }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly words: string };

/** Of a workspace's plain tar, measured now; or why it could not be. */
export type MeasuredSnapshot =
  | { readonly kind: "there"; readonly sha256: string; readonly bytes: number }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly words: string };

/** What is on disk of one planned trial. Every hash was taken from the bytes, none from a record. */
export type TrialFound = {
  readonly planned: PlannedTrial;
  readonly trial: Read<Trial>;
  readonly verdict: Read<Verdict>;
  readonly claim: Read<Claim>;
  /** Hashes of the files beside them, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** Hashes of the first system and user text of the transcript; null where there is none. */
  readonly said: { readonly system: string | null; readonly task: string | null };
  readonly snapshot: MeasuredSnapshot;
  readonly voids: number;
  /** Attempts that we ended ourselves. */
  readonly stopped: number;
  /** Names in its folder of what is neither a regular file nor a folder. It was not read: a pipe has no end. */
  readonly odd: readonly string[];
};

/** One file that the last settlement named, or that is there without it. */
export type SettledFound = {
  readonly path: string;
  /** Hash of its first bytes, as many as were settled; null when it is shorter or not there. */
  readonly prefix: string | null;
  /** All of it, now; null when it is not there. */
  readonly bytes: number | null;
};

/** A benchmark's or skill's folder as it is now. */
export type MaterialFound =
  | { readonly kind: "there"; readonly place: string; readonly hash: string; readonly task: string | null }
  | { readonly kind: "unreadable"; readonly place: string; readonly words: string }
  | { readonly kind: "absent" };

/** What an arm's record says that it delivers. */
export type ArmFound = {
  readonly place: string;
  readonly skill: string;
  readonly arm: string;
  readonly record: Read<{
    readonly skill: string;
    readonly arm: string;
    readonly delivered: string | null;
  }>;
};

/** Pages of trials, each held against the same made anew; only what differs is kept. */
export type PagesFound = {
  readonly compared: number;
  readonly differences: readonly Difference[];
  /** Unlike what can be made now, and it cannot be told why. */
  readonly left: { readonly withoutFixtures: number; readonly underWay: number };
};

/** A file of the report as it lies there. `words`: why it is not one of this version. */
export type FileFound<T> =
  | { readonly kind: "there"; readonly value: T }
  | { readonly kind: "absent" | "unreadable"; readonly words: string };

export type ReportedFiles = {
  readonly report: FileFound<Report>;
  readonly timings: FileFound<Timings>;
  /** Hash of the line of evidence that they say to be of; null when they are of none, or cannot be read. */
  readonly head: string | null;
};

/** Which figures of a trial's usage any of its agent's answers told. */
export type Answered = {
  /** Requests of the agent that a model answered. */
  readonly answers: number;
  readonly inputTokens: boolean;
  readonly cachedInputTokens: boolean;
  readonly outputTokens: boolean;
  readonly costUsd: boolean;
};

/** What ledger.jsonl came to, which was walked line by line. */
export type LedgerFound = {
  /** Every line against the plan's endpoints and prices. */
  readonly prices: Look;
  readonly money: Figures;
  /** By the name of a planned trial. */
  readonly answered: (trial: string) => Answered;
};

/**
 * All of a campaign but its trials, which come one by one behind it: a hundred thousand of them, with their lines of
 * evidence and of the ledger, are gigabytes.
 */
export type CampaignFound = {
  /** The name of its folder. */
  readonly folder: string;
  readonly plan: Plan;
  readonly planHash: string;
  /** Made again from the plan's inputs: its name, and its trials (null when there are not as many as planned). */
  readonly again: { readonly campaign: string; readonly trials: Iterable<PlannedTrial> | null };
  readonly chain: Chain;
  /** A kill left a part of a line behind them. */
  readonly torn: boolean;
  /** Paths of what lies where trials lie and is not planned; of a folder of such only the folder. */
  readonly unplanned: readonly string[];
  readonly arms: readonly ArmFound[];
  /** Keys of the trials that the plan's looks had released; all of them where it has none. */
  readonly released: ReadonlySet<string>;
  /** By their name in the evidence. */
  readonly canaries: readonly { readonly name: string; readonly canary: Read<Canary> }[];
  readonly settled: readonly SettledFound[];
  readonly ledger: Read<LedgerFound>;
  readonly judgeTrials: Read<readonly JudgeTrials[]>;
  /** What was kept of the sections of the plan's skills, in its order. */
  readonly sections: readonly { readonly skill: string; readonly kept: Read<KeptSections> }[];
  /** In the plan's order. */
  readonly skills: readonly { readonly id: string; readonly found: MaterialFound }[];
  readonly benchmarks: readonly {
    readonly skill: string;
    readonly benchmark: string;
    readonly found: MaterialFound;
  }[];
  readonly report: ReportedFiles;
  /** All of its files made anew from what is on disk, or why that failed. */
  readonly rebuilt:
    | {
        readonly kind: "made";
        /** Each was held against what lies there as it was made, because they may be large. */
        readonly compared: readonly { readonly name: string; readonly differences: readonly Difference[] }[];
        /** Null for a campaign of too many trials, which has no pages on disk. */
        readonly pages: PagesFound | null;
        /** Files below report/ that its maker does not make. */
        readonly foreign: readonly Difference[];
      }
    | { readonly kind: "impossible"; readonly words: string };
  /** What was published of the chain, where the reader knows it. */
  readonly publishedHead: string | null;
};

/** The value of what is there. */
export function valueOf<T>(read: Read<T>): T | null {
  return read.kind === "there" ? read.value : null;
}
