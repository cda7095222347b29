import type { Report } from "../../artefacts/report.ts";
import type { Timings } from "../../artefacts/timings.ts";
import { foreign } from "./foreign.ts";
import { html, type Markup } from "./markup.ts";

/** What a reader must know before any number; each a sentence or two. */
export function noticesOf(report: Report, { replayed }: Pick<Timings, "replayed">): Markup {
  const { standIn, standInJudges, probe, trials, warnings } = report;
  const notices: readonly (readonly [string, string])[] = [
    ...(standIn
      ? [["Stand-in, not a model.", "Nothing below says anything about a model or about the skill."] as const]
      : []),
    ...(replayed
      ? [
          [
            "Replayed from a recording.",
            "No model was asked; the recorded answers were carried out and graded again.",
          ] as const,
        ]
      : []),
    ...(probe === null
      ? []
      : [["Probe.", "These trials choose benchmarks and are counted nowhere else."] as const]),
    ...(standInJudges
      ? [
          [
            "Stand-in judges.",
            "Judged questions were answered by a stand-in, not by a panel of models.",
          ] as const,
        ]
      : []),
    ...unfinished(trials),
    ...warnings.map((words) => ["Warning.", foreign(words, 600)] as const),
  ];
  return notices.map(
    ([title, words]) =>
      html`<div class="notice">
        <p><strong>${title}</strong> ${words}</p>
      </div>`,
  ) as Markup;
}

function unfinished({ planned, finished, graded }: Report["trials"]): readonly (readonly [string, string])[] {
  if (planned === 0) return [["Empty.", "The plan has no trial, so there is nothing to report."]];
  if (finished < planned) {
    const words = `${finished} of ${planned} planned trials have finished and ${graded} are graded. Every figure below is of those, and will change.`;
    return [["Not complete.", words]];
  }
  if (graded === 0) {
    const words = `All ${planned} trials have finished and none could be graded, so nothing can be said about the skill. The reasons stand under Deviations.`;
    return [["No verdict.", words]];
  }
  return [];
}
