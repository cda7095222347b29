import { appendFileSync, mkdirSync } from "node:fs";
import { truncate } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import {
  type AttemptLine,
  type BegunLine,
  type LedgerLine,
  ledgerLineSchema,
  LedgerTally,
  type LedgerTotal,
  type SettledLine,
  settledAttempts,
} from "../artefacts/ledger.ts";
import { InfrastructureError, messageOf, UserError } from "../errors.ts";
import type { Ledger } from "../models/port.ts";
import { Budget, budgetedNanoUsd } from "./budget.ts";
import { tailOf, wholeLines } from "./whole-lines.ts";

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
  const unsettled = new Map<number, AttemptLine>();
  const tally = new LedgerTally();
  let [spentNanoUsd, lastId] = [0, 0];
  for await (const attempts of readAttempts(file)) {
    for (const attempt of attempts) {
      tally.add(attempt);
      spentNanoUsd += budgetedNanoUsd(attempt);
      lastId = Math.max(lastId, attempt.id);
      if (canBeSettled(attempt)) unsettled.set(attempt.id, attempt);
    }
  }
  const budget = new Budget({ limitNanoUsd, spentNanoUsd });
  const writer = new LineWriter(file);
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
          tally.add(line);
          writer.write(line);
        },
      };
    },
    total: () => tally.total(),
    spentNanoUsd: () => budget.spentNanoUsd,
    unsettled: () => [...unsettled.values()],
    settle(found) {
      const attempt = unsettled.get(found.id);
      if (attempt === undefined) throw new Error(`attempt ${found.id} of ${file} is not unsettled`);
      unsettled.delete(found.id);
      budget.spend(found.costNanoUsd - budgetedNanoUsd(attempt));
      const line: SettledLine = { kind: "settled", at: at(), ...found };
      for (const after of settledAttempts([attempt, line])) tally.replace(attempt, after);
      writer.write(line);
    },
    close: () => {
      writer.close();
    },
  };
}

/** Every line of a ledger, in order; none when there is no file. Throws `UserError` for what is no line of one. */
export async function readLedger(file: string): Promise<readonly LedgerLine[]> {
  const all: LedgerLine[] = [];
  const once = keepOnce();
  for await (const lines of ledgerLines(file)) {
    for (const line of lines) all.push(once(line));
  }
  return all;
}

/** The same, a piece of the file at a time. */
export async function* ledgerLines(file: string): AsyncGenerator<readonly LedgerLine[]> {
  for await (const lines of numberedLines(file)) yield lines.map((line) => parseLine(line, file));
}

/** Ids of the attempts that something was found out about later. What is no line of a ledger names none. */
export async function settledIds(file: string): Promise<ReadonlySet<number>> {
  const ids = new Set<number>();
  for await (const lines of numberedLines(file)) {
    for (const { text } of lines) {
      const line = text.includes('"settled"') ? ledgerLineSchema.safeParse(jsonIn(text)).data : undefined;
      if (line?.kind === "settled") ids.add(line.id);
    }
  }
  return ids;
}

/** Undefined for what is not JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The names in a line, those of earlier ones where they are equal: most of a long ledger are the same few. */
function keepOnce(): (line: LedgerLine) => LedgerLine {
  const names = new Map<string, string>();
  const once = (name: string): string => {
    const first = names.get(name) ?? name;
    names.set(name, first);
    return first;
  };
  const orNull = (name: string | null): string | null => (name === null ? null : once(name));
  return (line) => {
    if (line.kind === "settled") return line;
    line.subject = orNull(line.subject);
    line.model = once(line.model);
    line.tag = orNull(line.tag);
    if (line.kind === "attempt") {
      line.provider = orNull(line.provider);
      line.outcome = once(line.outcome);
    }
    return line;
  };
}

/**
 * Its attempts, settled as far as they will be (`settledAttempts`), a piece of the file at a time: it may be larger than
 * memory. What was found out later stands behind what it is about, so the file is read twice. Those whose end was never
 * written come last. Throws as `readLedger` does.
 */
export async function* readAttempts(file: string): AsyncGenerator<readonly AttemptLine[]> {
  const found = new Map<number, SettledLine>();
  for await (const lines of numberedLines(file)) {
    for (const numbered of lines) {
      // Few lines are of this kind, and reading all of them takes seconds.
      const line = numbered.text.includes('"settled"') ? parseLine(numbered, file) : null;
      if (line?.kind === "settled") found.set(line.id, line);
    }
  }
  const begun = new Map<number, BegunLine>();
  const ended = new Set<number>();
  for await (const lines of numberedLines(file)) {
    const attempts = lines.flatMap((numbered): readonly AttemptLine[] => {
      const line = parseLine(numbered, file);
      if (line.kind === "begun" && !ended.has(line.id)) begun.set(line.id, line);
      if (line.kind !== "attempt") return [];
      if (!begun.delete(line.id)) ended.add(line.id);
      const later = found.get(line.id);
      return later === undefined ? [line] : settledAttempts([line, later]);
    });
    yield attempts;
  }
  yield settledAttempts([...begun.values()]);
}

type NumberedLine = { readonly text: string; readonly number: number };

async function* numberedLines(file: string): AsyncGenerator<readonly NumberedLine[]> {
  let number = 0;
  for await (const lines of wholeLines(file)) {
    yield lines.map((text) => ({ text, number: ++number }));
  }
}

function parseLine({ text, number }: NumberedLine, file: string): LedgerLine {
  const remedy = "It is only ever appended to: put it back as it was, or begin a new campaign.";
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UserError(`${file}:${number}: not JSON (${messageOf(error)}). ${remedy}`, { cause: error });
  }
  const parsed = ledgerLineSchema.safeParse(value);
  if (!parsed.success) throw new UserError(`${file}:${number}: ${z.prettifyError(parsed.error)}. ${remedy}`);
  return parsed.data;
}

/** A kill in mid-append leaves a torn last line, and the next one must not be glued to it. */
async function cutTornLine(file: string): Promise<void> {
  const { wholeBytes, bytes } = await tailOf(file);
  if (wholeBytes < bytes) await truncate(file, wholeBytes);
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
