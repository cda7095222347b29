import type { Report } from "../artefacts/report.ts";
import type { Io } from "./io.ts";

/** The headline, what is concluded per skill and where the report is, on stdout. */
export function sayReport(report: Report, path: string, io: Io): void {
  if (report.standIn) io.out("stand-in, not a model\n");
  io.out(`${report.headline}\n`);
  const severalArms = (report.conclusions?.settings.comparisons.length ?? 0) > 1;
  for (const { level, skill, comparison, set, tasks } of report.conclusions?.rows ?? []) {
    if (level !== "skill") continue;
    const general = tasks === null ? "too few tasks to say more" : `tasks like these: ${tasks.label}`;
    const arms = severalArms ? `, ${comparison.arm} against ${comparison.against}` : "";
    io.out(`${skill ?? "all skills"}${arms}: ${set.label} (this set; ${general})\n`);
  }
  io.out(`report: ${path}\n`);
}
