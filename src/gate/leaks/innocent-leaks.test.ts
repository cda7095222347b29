import { expect, test } from "vitest";
import { treeOf } from "../../testing/benchmark.ts";
import {
  bundleOf,
  input,
  type Over,
  program,
  python,
  rows,
  section,
  text,
} from "../../testing/settlement-bundle.ts";
import { findLeaks, type Leaks } from "./find-leaks.ts";

/** What a skill and a task may both say. */
const common = `
- Settle what came in since 2031, with Python 3.11, in at most 1000 lines of \`json\`; write \`out/settled.csv\`.
- It is for those who were to have been there as well. The neap bays of the north shore are shut.
- One row is: ${input[2] ?? ""}
`;

function leaksOf(over: Over): Leaks {
  const told = { ...section, text: `${section.text}${common}` };
  return findLeaks(bundleOf(over), { sections: [told], skill: treeOf({ "SKILL.md": told.text }) });
}

const renamed = (lines: readonly string[]): Record<string, string | null> => ({
  "reference/out/settled.csv": text(lines),
  "grader/expected.csv": text(lines),
});

test.each<[string, Over]>([
  ["rows that the task selects", renamed(input.filter((_, at) => at % 3 === 0))],
  [
    "rows in another order",
    renamed(input.toSorted((a, b) => (a.split(",")[2]! < b.split(",")[2]! ? -1 : 1))),
  ],
  [
    "rows of which one is mended",
    renamed(input.map((row, at) => (at === 7 ? row.replace("row 7", "row seven") : row))),
  ],
  ["rows and a sum of them", renamed([...input, "total,,7342.10,30 rows"])],
  [
    "rows of two files together",
    {
      ...renamed([...input, ...rows(20, 60)]),
      "fixtures/data/more.csv": text(rows(20, 60)),
      "task.md": "Put `data/in.csv` and `data/more.csv` together in `out/settled.csv`.\n",
    },
  ],
  [
    "rows without the preamble",
    {
      ...renamed(input),
      "fixtures/data/in.csv": text(["# exported by Skerry", "# on a Monday in the spring", ...input]),
    },
  ],
  [
    "rows of a folder that is named",
    { ...renamed(input.slice(0, 9)), "task.md": "Select from `data/` what counts.\n" },
  ],
  [
    "rows when no file is named",
    { ...renamed(input.toReversed()), "task.md": "Turn the rows about, into `out/settled.csv`.\n" },
  ],
  [
    "rows of a file that another file names",
    {
      ...renamed(input.slice(0, 9)),
      "fixtures/notes.md": "Take `data/in.csv`.\n",
      "task.md": "Do what `notes.md` asks for.\n",
    },
  ],
  [
    "the grader's copy of what must stay",
    { "grader/in.csv": text(input), "fixtures/notes.md": "-\n", "task.md": "Do what `notes.md` asks for.\n" },
  ],
  ["the grader's copy under another name, of a file that is named", { "grader/before.csv": text(input) }],
  [
    "a file that the reference mends in place",
    {
      ...renamed(input.map((row, at) => (at === 3 ? `${row}!` : row))),
      "fixtures/out/settled.csv": text(input),
    },
  ],
  [
    "a short file that is to be copied",
    {
      "task.md": "Copy `data/mark.txt` to `out/settled.csv`.\n",
      "fixtures/data/mark.txt": "right\n",
      ...renamed(["right"]),
    },
  ],
  [
    "functions that move to another module",
    {
      ...program,
      "fixtures/settle.py": python,
      "reference/settle.py": "from tides import settle\n",
      "reference/tides.py": python,
      "benchmark.yaml": "title: Settlement\noutputs: ['*.py']\n",
    },
  ],
  [
    "a licence at the head of every file",
    {
      ...program,
      "fixtures/other.py": `${licence()}\nvalue_of_the_module = 1\n`,
      "reference/settle.py": `${licence()}\n${python}`,
    },
  ],
  [
    "words that the program is to print",
    {
      ...program,
      "grader/cases.json": '[{"call":"settle nothing","answer":"there is nothing to settle here"}]',
      "task.md": "Mend `settle.py`: without rows it prints `there is nothing to settle here`.\n",
    },
  ],
  [
    "an assertion in the words of the task",
    {
      "grader/grade!": "#!/usr/bin/env python3\nholds('every row of all 30 is right')\n",
      "task.md": "Settle `data/in.csv` so that every row of all 30 is right.\n",
    },
  ],
  [
    "data that task and sections both name, for it stands in the fixtures",
    {
      "fixtures/data/in.csv": text([...input, "9973,EOS-7,¦,0"]),
      "task.md": "Settle `data/in.csv`; its last row holds 9973, `¦` and `EOS-7`.\n",
    },
  ],
  [
    "years, round numbers and versions",
    {
      "task.md": "Settle `data/in.csv` of 2031: 1000 lines of `json` at most; Python 3.11.\n",
    },
  ],
  ["the name of an output", { "task.md": "Settle `data/in.csv` and write `out/settled.csv`.\n" }],
  [
    "words that stand everywhere",
    { "task.md": "Settle `data/in.csv` for those who were to have been there.\n" },
  ],
  [
    "a phrase that the fixtures have too",
    {
      "fixtures/notes.md": "The neap bays of the north shore were shut on Monday.\n",
      "task.md": "Settle `data/in.csv`, the neap bays of the north shore excepted.\n",
    },
  ],
  [
    "a turn of phrase of five words",
    { "task.md": "Settle `data/in.csv`, by the tide factor and nothing else.\n" },
  ],
])("innocent: %s", (_what, over) => {
  const { leaks } = leaksOf(over);
  expect(leaks).toEqual([]);
});

function licence(): string {
  const lines = [
    "Copyright of the growers of the marsh.",
    "Use it as you like, at your own risk.",
    "No warranty is given.",
  ];
  return [...lines, "Keep this notice in every copy.", "Ask the desk in any doubt.", "End of the notice."]
    .map((line) => `# ${line}`)
    .join("\n");
}
