import { type Timings, timingsFormat } from "../artefacts/timings.ts";
import { moneyOf } from "../report/money.ts";

/** Of an execution that took no time and cost nothing. */
export function sampleTimings(over: Partial<Timings> = {}): Timings {
  return {
    format: timingsFormat,
    campaign: "sample-0123",
    evidenceHead: "e",
    replayed: false,
    canaries: [],
    setAside: [],
    seconds: [],
    money: moneyOf([], []),
    ...over,
  };
}
