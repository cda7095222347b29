import type { Report } from "../artefacts/report.ts";
import type { Io } from "./io.ts";

/** The headline, what is concluded per skill and where the report is, on stdout. */
export function sayReport(report: Report, path: string, io: Io): void {
  if (report.standIn) io.out("stand-in, not a model\n");
  io.out(`${report.headline}\n`);
  for (const { level, skill, set, tasks } of report.conclusions?.rows ?? []) {
    if (level !== "skill") continue;
    const general = tasks === null ? "too few tasks to say more" : `tasks like these: ${tasks.label}`;
    io.out(`${skill ?? "all skills"}: ${set.label} (this set; ${general})\n`);
  }
  io.out(`report: ${path}\n`);
}
