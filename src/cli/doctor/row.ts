import { setTimeout as delay } from "node:timers/promises";
import { messageOf, UserError } from "../../errors.ts";

/** What one check found. */
export type Row = {
  readonly check: string;
  readonly state: "ok" | "warn" | "fail";
  /** May hold foreign text; made printable where it is shown. */
  readonly found: string;
  /** The command that mends it, or the line for the campaign's file; null where nothing is to be mended. */
  readonly mend: string | null;
  /** Whose turn it is: the user has to change something, or something outside does not answer. Null when ok. */
  readonly cause: "user" | "infrastructure" | null;
};

/** No check takes longer, so that the slowest of them is what a user waits for. */
export const checkMs = 10_000;

export function ok(check: string, found: string): Row {
  return { check, state: "ok", found, mend: null, cause: null };
}

export function warn(check: string, found: string, mend: string | null = null): Row {
  return { check, state: "warn", found, mend, cause: "user" };
}

export function fail(check: string, found: string, mend: string | null = null): Row {
  return { check, state: "fail", found, mend, cause: "user" };
}

/** Something outside does not answer. */
export function silent(check: string, found: string, mend: string | null = null): Row {
  return { check, state: "fail", found, mend, cause: "infrastructure" };
}

export type Checking = {
  /** Aborts when the user wants to stop; then the check throws its reason. */
  readonly signal: AbortSignal;
  /** For what is thrown. */
  readonly mend?: string | null;
  readonly limitMs?: number;
};

/** What came of one attempt: what it was for, or the row that says why not. */
export type Tried<T> =
  { readonly kind: "got"; readonly value: T } | { readonly kind: "row"; readonly row: Row };

/**
 * Acts as one check: what is thrown becomes its row, and so does silence. A `UserError` is the user's to mend,
 * everything else is taken to be outside. A command that stands in the message ("Run: …") is what mends it.
 */
export async function tried<T>(
  check: string,
  act: (signal: AbortSignal) => Promise<T>,
  { signal, mend = null, limitMs = checkMs }: Checking,
): Promise<Tried<T>> {
  signal.throwIfAborted();
  const over = new AbortController();
  const own = AbortSignal.any([signal, over.signal]);
  const silence = delay(limitMs, null, { signal: own }).then(
    () => ({ kind: "row" as const, row: silent(check, `no answer in ${limitMs / 1000} s`, mend) }),
    () => {
      // The check has ended, unless the user stopped it.
      signal.throwIfAborted();
      return new Promise<never>(() => undefined);
    },
  );
  silence.catch(() => undefined);
  try {
    return await Promise.race([act(own).then((value) => ({ kind: "got" as const, value })), silence]);
  } catch (error) {
    signal.throwIfAborted();
    const words = messageOf(error);
    const command = /Run: (skillproof [^\n]*?)\.?$/m.exec(words)?.[1];
    return { kind: "row", row: (error instanceof UserError ? fail : silent)(check, words, command ?? mend) };
  } finally {
    over.abort();
  }
}

/** The same for a check whose findings are rows. */
export async function checked(
  check: string,
  act: (signal: AbortSignal) => Promise<readonly Row[] | Row>,
  checking: Checking,
): Promise<readonly Row[]> {
  const ended = await tried(check, act, checking);
  if (ended.kind === "row") return [ended.row];
  return "check" in ended.value ? [ended.value] : ended.value;
}

/** Rows of several checks that begin together, in the order of the checks. */
export async function together(checks: readonly Promise<readonly Row[]>[]): Promise<readonly Row[]> {
  return (await Promise.all(checks)).flat();
}

/** 2 before 3: what the user has to mend is not mended by waiting. */
export function codeOf(rows: readonly Row[]): 0 | 2 | 3 {
  const causes = rows.flatMap(({ state, cause }) => (state === "fail" ? [cause] : []));
  if (causes.includes("user")) return 2;
  return causes.length === 0 ? 0 : 3;
}
