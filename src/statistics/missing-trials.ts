import type { Interval } from "./rate-intervals.ts";

/** `timeout` and `agent_error` are failures; `infra` is missing. */
export type VerdictWord = "pass" | "fail" | "timeout" | "agent_error" | "infra";

export type MissingTrials = {
  /** With a verdict, by arm. */
  readonly usable: readonly [number, number];
  readonly withRate: number | null;
  readonly withoutRate: number | null;
  readonly uplift: number | null;
  /** With what is missing imputed against the skill, and for it. */
  readonly boundsIfInfraUnknown: Interval | null;
  readonly infraAsFail: number | null;
};

/** Intention to treat in one cell: what became of the agent counts, what broke under it leaves both sides. */
export function missingTrials(
  withSkill: readonly VerdictWord[],
  without: readonly VerdictWord[],
): MissingTrials {
  const [a, b] = [armOf(withSkill), armOf(without)];
  const between = (x: number | null, y: number | null): number | null =>
    x === null || y === null ? null : x - y;
  const low = between(a.least, b.most);
  const high = between(a.most, b.least);
  return {
    usable: [a.usable, b.usable],
    withRate: a.rate,
    withoutRate: b.rate,
    uplift: between(a.rate, b.rate),
    boundsIfInfraUnknown: low === null || high === null ? null : [low, high],
    infraAsFail: between(a.least, b.least),
  };
}

function armOf(words: readonly VerdictWord[]): {
  readonly usable: number;
  readonly rate: number | null;
  readonly least: number | null;
  readonly most: number | null;
} {
  const passes = words.filter((word) => word === "pass").length;
  const missing = words.filter((word) => word === "infra").length;
  const usable = words.length - missing;
  const share = (count: number, of: number): number | null => (of === 0 ? null : count / of);
  return {
    usable,
    rate: share(passes, usable),
    least: share(passes, words.length),
    most: share(passes + missing, words.length),
  };
}
