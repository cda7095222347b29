import type { Report } from "../artefacts/report.ts";
import type { Io } from "./io.ts";

/** The headline and where the report is, on stdout. */
export function sayReport(report: Report, path: string, io: Io): void {
  if (report.standIn) io.out("stand-in, not a model\n");
  io.out(`${report.headline}\nreport: ${path}\n`);
}
