import { expect, test } from "vitest";
import { analysisRulesSchema, analysisSettingsSchema } from "./artefacts/analysis.ts";
import type { ArmUsage, Cell } from "./artefacts/report.ts";
import { analysisFor, concludeCampaign } from "./campaign-analysis.ts";
import { UserError } from "./errors.ts";

const written = { bootstrap: { resamples: 0 } };
const settings = analysisSettingsSchema.parse(written);
const rules = analysisRulesSchema.parse(written);

test.each<[string, readonly string[], readonly string[]]>([
  ["the usual two arms", ["without_skill", "with_skill"], ["with_skill against without_skill"]],
  [
    "packs, and a placebo that is beaten rather than compared",
    ["pack-a", "without_skill", "placebo", "pack-b"],
    ["pack-a against without_skill", "pack-b against without_skill"],
  ],
  [
    "a version and today's, without a control",
    ["with_skill", "version-v1"],
    ["version-v1 against with_skill"],
  ],
  ["equal arms", ["without_skill", "without_skill@again"], []],
  ["one arm", ["without_skill"], []],
])("hypotheses follow from the arms: %s", (_what, arms, wanted) => {
  const found = analysisFor(rules, arms, 3);
  expect(found?.comparisons.map(({ arm, against }) => `${arm} against ${against}`) ?? []).toEqual(wanted);
});

test("a comparison that names no arm of the campaign is refused", () => {
  const comparisons = [{ arm: "with_skil", against: "without_skill" }];
  expect(() => analysisFor({ ...rules, comparisons }, ["without_skill", "with_skill"], 3)).toThrow(UserError);
  expect(() => analysisFor({ ...rules, comparisons }, ["without_skill", "with_skill"], 3)).toThrow(
    "analysis.comparisons: with_skil: no such arm",
  );
});

test.each<[string, readonly string[], string | undefined, string]>([
  ["by another name", ["without_skill", "with_skill", "placebo-length"], undefined, "placebo-length"],
  ["repeated", ["without_skill", "with_skill", "placebo@again"], undefined, "placebo@again"],
  ["none", ["without_skill", "with_skill"], undefined, "placebo"],
  ["a pack", ["without_skill", "with_skill", "pack-careful"], "pack-careful", "pack-careful"],
])("the placebo to beat is no hypothesis: %s", (_what, arms, named, wanted) => {
  const found = analysisFor(named === undefined ? rules : { ...rules, placebo: named }, arms, 3);
  expect(found?.placebo).toBe(wanted);
  expect(found?.comparisons).toEqual([{ arm: "with_skill", against: "without_skill" }]);
});

test("a placebo that is no arm, or is compared besides, is refused with every other problem", () => {
  const arms = ["without_skill", "with_skill", "placebo", "placebo-mild"];
  expect(() => analysisFor(rules, ["without_skill", "placebo-a", "placebo-b"], 3)).toThrow(
    "analysis.placebo: say which of them *helps* has to beat: placebo-a, placebo-b.",
  );
  const [none, length] = [
    { arm: "with_skill", against: "without_skill" },
    { arm: "with_skill", against: "placebo" },
  ];
  const looks = { count: 2, boundary: "pocock", settle: null } as const;
  expect(() => analysisFor({ ...rules, placebo: "lenght", looks }, arms, 3)).toThrow(
    /^analysis\.placebo: lenght: no such arm\..*\nanalysis\.looks\.count: 2 looks cannot/,
  );
  expect(() => analysisFor({ ...rules, comparisons: [none, length] }, arms, 3)).toThrow(
    "analysis.comparisons: with_skill against placebo stands beside with_skill against without_skill",
  );
  for (const apart of [
    { ...rules, comparisons: [length] },
    { ...rules, placebo: null, comparisons: [none, length] },
  ])
    expect(analysisFor(apart, arms, 3)?.comparisons).toEqual(apart.comparisons);
});

function cell(benchmark: string, treated: number, control: number, of = 10): Cell {
  const tally = (passed: number) => ({ passed, graded: of, planned: of });
  return {
    skill: "s",
    benchmark,
    model: "m",
    arms: { with_skill: tally(treated), without_skill: tally(control) },
    uplift: (treated - control) / of,
    complete: true,
  };
}

const mean = (value: number | null, known = 80, of = 80) => ({ mean: value, known, of });
function usage(arm: string, tokens: number, cost: number | null): ArmUsage {
  const none = mean(null, 0);
  return {
    ...{ skill: "s", model: "m", arm },
    ...{ inputTokens: mean(tokens), outputTokens: mean(0), costUsd: mean(cost, cost === null ? 0 : 80) },
    ...{ uncachedInputTokens: none, cachedInputTokens: none, modelCalls: none, toolCalls: none },
    ...{ peakContextTokens: none, agentSeconds: none, waitingSeconds: none },
  };
}

const helping = Array.from({ length: 8 }, (_, at) => cell(`b${at}`, 8, 3));

test("a skill that helps on eight tasks is concluded to help them, and accepted", () => {
  const { rows, decisions } = concludeCampaign(helping, [], settings);
  const own = rows.find(({ level }) => level === "skill");
  expect([own?.set.kind, own?.tasks?.kind]).toEqual(["helps", "helps"]);
  expect(decisions).toMatchObject([{ skill: "s", decision: { kind: "accept" } }]);
});

test("the rule's limits on tokens and dollars per correct are held against what was used", () => {
  const dear = {
    ...settings,
    decision: { ...settings.decision, maxTokenRatio: 2, maxCostPerCorrectRatio: 1 },
  };
  const told = (rows: readonly ArmUsage[]) => concludeCampaign(helping, rows, dear).decisions[0]?.decision;
  const cheap = [usage("with_skill", 1500, 0.02), usage("without_skill", 1000, 0.01)];
  expect(told(cheap)?.kind).toBe("accept");
  expect(told([usage("with_skill", 2500, 0.02), usage("without_skill", 1000, 0.01)])?.kind).toBe("revise");
  expect(told([usage("with_skill", 1500, null), usage("without_skill", 1000, 0.01)])?.kind).toBe("revise");
});

test("nothing is concluded about tasks like these from five", () => {
  const { rows, decisions } = concludeCampaign(helping.slice(0, 5), [], settings);
  const own = rows.find(({ level }) => level === "skill");
  expect(own?.tasks).toBeNull();
  expect(own?.set.notes.join(" ")).toContain("too few tasks to generalise (5; at least 6)");
  expect(decisions).toHaveLength(1);
});

test("a skill to be revised names the headings that the harmed benchmarks were made from, else the benchmarks", () => {
  const helped = Array.from({ length: 12 }, (_, at) => cell(`b${at}`, 10, 1));
  const harmed = ["bad", "worse", "odd", "worst", "sad"].map((benchmark) => cell(benchmark, 5, 8));
  const headings = (skill: string, benchmark: string): readonly string[] =>
    skill === "s" && benchmark !== "odd" ? ["Tone", `On ${benchmark}`] : [];
  const decided = (...more: readonly (typeof headings)[]) =>
    concludeCampaign([...helped, ...harmed], [], settings, ...more).decisions[0]?.decision;
  expect(decided(headings)).toMatchObject({
    kind: "revise",
    sections: ["Tone", "On bad", "On worse", "odd", "On worst", "On sad"],
  });
  expect(decided()?.sections).toEqual(["bad", "worse", "odd", "worst", "sad"]);
});
