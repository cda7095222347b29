import { expect, test } from "vitest";
import type { LedgerLine } from "../artefacts/ledger.ts";
import { type Money, moneySchema } from "../artefacts/money.ts";
import { planTrials } from "../evaluate/plan-trials.ts";
import { sampleInputs } from "../testing/benchmark.ts";
import { sampleLine } from "../testing/ledgers.ts";
import { moneyOf } from "./money.ts";
import { moneySection } from "./money-section.ts";
import { trialName } from "../artefacts/trial.ts";

const planned = planTrials(sampleInputs(), "recipe");
const withoutSkill = trialName(planned.find(({ arm }) => arm === "without_skill")!);
const withSkill = trialName(planned.find(({ arm }) => arm === "with_skill")!);
const cent = 10_000_000;
const lost = { costNanoUsd: null, source: "unknown", generation: null } as const;

const lines: readonly LedgerLine[] = [
  sampleLine(1, { subject: withSkill, costNanoUsd: 3 * cent }),
  sampleLine(2, { subject: withSkill, costNanoUsd: 2 * cent, source: "estimated" }),
  sampleLine(3, { subject: withoutSkill, costNanoUsd: 1 * cent }),
  sampleLine(4, { subject: withoutSkill, ...lost, upToNanoUsd: 7 * cent }),
  sampleLine(5, { subject: withoutSkill, ...lost, generation: "gen-5", upToNanoUsd: 9 * cent }),
  sampleLine(6, { role: "judge", subject: withSkill, costNanoUsd: 4 * cent }),
  sampleLine(7, { role: "judge", subject: withSkill, costNanoUsd: 0, source: "not_charged" }),
  sampleLine(8, { role: "probe", ...lost, upToNanoUsd: null }),
  { kind: "settled", id: 5, at: "2026-01-01T00:01:00.000Z", costNanoUsd: 5 * cent, source: "generation" },
];

test("sums by role, and the agents' by arm", () => {
  const money = moneySchema.parse(moneyOf(lines, planned));
  expect(money.all).toEqual({
    attempts: 8,
    reportedNanoUsd: 8 * cent,
    generationNanoUsd: 5 * cent,
    estimatedNanoUsd: 2 * cent,
    notCharged: 1,
    unknown: { attempts: 2, upToNanoUsd: 7 * cent, unpriced: 1 },
  });
  expect(money.roles.map(({ role, spending }) => [role, spending.attempts])).toEqual([
    ["agent", 5],
    ["judge", 2],
    ["probe", 1],
  ]);
  expect(money.arms.map(({ arm, spending }) => [arm, spending.attempts, spending.reportedNanoUsd])).toEqual([
    ["without_skill", 3, 1 * cent],
    ["with_skill", 2, 3 * cent],
  ]);
});

test("roles add up to the whole", () => {
  const { all, roles } = moneyOf(lines, planned);
  for (const figure of ["attempts", "reportedNanoUsd", "generationNanoUsd", "estimatedNanoUsd"] as const) {
    expect(roles.reduce((sum, { spending }) => sum + spending[figure], 0)).toBe(all[figure]);
  }
});

function section(money: Money, replayed = false): string {
  const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
    [header, ...rows].map((cells) => cells.join(" | ")).join("\n");
  return moneySection(money, replayed, { table });
}

test("the section says what is spent, from where it is known, and what is not known", () => {
  expect(section(moneyOf(lines, planned)).split("\n")).toEqual([
    "## Money",
    "",
    "$0.1500 spent on 8 request(s), repeated ones and those of void trials included: " +
      "$0.0800 as the servers told with their answers, $0.0500 as they told when asked afterwards, " +
      "$0.0200 estimated from tokens and list prices. " +
      "Refused before any work, and free: 1. " +
      "What 1 of them cost is unknown: up to $0.0700 more, which is not in the sum. " +
      "What 1 of them cost is unknown, and without a price nothing can be said about it.",
    "",
    "for | requests | spent | of it estimated | not known",
    "agents | 5 | $0.1100 | $0.0200 | 1 request(s): up to $0.0700",
    "judges | 2 | $0.0400 | $0.00 | nothing",
    "probes before the trials | 1 | unknown | $0.00 | 1 request(s): 1 of them without a price",
    "agents, without_skill | 3 | $0.0600 | $0.00 | 1 request(s): up to $0.0700",
    "agents, with_skill | 2 | $0.0500 | $0.0200 | nothing",
  ]);
});

test("priced and unpriced gaps stand side by side", () => {
  const both = [
    sampleLine(1, { subject: withSkill, ...lost, upToNanoUsd: 7 * cent }),
    sampleLine(2, { subject: withSkill, ...lost, upToNanoUsd: null }),
  ];
  expect(section(moneyOf(both, planned))).toContain(
    "agents | 2 | unknown | $0.00 | 2 request(s): up to $0.0700, 1 of them without a price",
  );
});

test("what a replay would have cost is not said to be spent again", () => {
  expect(section(moneyOf(lines, planned), true)).toContain(
    "Paid when this was recorded; its replay cost nothing: $0.1500 spent on 8 request(s)",
  );
});

test("without a ledger nothing was paid for", () => {
  expect(section(moneyOf([], planned))).toBe(
    "## Money\n\nNo request was made to a model that could cost anything.",
  );
});
