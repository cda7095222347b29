import type { Agent } from "./agents/port.ts";
import type { AnalysisSettings } from "./artefacts/analysis.ts";
import type { Endpoint } from "./artefacts/endpoint.ts";
import type { LeakyHandling } from "./artefacts/plan.ts";
import type { FileTree } from "./artefacts/tree.ts";
import type { CampaignEstimate } from "./campaign-estimate.ts";
import type { GradeSnapshot } from "./campaign-judges.ts";
import type { Listen } from "./events.ts";
import type { MeasureDamage } from "./grade/damage/measure-damage.ts";
import type { ChatModel } from "./models/port.ts";
import type { Sandbox } from "./sandbox/port.ts";

/** What a campaign reaches the world through, and what it tells whom. */
export type CampaignPorts = {
  readonly sandbox: Sandbox;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly judges: readonly ChatModel[];
  /** Where the requests of agents and judges go; frozen in a new plan. */
  readonly endpoints: readonly Endpoint[];
  /** Hash of the recording that answers in their place; frozen in a new plan. */
  readonly replay: string | null;
  readonly pack: (tree: FileTree) => AsyncIterable<Uint8Array>;
  readonly grade: GradeSnapshot;
  /** What an agent did besides its task. */
  readonly damage: MeasureDamage;
  /** Whether judges are asked what failed trials claim (`classifyClaims`). */
  readonly claims?: boolean;
  /** Frozen in a new plan: whether the report counts leaky benchmarks. */
  readonly leaky: LeakyHandling;
  /** Frozen in a new plan: hypotheses and how they are tested. */
  readonly analysis: AnalysisSettings | null;
  readonly listen: Listen;
  /** Called with what the trials that are left may cost, before anything is paid for. Throws when they are not to begin. */
  readonly agree?: (estimate: CampaignEstimate) => Promise<void>;
  /** Called when the last request has been made, on every way out. */
  readonly settle?: () => Promise<void>;
  /** Aborts when no further trial is to be begun; those under way are finished and graded. */
  readonly drain?: AbortSignal;
  readonly signal?: AbortSignal;
};
