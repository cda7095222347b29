import { ballotKind } from "../artefacts/ballot-kind.ts";
import type { Plan } from "../artefacts/plan.ts";
import { CellCounts, passedOf } from "./cell-counts.ts";
import type { Counted } from "./counted.ts";
import { Figures } from "./figures.ts";
import { HonestyCounts } from "./recount-honesty.ts";
import { setUplifts } from "./recount-uplifts.ts";
import { told, UsageMeans } from "./recount-usage.ts";

/**
 * The figures of a report once more, by other code than the report's: one walk over the trials that counts, and means
 * from the counts. Only the definitions are the same (DESIGN §8, notes on statistics): a trial counts when it was graded,
 * an uplift is a difference of pass rates in one cell, and a mean of uplifts gives every cell the same weight.
 */
export class Recount {
  readonly cells = new CellCounts();
  readonly circumstances = new Figures();
  private readonly usage = new UsageMeans(told);
  private readonly honesty = new HonestyCounts();

  constructor() {
    for (const name of ["planned", "finished", "graded"]) this.circumstances.set(["trials", name], 0);
  }

  see(one: Counted): void {
    countTrial(one, this.circumstances);
    this.cells.see(one);
    this.usage.see(one);
    this.honesty.see(one);
  }

  /** Of all but circumstances and cells, which are as many as the campaign is large. */
  figures(plan: Pick<Plan, "benchmarks" | "leaky">): Figures {
    const figures = new Figures();
    setUplifts(this.cells.all(), plan, figures);
    this.usage.setFigures(figures);
    this.honesty.setFigures(figures);
    return figures;
  }
}

function countTrial(one: Counted, figures: Figures): void {
  const { planned, trial, verdict, voids } = one;
  const { arm, model } = planned;
  const isGraded = passedOf(one) !== null;
  figures.add(["trials", "planned"], 1);
  if (trial !== null) figures.add(["trials", "finished"], 1);
  if (isGraded) figures.add(["trials", "graded"], 1);
  else figures.add(["ungraded", arm, causeOf(one)], 1);
  // None of none is a figure too, where every trial was blocked.
  figures.add(["leftOut", "snapshots"], trial?.outcome.kind === "ended" ? 1 : 0);
  if (trial?.outcome.kind === "ended") {
    figures.add(["stops", arm, trial.outcome.stop], 1);
    if (trial.outcome.snapshot.leftOut !== undefined) figures.add(["leftOut", arm], 1);
  }
  figures.add(["graderErrors", arm], verdict?.reason?.startsWith("grader_error") === true ? 1 : 0);
  figures.add(["voids", model, arm, "lost"], voids);
  figures.add(["voids", model, arm, "attempts"], voids + (trial === null ? 0 : 1));
}

function causeOf({ trial, verdict }: Counted): string {
  if (trial?.outcome.kind === "blocked") return "blocked";
  if (trial === null || verdict === null) return "missing";
  const isUnreached = verdict.answers.some(
    ({ answer, ballots }) => answer === null && ballots.some((ballot) => ballotKind(ballot) === "unreached"),
  );
  return isUnreached ? "judges_unreached" : "undecided";
}
