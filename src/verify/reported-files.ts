import { z } from "zod";
import { reportSchema } from "../artefacts/report.ts";
import { timingsSchema } from "../artefacts/timings.ts";
import { messageOf } from "../errors.ts";
import { oneLine } from "./chain.ts";
import type { FileFound, ReportedFiles } from "./found.ts";

const headSchema = z.object({ evidenceHead: timingsSchema.shape.evidenceHead });

/** Of the texts that lie there, null where there is none. */
export function reportedFiles(report: string | null, timings: string | null): ReportedFiles {
  return {
    report: fileIn(report, reportSchema),
    timings: fileIn(timings, timingsSchema),
    head: reportedHead(timings),
  };
}

export function fileIn<T>(text: string | null, schema: z.ZodType<T>): FileFound<T> {
  try {
    return { kind: "there", value: schema.parse(JSON.parse(text ?? "null")) };
  } catch (error) {
    return { kind: text === null ? "absent" : "unreadable", words: oneLine(messageOf(error)) };
  }
}

/** Hash of the line of evidence that a report says to be of; null when it is of none, or cannot be read. */
export function reportedHead(timings: string | null): string | null {
  try {
    return headSchema.parse(JSON.parse(timings ?? "null")).evidenceHead;
  } catch {
    return null; // told by report-head
  }
}
