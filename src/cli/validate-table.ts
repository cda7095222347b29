import type { Validated } from "../validate-benchmark.ts";

const wordsWidth = 100;

/** What the gate found on one benchmark, a line per check, and below it all that its author has to read. */
export function validateTable(validated: Validated): string {
  const { id, passed, killRate, checks, cached } = validated;
  const total = checks.reduce((sum, { ms }) => sum + (ms ?? 0), 0);
  const rate = killRate === null ? "" : `, kill rate ${(killRate * 100).toFixed(0)} %`;
  const from = cached ? ", found before for the same content" : "";
  const width = Math.max(...checks.map(({ check }) => check.length));
  const lines = checks.map(({ check, passed: held, words, ms }) => {
    const mark = ms === null ? "-" : held ? "passed" : "REFUSED";
    return `  ${check.padEnd(width)}  ${mark.padEnd(7)}  ${secondsOf(ms).padStart(7)}  ${firstLine(words)}`;
  });
  const refused = checks.filter((one) => !one.passed && one.ms !== null);
  const details = refused.flatMap(({ check, words }) => [
    "",
    `${check}:`,
    ...words.split("\n").map((line) => `  ${line}`),
  ]);
  const warnings = checks.flatMap(({ check, warnings: all }) =>
    all.map((words) => `  warning, ${check}: ${words}`),
  );
  const head = `${id}: ${passed ? "passed" : "refused"}${rate}, ${secondsOf(total)}${from}`;
  return `${[head, ...lines, ...warnings, ...details].join("\n")}\n`;
}

function secondsOf(ms: number | null): string {
  return ms === null ? "" : `${(ms / 1000).toFixed(1)} s`;
}

function firstLine(words: string): string {
  const [line = ""] = words.split("\n");
  const characters = Array.from(line);
  return characters.length > wordsWidth ? `${characters.slice(0, wordsWidth - 1).join("")}…` : line;
}
