import { appendFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import {
  type AttemptLine,
  type LedgerLine,
  ledgerLineSchema,
  type LedgerTotal,
  type SettledLine,
  settledAttempts,
  sumLedger,
} from "../artefacts/ledger.ts";
import { InfrastructureError, messageOf, UserError } from "../errors.ts";
import type { Ledger } from "../models/port.ts";
import { readIfThere } from "./artefact.ts";
import { writeAtomic } from "./atomic.ts";
import { Budget, budgetedNanoUsd } from "./budget.ts";

/** A campaign's ledger, open for one process. */
export type OpenLedger = Ledger & {
  /** All of the file, earlier processes included; requests under way in this one not. */
  total(): LedgerTotal;
  /** What counts against the limit: unknown costs at their most, requests under way not included. */
  spentNanoUsd(): number;
  /** Attempts of unknown cost that the server can be asked about. */
  unsettled(): readonly AttemptLine[];
  /** Writes down what was found out about an attempt. Throws for one that is not unsettled. */
  settle(found: Omit<SettledLine, "kind" | "at">): void;
  /** Nothing can be booked afterwards. Throws `InfrastructureError` when not all of it is on disk. */
  close(): void;
};

export type LedgerOptions = {
  /** Null: no limit. */
  readonly limitNanoUsd: number | null;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/**
 * Opens `ledger.jsonl`, or begins it. What it holds counts against the limit. Once a line could not be written,
 * `reserve` throws too: nothing is spent that is not written down.
 * Throws `UserError` for a file this version does not read.
 */
export async function openLedger(file: string, { limitNanoUsd, now }: LedgerOptions): Promise<OpenLedger> {
  await cutTornLine(file);
  const lines = [...(await readLedger(file))];
  const unsettled = new Map(unsettledIn(lines).map((attempt) => [attempt.id, attempt]));
  const spentNanoUsd = settledAttempts(lines).reduce((sum, attempt) => sum + budgetedNanoUsd(attempt), 0);
  const budget = new Budget({ limitNanoUsd, spentNanoUsd });
  const writer = new LineWriter(file);
  let lastId = lines.reduce((most, { id }) => Math.max(most, id), 0);
  const at = (): string => new Date(now()).toISOString();
  return {
    reserve(begun) {
      if (!budget.hold(begun.upToNanoUsd)) return null;
      const id = ++lastId;
      let ended = false;
      writer.write({ kind: "begun", id, at: at(), ...begun });
      return {
        book(attempt) {
          // Twice would free what others hold.
          if (ended) throw new Error(`attempt ${id} of ${file} was booked before`);
          ended = true;
          const line: AttemptLine = { kind: "attempt", id, at: at(), ...attempt };
          budget.free(begun.upToNanoUsd);
          budget.spend(budgetedNanoUsd(line));
          if (canBeSettled(line)) unsettled.set(id, line);
          lines.push(line);
          writer.write(line);
        },
      };
    },
    total: () => sumLedger(lines),
    spentNanoUsd: () => budget.spentNanoUsd,
    unsettled: () => [...unsettled.values()],
    settle(found) {
      const attempt = unsettled.get(found.id);
      if (attempt === undefined) throw new Error(`attempt ${found.id} of ${file} is not unsettled`);
      unsettled.delete(found.id);
      budget.spend(found.costNanoUsd - budgetedNanoUsd(attempt));
      const line: LedgerLine = { kind: "settled", at: at(), ...found };
      lines.push(line);
      writer.write(line);
    },
    close: () => {
      writer.close();
    },
  };
}

/** Every line of a ledger, in order; none when there is no file. Throws `UserError` for what is no line of one. */
export async function readLedger(file: string): Promise<readonly LedgerLine[]> {
  const text = wholeLines((await readIfThere(file)) ?? "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line, index) => parseLine(line, `${file}:${index + 1}`));
}

function parseLine(text: string, place: string): LedgerLine {
  const remedy = "It is only ever appended to: put it back as it was, or begin a new campaign.";
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UserError(`${place}: not JSON (${messageOf(error)}). ${remedy}`, { cause: error });
  }
  const parsed = ledgerLineSchema.safeParse(value);
  if (!parsed.success) throw new UserError(`${place}: ${z.prettifyError(parsed.error)}. ${remedy}`);
  return parsed.data;
}

/** A kill in mid-append leaves a torn last line, and the next one must not be glued to it. */
async function cutTornLine(file: string): Promise<void> {
  const text = (await readIfThere(file)) ?? "";
  const whole = wholeLines(text);
  if (whole !== text) await writeAtomic(file, whole);
}

function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf("\n") + 1);
}

function unsettledIn(lines: readonly LedgerLine[]): readonly AttemptLine[] {
  return settledAttempts(lines).filter(canBeSettled);
}

function canBeSettled({ source, generation }: AttemptLine): boolean {
  return source === "unknown" && generation !== null;
}

/** A line is on disk when `write` returns: an attempt that is sent must survive a kill in the next moment. */
class LineWriter {
  private readonly file: string;
  private failure: InfrastructureError | null = null;
  private closed = false;

  constructor(file: string) {
    this.file = file;
  }

  /** After a failure nothing more is written: half a line may be there. */
  write(line: LedgerLine): void {
    if (this.closed) throw new Error(`${this.file} is closed`);
    this.throwIfFailed();
    try {
      mkdirSync(dirname(this.file), { recursive: true });
      appendFileSync(this.file, `${JSON.stringify(line)}\n`);
    } catch (error) {
      const words = `${this.file}: cannot be written (${messageOf(error)})`;
      this.failure = new InfrastructureError(words, { cause: error });
      throw this.failure;
    }
  }

  close(): void {
    this.closed = true;
    this.throwIfFailed();
  }

  private throwIfFailed(): void {
    if (this.failure !== null) throw this.failure;
  }
}
