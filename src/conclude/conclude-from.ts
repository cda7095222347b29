import type { Analysis, AnalysisRow, AnalysisSettings, Evidence } from "../artefacts/analysis.ts";
import type { Conclusion, ConcludedRow } from "../artefacts/conclusion.ts";
import type { ConclusionKind } from "../artefacts/conclusion-kind.ts";
import { generalises } from "./family.ts";
import { takeOf } from "./needed.ts";
import { confirmatory } from "./scopes.ts";
import { controlName, counted, percent, points, pValue, range, rate, size } from "./words.ts";

type Question = Conclusion["question"];

/** Of every hypothesis of the frozen settings, in the order of the rows. */
export function concludeAll({ rows, settings }: Analysis): readonly ConcludedRow[] {
  return rows.flatMap((row) => concludeFrom(row, settings) ?? []);
}

/**
 * What may be said of a row: of this set, and of tasks like these where there are enough of them. Null for rows that the
 * plan has no hypothesis about; they are exploratory.
 */
export function concludeFrom(row: AnalysisRow, settings: AnalysisSettings): ConcludedRow | null {
  if (row.role !== "primary" || !confirmatory.includes(row.level)) return null;
  const { level, skill, model, taskClass, comparison } = row;
  const general = generalises(row, settings) && row.tasks >= settings.minTasks;
  const set = concludeOn("set", row, settings);
  return {
    level,
    skill,
    model,
    taskClass,
    comparison,
    set: general ? set : { ...set, notes: [...set.notes, tooFew(row, settings)] },
    tasks: general ? concludeOn("tasks", row, settings) : null,
  };
}

/** About tasks like these where that can be answered, else about this set. */
export function headlineOf({ set, tasks }: Pick<ConcludedRow, "set" | "tasks">): Conclusion {
  return tasks ?? set;
}

function concludeOn(question: Question, row: AnalysisRow, settings: AnalysisSettings): Conclusion {
  const { evidence } = row;
  if (evidence === null) {
    const reason = `No verdict in one arm of every cell: ${counted(row.cellsPlanned, "cell")} planned, 0 usable.`;
    const take = runAgain;
    return { ...unknown, question, reason, notes: [], take };
  }
  const kind = kindOf(question, evidence, settings);
  const doubt = missingDoubt(question, row, settings) ?? noiseDoubt(kind, { evidence, row, settings });
  if (doubt !== null) {
    const notes = [`Without that: ${figures(question, { evidence, row, settings })}`];
    return { ...unknown, ...doubt, question, notes };
  }
  const placebo = kind === "helps" ? placeboOf(question, row, settings) : null;
  return {
    question,
    kind,
    placebo,
    label: labelOf(kind, { placebo, row, settings }),
    reason: figures(question, { evidence, row, settings }),
    notes: notesOf(question, { kind, placebo }, { evidence, row, settings }),
    take: kind === "cannot_tell" ? takeOf(question, { evidence, row, settings }) : null,
  };
}

type Known = { readonly evidence: Evidence; readonly row: AnalysisRow; readonly settings: AnalysisSettings };

/** p-values of whole counts land on the level itself. */
const rounding = 1e-12;

/** In the order hurts, helps, no meaningful difference, cannot tell. An absent proof of a difference is no proof of none. */
export function kindOf(question: Question, evidence: Evidence, settings: AnalysisSettings): ConclusionKind {
  const { pAdjusted, toward, equivalent } = evidence[question];
  const significant = pAdjusted !== null && pAdjusted <= settings.alpha + rounding;
  if (significant && settings.sides === 2 && toward < 0 && evidence.uplift < 0) return "hurts";
  if (significant && toward > 0 && evidence.uplift > 0) return "helps";
  return equivalent ? "no_meaningful_difference" : "cannot_tell";
}

const runAgain =
  "Run the campaign again: trials that are missing are made up for, those that were blocked or left undecided are not.";

type Doubt = { readonly reason: string; readonly take: string };

/** Trials without a verdict whose verdicts could have changed the conclusion. */
function missingDoubt(question: Question, row: AnalysisRow, settings: AnalysisSettings): Doubt | null {
  const { evidence, imputed } = row;
  if (imputed === null || evidence === null) return null;
  const kind = kindOf(question, evidence, settings);
  const against = kindOf(question, imputed.against, settings);
  const inFavour = kindOf(question, imputed.inFavour, settings);
  if (kind === "cannot_tell" || (against === kind && inFavour === kind)) return null;
  const [low, high] = [imputed.against, imputed.inFavour].map(({ uplift }) => points(uplift));
  const missing = row.treated.planned + row.control.planned - row.treated.graded - row.control.graded;
  return {
    reason:
      `${counted(missing, "trial")} of ${row.treated.planned + row.control.planned} without a verdict could change the ` +
      `conclusion: counted against the skill, ${labels[against]} (${low ?? ""}); for it, ${labels[inFavour]} (${high ?? ""}).`,
    take: runAgain,
  };
}

