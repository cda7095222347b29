import { ballotKind } from "../artefacts/ballot-kind.ts";
import type { Plan } from "../artefacts/plan.ts";
import type { Counted } from "./counted.ts";
import { Figures } from "./figures.ts";
import { countHonesty } from "./recount-honesty.ts";
import { type CellCount, type Count, setCells, setUplifts } from "./recount-uplifts.ts";
import { countUsage } from "./recount-usage.ts";

/**
 * The figures of a report once more, by other code than the report's: one walk over the trials that counts, and means
 * from the counts. Only the definitions are the same (DESIGN §8, notes on statistics): a trial counts when it was graded,
 * an uplift is a difference of pass rates in one cell, and a mean of uplifts gives every cell the same weight.
 */
export function recount(trials: readonly Counted[], plan: Pick<Plan, "benchmarks" | "leaky">): Figures {
  const figures = new Figures();
  const cells = new Map<string, CellCount>();
  for (const name of ["planned", "finished", "graded"]) figures.set(["trials", name], 0);
  for (const one of trials) {
    countTrial(one, figures);
    const { skill, benchmark, model, arm } = one.planned;
    const name = JSON.stringify([skill, benchmark, model]);
    const cell = cells.get(name) ?? { skill, benchmark, model, arms: new Map<string, Count>() };
    cells.set(name, cell);
    const tally = cell.arms.get(arm) ?? { passed: 0, graded: 0, planned: 0 };
    const passed = passedOf(one);
    tally.planned += 1;
    if (passed !== null) tally.graded += 1;
    if (passed === true) tally.passed += 1;
    cell.arms.set(arm, tally);
  }
  setCells([...cells.values()], figures);
  setUplifts([...cells.values()], plan, figures);
  countUsage(trials, figures);
  countHonesty(trials, figures);
  return figures;
}

/** Null for what enters no denominator. */
function passedOf({ trial, verdict }: Counted): boolean | null {
  if (trial?.outcome.kind !== "ended" || verdict === null || verdict.verdict === "ungraded") return null;
  return verdict.verdict === "passed";
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
