import type { Bundle } from "../../artefacts/bundle.ts";
import { parseDraft } from "../../author/draft.ts";
import { treeOf } from "../benchmark.ts";

/** Files of a bundle that differ from the sound one; null takes a file away. */
export type Changes = Readonly<Record<string, string | null>>;

/** Small, and sound in every respect: the sum and the number of the rows of a table, as JSON. */
export function totalsBundle(id = "totals", changes: Changes = {}): Bundle {
  const files = { ...sound, ...changes };
  const kept = Object.entries(files).flatMap(([path, text]) =>
    text === null ? [] : [[path, text] as const],
  );
  const parsed = parseDraft(id, treeOf(Object.fromEntries(kept)));
  if (parsed.kind === "faults") throw new Error(parsed.faults.join("\n"));
  return parsed.bundle;
}

/** A grader in Python that has `holds(assertion, passed)` and `read()`, the parsed file or {}. */
export function grader(...lines: readonly string[]): string {
  return `${[...opening, ...lines, "sys.exit(0 if all(outcomes) else 1)"].join("\n")}\n`;
}

export function claimsOf(...rows: readonly (readonly [assertion: string, sentence: string])[]): string {
  return JSON.stringify({ claims: rows.map(([assertion, sentence]) => ({ assertion, sentence })) });
}

export const sentences = {
  write: "Write `total.json`: an object with the members `total` and `rows`.",
  total: "`total` is the sum of the column `kg` of `crates.csv`, a number.",
  rows: "`rows` is the number of its rows, the header not counted.",
} as const;

const opening = [
  "#!/usr/bin/python3 -I",
  "import json, os, sys",
  "",
  "outcomes = []",
  "",
  "def holds(assertion, passed):",
  "    outcomes.append(passed)",
  '    os.write(3, (json.dumps({"assertion": assertion, "passed": passed}) + "\\n").encode())',
  "",
  "def read():",
  "    try:",
  '        if not os.path.isfile("total.json"): return {}',
  '        with open("total.json", "rb") as file: value = json.loads(file.read(100_000))',
  "    except (OSError, ValueError, RecursionError):",
  "        return {}",
  "    return value if isinstance(value, dict) else {}",
  "",
];

const sound: Changes = {
  "benchmark.yaml": "title: Totals of a table\noutputs: [total.json]\n",
  "task.md": `# Totals\n\n${sentences.write}\n\n- ${sentences.total}\n- ${sentences.rows}\n`,
  "fixtures/crates.csv": "crate,kg\nT-1,117\nT-2,64\nT-3,208\nT-4,35\n",
  "reference/total.json": '{\n  "total": 424,\n  "rows": 4\n}\n',
  "grader/grade!": grader(
    "found = read()",
    'holds("total.json holds the two members and nothing else", set(found) == {"total", "rows"})',
    'holds("total is the sum", type(found.get("total")) in (int, float) and found["total"] == 424)',
    'holds("rows is the number of rows", type(found.get("rows")) is int and found["rows"] == 4)',
  ),
  "grader/claims.json": claimsOf(
    ["total.json holds the two members and nothing else", sentences.write],
    ["total is the sum", sentences.total],
    ["rows is the number of rows", sentences.rows],
  ),
};
