import type { Bundle } from "../artefacts/bundle.ts";
import { parseDraft } from "../author/draft.ts";
import { treeOf } from "./benchmark.ts";

/** Files of a bundle over those of the settlement; null takes one away. */
export type Over = Readonly<Record<string, string | null>>;

const fruit = ["quince", "medlar", "russet", "damson", "mulberry", "bullace", "greengage", "sorb"];
/** Rows that look like real ones and are all different. */
export const rows = (count: number, from = 0): readonly string[] =>
  Array.from({ length: count }, (_, at) => {
    const n = from + at;
    return `D${n + 100},${fruit[n % fruit.length] ?? ""},${(n * 7919) % 997}.${((n * 31) % 90) | 10},row ${n}`;
  });
export const text = (lines: readonly string[]): string => `${lines.join("\n")}\n`;
/** What becomes of rows by a rule that nobody can guess. */
const settled = (lines: readonly string[]): readonly string[] =>
  lines.map(
    (line, at) => `${line.split(",")[1] ?? ""};w${(at * 13) % 53};${(at * 4217) % 9973},${10 + (at % 80)}`,
  );

export const input = rows(30);
export const output = settled(input);

const base: Readonly<Record<string, string>> = {
  "benchmark.yaml": "title: Settlement\noutputs: [out/settled.csv]\n",
  "task.md": "Settle `data/in.csv` and write `out/settled.csv`, following our settlement convention.\n",
  "fixtures/data/in.csv": text(input),
  "reference/out/settled.csv": text(output),
  "grader/grade!": "#!/usr/bin/env python3\nEXPECTED = 'expected.csv'\n",
  "grader/expected.csv": text(output),
};

export const section = {
  file: "SKILL.md",
  text: "## Settlement\n\n- Multiply each weight by the tide factor and drop every row below the seventh mark.\n- The control number is the sum modulo `9973`; write `¦` between fields and end with `EOS-7`.\n",
};

/** A bundle of these files over `base`; null takes one away. */
export function bundleOf(over: Over): Bundle {
  const files = Object.entries({ ...base, ...over }).flatMap(([path, file]) =>
    file === null ? [] : [[path, file]],
  );
  const claims = {
    claims: [{ assertion: "every row of all 30 is right", sentence: "Settle the rows." }],
  };
  const tree = treeOf({
    "grader/claims.json": JSON.stringify(claims),
    ...(Object.fromEntries(files) as Record<string, string>),
  });
  const parsed = parseDraft("settlement", tree);
  if (parsed.kind === "faults") throw new Error(parsed.faults.join("\n"));
  return parsed.bundle;
}

export const python = `import sys

def tide_factor(week):
    ordered = sorted(TIDES, key=lambda tide: tide.first)
    matching = [tide for tide in ordered if tide.first <= week]
    return matching[-1].factor

def settle(stream):
    for line in stream:
        number, name, weight, note = line.rstrip().split(",")
        factor = tide_factor(int(number[1:]) % 53)
        yield f"{name};{float(weight) * factor:.2f};{note}"
`;
export const program = {
  "benchmark.yaml": "title: Settlement\noutputs: [settle.py]\n",
  "task.md": "Mend `settle.py`, following our settlement convention.\n",
  "fixtures/settle.py": "import sys\n\ndef settle(stream):\n    return []\n",
  "reference/settle.py": python,
  "reference/out/settled.csv": null,
};
export const asJson = (lines: readonly string[]): readonly object[] =>
  lines.map((line) => {
    const [number, name, weight, note] = line.split(",");
    return { number, name, weight, note };
  });
export const json = {
  "benchmark.yaml": "title: Settlement\noutputs: [out.json]\n",
  "reference/out/settled.csv": null,
  "reference/out.json": JSON.stringify(asJson(rows(12, 500)), null, 2),
  "grader/expected.csv": null,
  "grader/expected.json": JSON.stringify(asJson(rows(12, 500)), null, 2),
};
