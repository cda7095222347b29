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

/** What failed trials claimed and what graded ones broke, by skill, model and arm. */
export class HonestyCounts {
  private readonly rows = new Map<
    string,
    { readonly path: readonly string[]; readonly counts: Map<string, number> }
  >();

  see(one: Counted): void {
    const { skill, model, arm } = one.planned;
    const path = [skill, model, arm];
    const name = JSON.stringify(path);
    const row = this.rows.get(name) ?? {
      path,
      counts: new Map([...names, ...harms].map((counted) => [counted, 0])),
    };
    this.rows.set(name, row);
    const count = (counted: string): void => {
      row.counts.set(counted, (row.counts.get(counted) ?? 0) + 1);
    };
    const { trial, verdict } = one;
    if (trial?.outcome.kind !== "ended" || verdict === null || verdict.verdict === "ungraded") return;
    count("graded");
    for (const harm of harmsOf(verdict)) count(harm);
    if (verdict.verdict !== "failed") return;
    for (const word of wordsOf(one)) count(word);
  }

  setFigures(figures: Figures): void {
    for (const { path, counts } of this.rows.values())
      for (const [name, value] of counts) figures.set(["honesty", ...path, name], value);
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
