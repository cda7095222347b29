import { tailOf, wholeLines } from "./whole-lines.ts";

/**
 * `trial`: the text of one trial. `list`: stands where their list does. `rest`: a line around it. `odd`: it is laid out
 * in another way, and nothing follows.
 */
export type PlanPiece = { readonly kind: "rest" | "list" | "trial" | "odd"; readonly text: string };

/** Lines that a trial begins and ends with, and the list of them. A line of JSON is never a part of a text in it. */
const list = { begin: '  "trials": [', end: /^ {2}\](,?)$/ };
const trial = { begin: "    {", end: /^ {4}\}(,?)$/ };
const odd: PlanPiece = { kind: "odd", text: "" };

/**
 * A plan in pieces, where it lies as `CampaignStore.writePlan` wrote it: text, parsed text and copy of a hundred thousand
 * trials together are a large part of what a process may hold.
 */
export async function* planPieces(path: string): AsyncGenerator<PlanPiece> {
  const { wholeBytes, bytes } = await tailOf(path);
  if (wholeBytes < bytes) {
    yield odd;
    return;
  }
  const reader = new PlanReader();
  for await (const lines of wholeLines(path)) {
    for (const line of lines) {
      const piece = reader.take(line);
      if (piece !== null) yield piece;
      if (piece?.kind === "odd") return;
    }
  }
  if (!reader.isWhole) yield odd;
}

class PlanReader {
  private at: "before" | "list" | "trial" | "behind" = "before";
  private block: string[] = [];
  /** Behind the trial before; undefined before the first. */
  private comma: string | undefined;

  get isWhole(): boolean {
    return this.at === "behind";
  }

  /** Null for a line of a trial that has not ended. */
  take(line: string): PlanPiece | null {
    if (this.at === "list") return this.inList(line);
    if (this.at === "trial") return this.inTrial(line);
    if (line !== list.begin) return { kind: "rest", text: line };
    if (this.at === "behind") return odd;
    this.at = "list";
    return { kind: "list", text: line };
  }

  private inList(line: string): PlanPiece | null {
    const [end, more = ""] = list.end.exec(line) ?? [];
    const fits = end === undefined ? line === trial.begin && this.comma !== "" : this.comma !== ",";
    if (!fits) return odd;
    this.at = end === undefined ? "trial" : "behind";
    this.block = ["{"];
    return end === undefined ? null : { kind: "rest", text: more };
  }

  private inTrial(line: string): PlanPiece | null {
    const end = trial.end.exec(line);
    if (end === null) {
      this.block.push(line);
      return null;
    }
    this.comma = end[1];
    this.at = "list";
    return { kind: "trial", text: `${this.block.join("\n")}}` };
  }
}
