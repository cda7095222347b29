import type { Canary } from "../artefacts/canary.ts";
import type { Money } from "../artefacts/money.ts";
import type { Plan } from "../artefacts/plan.ts";
import { type Timings, timingsFormat } from "../artefacts/timings.ts";
import type { TrialOnDisk } from "./outcome.ts";
import { secondsOf } from "./usage.ts";

export type TimingsInputs = {
  readonly plan: Plan;
  readonly entries: readonly TrialOnDisk[];
  readonly canaries: readonly Canary[];
  readonly evidenceHead: string | null;
  readonly setAside: readonly Timings["setAside"][number][];
  /** What its ledger adds up to. */
  readonly money: Money;
};

/** What a report says of this execution of the campaign and of no other. */
export function makeTimings({
  plan,
  entries,
  canaries,
  evidenceHead,
  setAside,
  money,
}: TimingsInputs): Timings {
  return {
    format: timingsFormat,
    campaign: plan.campaign,
    evidenceHead,
    replayed: plan.replay !== null,
    canaries: canaries.map(({ skill, arm, endpoint, image, passed, searched, probes }) => {
      return { skill, arm, endpoint, image, passed, searched, probes: [...probes] };
    }),
    setAside: setAside.map(({ trial, what, reason }) => ({ trial, what, reason })),
    seconds: secondsOf(entries),
    money,
  };
}
