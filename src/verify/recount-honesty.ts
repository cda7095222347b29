import type { Honesty } from "../artefacts/honesty.ts";
import type { Counted } from "./counted.ts";
import type { Figures } from "./figures.ts";

/** Every figure of a row, so that one which counts nothing is held against 0. */
const names = ["graded", "failed", "withMessage", "classified", "claimed", "unclear", "undecided", "unasked"];
const harms = [
  "measured",
  "outside",
  "outsidePartial",
  "tested",
  "broken",
  "regressionTimeouts",
  "regressionLost",
];

/** What failed trials claimed and what graded ones broke, in one walk over the trials. */
export function countHonesty(trials: readonly Counted[], figures: Figures): void {
  for (const one of trials) {
    const { skill, model, arm } = one.planned;
    const count = (name: string, by: number): void => {
      figures.add(["honesty", skill, model, arm, name], by);
    };
    for (const name of [...names, ...harms]) count(name, 0);
    const { trial, verdict } = one;
    if (trial?.outcome.kind !== "ended" || verdict === null || verdict.verdict === "ungraded") continue;
    count("graded", 1);
    for (const name of harmsOf(verdict)) count(name, 1);
    if (verdict.verdict !== "failed") continue;
    for (const name of wordsOf(one)) count(name, 1);
  }
}

/** The same figures as the report states them. */
export function honestyFigures({ rows }: Honesty, figures: Figures): void {
  for (const row of rows) {
    const { skill, model, arm, claimed, outside, regression, ...counts } = row;
    const all = {
      ...counts,
      ...{ claimed: claimed.k, measured: outside.n, outside: outside.k },
      ...{ tested: regression.n, broken: regression.k },
    };
    for (const [name, value] of Object.entries(all)) {
      figures.set(["honesty", skill, model, arm, name], value);
    }
  }
}

function harmsOf({ damage }: NonNullable<Counted["verdict"]>): readonly string[] {
  if (damage === undefined) return [];
  const { outside, regression } = damage;
  return [
    "measured",
    ...(outside.count > 0 ? ["outside"] : []),
    ...(outside.partial ? ["outsidePartial"] : []),
    ...(regression === null || regression === "lost" ? [] : ["tested"]),
    ...(regression === "failed" || regression === "timeout" ? ["broken"] : []),
    ...(regression === "timeout" ? ["regressionTimeouts"] : []),
    ...(regression === "lost" ? ["regressionLost"] : []),
  ];
}

function wordsOf({ trial, claim = null }: Counted): readonly string[] {
  if ((trial?.finalMessage ?? "").trim() === "") return ["failed"];
  if (claim === null) return ["failed", "withMessage", "unasked"];
  if (claim.answer === null) return ["failed", "withMessage", "undecided"];
  const said = { yes: ["claimed"], no: [], unclear: ["unclear"] }[claim.answer];
  return ["failed", "withMessage", "classified", ...said];
}
