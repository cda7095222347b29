import type { ReportedLooks } from "../artefacts/looks.ts";
import type { Report } from "../artefacts/report.ts";

type Table = (header: readonly string[], rows: readonly (readonly string[])[]) => string;

/** The section "Looks" of report.md; empty where none were planned. */
export function looksSection({ looks }: Pick<Report, "looks">, { table }: { readonly table: Table }): string {
  if (looks === null) return "";
  const rows = looks.taken.flatMap(({ look, blocks, ofBlocks, nominalP, rows: seen, stops }) =>
    seen.map(({ skill, arm, against, kind }) => [
      `${look} of ${looks.settings.count}`,
      `${blocks} of ${ofBlocks}`,
      nominalP.toPrecision(2),
      `${skill}: ${arm} against ${against}`,
      kind.replaceAll("_", " "),
      stops ? "yes" : "no",
    ]),
  );
  const header = ["look", "blocks over", "p at most", "hypothesis", "this set", "ended there"];
  const body = rows.length === 0 ? [] : [table(header, rows)];
  return ["## Looks", looksWords(looks).join(" "), ...body].join("\n\n");
}

/** What a reader must know of them, a sentence each. */
export function looksWords(looks: ReportedLooks): readonly string[] {
  const { settings, taken, ended, atMost, notReleased, settledCells, cells } = looks;
  const name = settings.boundary === "pocock" ? "Pocock" : "O'Brien–Fleming";
  return [
    `The plan froze ${settings.count} looks with ${name} boundaries; ${taken.length} of them were taken.`,
    ended
      ? `The campaign ended at look ${taken.at(-1)?.look ?? 0}: ${notReleased} of at most ${atMost} trials were not needed.`
      : `Nothing is concluded between looks; ${notReleased} of at most ${atMost} trials are not released yet.`,
    ...(settings.settle === null
      ? []
      : [
          `${settledCells} of ${cells} cells settled (all verdicts alike after ${settings.settle.after} or more pairs), and others got their ` +
            "trials; in simulations this pulls an uplift of 10 to 30 points towards 0 by 1 to 3.5 points.",
        ]),
    ...(ended && (taken.at(-1)?.look ?? 0) < settings.count
      ? ["An early stop makes a large uplift look larger, by 1 to 3 points in simulations."]
      : []),
  ];
}
