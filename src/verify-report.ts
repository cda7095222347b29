import type { z } from "zod";
import { furtherSchema } from "./artefacts/further.ts";
import { type Report, reportSchema } from "./artefacts/report.ts";
import { timingsSchema } from "./artefacts/timings.ts";
import { readText } from "./store/record.ts";
import { wholeLines } from "./store/whole-lines.ts";
import type { ReportedFiles } from "./verify/found.ts";
import { fileIn, reportedHead } from "./verify/reported-files.ts";

/**
 * report.json and timings.json, which every figure is read from. A report is read one cell at a time where it lies as it
 * was written: of thousands of benchmarks it is larger as text than as figures, and parsed as a whole twice that.
 */
export async function readReported(reportPath: string, timingsPath: string): Promise<ReportedFiles> {
  const timings = await readText(timingsPath);
  const byCell = await reportByCell(reportPath).catch(() => null); // read as a whole it says what is wrong
  const report = byCell === null ? fileIn(await readText(reportPath), reportSchema) : byCell;
  return { report, timings: fileIn(timings, timingsSchema), head: reportedHead(timings) };
}

type Cells = { readonly cells: Report["cells"]; readonly further: Report["further"]["cells"] };

/** Null when it is laid out in another way, or when something in it does not fit. */
async function reportByCell(path: string): Promise<ReportedFiles["report"] | null> {
  const found: Cells = { cells: [], further: [] };
  const lists = [
    new ListLines("", '  "cells": [', collector(reportSchema.shape.cells.element, found.cells)),
    new ListLines(
      '  "further": {',
      '    "cells": [',
      collector(furtherSchema.shape.cells.element, found.further),
    ),
  ];
  const rest: string[] = [];
  for await (const lines of wholeLines(path)) {
    for (const line of lines) {
      const list = lists.find((one) => one.isOpen) ?? lists.find((one) => one.opens(line));
      const left = list === undefined ? line : list.take(line);
      if (left !== null) rest.push(left);
      for (const one of lists) one.pass(line);
    }
  }
  if (lists.some((one) => !one.isWhole)) return null;
  const { further, ...others } = reportSchema.parse(JSON.parse(rest.join("\n")));
  if (others.cells.length + further.cells.length > 0) return null;
  return {
    kind: "there",
    value: { ...others, cells: found.cells, further: { ...further, cells: found.further } },
  };
}

function collector<T>(schema: z.ZodType<T>, values: T[]): (text: string) => void {
  return (text) => {
    values.push(schema.parse(JSON.parse(text)));
  };
}

/** One list of objects in a JSON that is indented by two: its objects as they end, line by line. */
class ListLines {
  private readonly within: string;
  private readonly begin: string;
  private readonly indent: string;
  private readonly add: (text: string) => void;
  private state: "before" | "open" | "behind" = "before";
  private member = "";
  private times = 0;
  private block: string[] = [];
  private comma = "";

  /** `within`: the line of the outermost member that it is in; empty where it is one itself. */
  constructor(within: string, begin: string, add: (text: string) => void) {
    this.within = within;
    this.begin = begin;
    this.indent = " ".repeat(begin.search(/\S/));
    this.add = add;
  }

  get isOpen(): boolean {
    return this.state === "open";
  }

  /** Not begun a second time, and closed behind its last object; a list without objects is never open. */
  get isWhole(): boolean {
    return this.state !== "open" && this.times <= 1;
  }

  opens(line: string): boolean {
    return this.state === "before" && line === this.begin && this.isWithin;
  }

  private get isWithin(): boolean {
    return this.within === "" || this.member === this.within;
  }

  /** Sees every line, so that it knows which member it is in. */
  pass(line: string): void {
    if (/^ {2}"/.test(line)) this.member = line;
    if (line.startsWith(this.begin.slice(0, -1)) && this.isWithin) this.times++;
  }

  /** What stands in its place for the rest to be parsed; null for nothing. Throws for what is no list of objects. */
  take(line: string): string | null {
    if (this.state === "before") {
      this.state = "open";
      return `${line}]`;
    }
    if (this.block.length === 0 && (line === `${this.indent}]` || line === `${this.indent}],`)) {
      if (this.comma === ",") throw new SyntaxError("a comma behind the last of a list");
      this.state = "behind";
      return line.endsWith(",") ? "," : null;
    }
    const isEnd = line === `${this.indent}  }` || line === `${this.indent}  },`;
    if (this.block.length === 0 && (line !== `${this.indent}  {` || this.comma === "none"))
      throw new SyntaxError("no object where one begins");
    this.block.push(isEnd ? "}" : line);
    if (!isEnd) return null;
    this.comma = line.endsWith(",") ? "," : "none";
    this.add(this.block.join("\n"));
    this.block = [];
    return null;
  }
}