/** A conclusion no larger than what two equal arms differ by is withheld. */
function noiseDoubt(kind: ConclusionKind, { evidence, row, settings }: Known): Doubt | null {
  const floor = row.noiseFloor;
  if (floor === null || kind === "cannot_tell") return null;
  const measured = kind === "no_meaningful_difference" ? settings.delta : Math.abs(evidence.uplift);
  if (measured >= floor) return null;
  const what = kind === "no_meaningful_difference" ? "the margin of" : "an effect of";
  return {
    reason: `Withheld: two equal arms differed by ${size(floor)}, more than ${what} ${size(measured)}.`,
    take: "Find what makes equal arms differ (endpoint, load, grader), or make more trials per arm.",
  };
}

const labels: Readonly<Record<ConclusionKind, string>> = {
  helps: "helps",
  hurts: "hurts",
  no_meaningful_difference: "no meaningful difference",
  cannot_tell: "cannot tell",
};

const unknown = { kind: "cannot_tell", placebo: null, label: labels.cannot_tell } as const;

function labelOf(
  kind: ConclusionKind,
  { placebo, row, settings }: Pick<Known, "row" | "settings"> & Pick<Conclusion, "placebo">,
): string {
  switch (kind) {
    case "helps":
      return placebo === "beaten" ? labels.helps : `helps vs ${controlName(row.comparison)}`;
    case "no_meaningful_difference":
      return `${labels.no_meaningful_difference} (±${size(settings.delta)})`;
    case "hurts":
    case "cannot_tell":
      return labels[kind];
  }
}

/** *helps* alone is only for what has beaten the placebo too, also with missing trials counted either way. */
function placeboOf(question: Question, row: AnalysisRow, settings: AnalysisSettings): Conclusion["placebo"] {
  // Held against the placebo itself: nothing else has to be beaten.
  if (row.comparison.against === settings.placebo) return null;
  if (!row.placeboRan) return "absent";
  const all = [row.evidence, row.imputed?.against ?? row.evidence, row.imputed?.inFavour ?? row.evidence];
  const beaten = all.every((one) => (one?.[question].pHelps ?? 1) <= settings.alpha + rounding);
  return beaten ? "beaten" : "not_beaten";
}

/** Effect, denominators, interval and p in one sentence. */
function figures(question: Question, { evidence, row, settings }: Known): string {
  const tested = evidence[question];
  const { arm, against } = row.comparison;
  const over = question === "tasks" ? counted(row.tasks, "task") : counted(row.cells, "cell");
  const interval =
    tested.interval === null ? "" : `, ${percent(1 - settings.alpha)} interval ${range(tested.interval)}`;
  const adjusted = settings.family === "holm" ? "Holm" : "Benjamini–Hochberg";
  const sides = settings.sides === 1 ? ", one-sided" : "";
  return (
    `${points(evidence.uplift)} for ${arm} against ${against} over ${over}` +
    ` (passed ${rate(row.treated)} and ${rate(row.control)} trials${interval};` +
    ` ${pValue(tested.pAdjusted ?? tested.p)} after ${adjusted}${sides}).`
  );
}

function notesOf(
  question: Question,
  { kind, placebo }: Pick<Conclusion, "kind" | "placebo">,
  known: Known,
): string[] {
  const { evidence, row, settings } = known;
  const tested = evidence[question];
  const notes: string[] = [];
  const margin = `±${size(settings.delta)}`;
  if ((kind === "helps" || kind === "hurts") && tested.equivalent)
    notes.push(`The effect is real and lies inside the margin of ${margin}.`);
  if (placebo === "absent")
    notes.push(
      settings.placebo === null
        ? "The plan asks for no placebo to be beaten: more text alone might do the same."
        : "No placebo ran: more text alone might do the same.",
    );
  if (placebo === "not_beaten")
    notes.push(
      `The placebo was not beaten (joint ${pValue(tested.pHelps ?? 1)}): more text alone might do the same.`,
    );
  if (kind === "cannot_tell" && tested.notWorse)
    notes.push(`Not worse by more than ${size(settings.delta)}.`);
  if (kind === "cannot_tell" && settings.sides === 1 && tested.toward < 0)
    notes.push("The frozen plan asks whether it helps; harm was not tested.");
  notes.push(...boundsOf(row));
  if (question === "tasks" && evidence.tasks.smallestP > settings.alpha + rounding)
    notes.push(
      `${counted(row.tasks, "task")} cannot give a p below ${evidence.tasks.smallestP.toPrecision(2)}, whatever they show.`,
    );
  if (question === "tasks" && evidence.tasks.uninformative)
    notes.push("All tasks show the same difference, so their spread tells nothing about others.");
  return notes;
}

/** What trials without a verdict could make of the effect at most, either way; nothing where none is missing. */
function boundsOf({ imputed, treated, control }: AnalysisRow): readonly string[] {
  if (imputed === null || imputed.against.uplift === imputed.inFavour.uplift) return [];
  const missing = treated.planned + control.planned - treated.graded - control.graded;
  const ends = range([imputed.against.uplift, imputed.inFavour.uplift]);
  return [
    `${counted(missing, "trial")} of ${treated.planned + control.planned} without a verdict: counted against the skill and for it, ${ends} points.`,
  ];
}

function tooFew({ tasks }: AnalysisRow, { minTasks }: AnalysisSettings): string {
  return `Holds for this set only: too few tasks to generalise (${tasks}; at least ${minTasks}).`;
}
