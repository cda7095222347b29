import { asInvoked } from "./as-invoked.ts";
import { examine } from "./doctor/examine.ts";
import { codeOf, type Row } from "./doctor/row.ts";
import type { AddCommand } from "./io.ts";
import { printable } from "./progress.ts";
import { withoutDraining } from "./signals.ts";

/** `skillproof doctor`: what would stop a command, found before it starts, with what mends it. Changes nothing. */
export const addDoctor: AddCommand = (program, io, done) => {
  program
    .command("doctor")
    .description(
      "check machine, engine, campaign file, keys and models; says what mends each fault, costs nothing",
    )
    .option("-c, --config <file>", "the campaign's YAML")
    .option("--json", "print what was found on stdout as JSON")
    .action(async (options: { readonly config?: string; readonly json?: boolean }) => {
      const found = await examine(options.config, withoutDraining(io));
      const rows = found.map((row) => ({
        ...{ ...row, found: asInvoked(row.found, io.env) },
        mend: row.mend === null ? null : asInvoked(row.mend, io.env),
      }));
      if (options.json === true) io.out(`${JSON.stringify({ counts: countsOf(rows), rows }, null, 2)}\n`);
      else io.out(describe(rows));
      done(codeOf(rows));
    });
};

function countsOf(rows: readonly Row[]): Readonly<Record<Row["state"], number>> {
  const count = (state: Row["state"]): number => rows.filter((row) => row.state === state).length;
  return { ok: count("ok"), warn: count("warn"), fail: count("fail") };
}

const widestCheck = 32;
/** Characters of what was found: it says how to mend it, at its end. */
const longest = 800;

function describe(rows: readonly Row[]): string {
  const width = Math.min(widestCheck, Math.max(0, ...rows.map(({ check }) => printable(check).length)));
  const indent = " ".repeat(width + 8);
  const lines = rows.flatMap(({ check, state, found, mend }) => {
    const [first = "", ...rest] = found.split("\n").map((line) => printable(line, longest));
    return [
      `${state.padEnd(5)} ${printable(check).padEnd(width)}  ${first}`,
      ...rest.map((line) => `${indent}${line}`),
      ...(mend === null ? [] : [`${indent}→ ${printable(mend, longest)}`]),
    ];
  });
  const counts = countsOf(rows);
  const total = `${counts.ok} of ${rows.length} checks ok, ${counts.warn} warning(s), ${counts.fail} failed`;
  return `${[...lines, total].join("\n")}\n`;
}
