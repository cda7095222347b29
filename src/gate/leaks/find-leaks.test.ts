import { expect, test } from "vitest";
import { treeOf } from "../../testing/benchmark.ts";
import {
  asJson,
  bundleOf,
  input,
  json,
  output,
  type Over,
  program,
  python,
  rows,
  section,
  text,
} from "../../testing/settlement-bundle.ts";
import { findLeaks, type Leaks } from "./find-leaks.ts";

function leaksOf(over: Over, skill: Readonly<Record<string, string>> = {}): Leaks {
  const files = { "SKILL.md": section.text, ...skill };
  return findLeaks(bundleOf(over), { sections: [section], skill: treeOf(files) });
}

const places = ({ leaks }: Leaks): readonly string[] =>
  leaks.map(({ kind, from, to }) => `${kind}: ${from} in ${to}`);

test.each<[string, Over, readonly string[]]>([
  ["nothing", {}, []],
  [
    "a rule of the sections in the task",
    { "task.md": "Settle `data/in.csv`: multiply each *weight* by the\n  tide factor and drop every row.\n" },
    ["how: task.md in skill/SKILL.md"],
  ],
  [
    "seven words of a rule",
    { "task.md": "Settle `data/in.csv`. For weight by the tide factor and drop, ask the desk.\n" },
    ["how: task.md in skill/SKILL.md"],
  ],
  [
    "a number of the sections",
    { "task.md": "Settle `data/in.csv`. Use 9973.\n" },
    ["how: task.md in skill/SKILL.md"],
  ],
  [
    "wording of the sections",
    { "task.md": "Settle `data/in.csv`, end EOS-7.\n" },
    ["how: task.md in skill/SKILL.md"],
  ],
  [
    "a mark of the sections",
    { "task.md": "Put `¦` into `data/in.csv`.\n" },
    ["how: task.md in skill/SKILL.md"],
  ],
  [
    "an expected row in the task",
    { "task.md": `Settle \`data/in.csv\`; one row is \`${output[7] ?? ""}\`.\n` },
    ["answer: grader/expected.csv in task.md"],
  ],
  [
    "an expected value in the task",
    {
      "grader/expected.csv": null,
      "grader/total.txt": "707281\n",
      "task.md": "The total is 707281. Settle `data/in.csv`.\n",
    },
    ["answer: grader/total.txt in task.md"],
  ],
  [
    "an expected sentence in the task",
    {
      "grader/expected.json": '{"summary":"In week 41 the neap bays lost 12 crates"}',
      "task.md": "Settle `data/in.csv`. In week 41 the neap bays lost 12 crates.\n",
    },
    ["answer: grader/expected.json in task.md"],
  ],
  [
    "the answer in a fixture",
    { "fixtures/old.csv": text(output) },
    [
      "answer: grader/expected.csv in fixtures/old.csv",
      "reference: reference/out/settled.csv in fixtures/old.csv",
    ],
  ],
  [
    "half the answer in a fixture, with other separators",
    {
      "fixtures/old.md": `# Notes\n\n${output
        .slice(0, 15)
        .map((row) => `| ${row.replaceAll(";", " | ")} |\r\n`)
        .join("")}`,
    },
    [
      "answer: grader/expected.csv in fixtures/old.md",
      "reference: reference/out/settled.csv in fixtures/old.md",
    ],
  ],
  [
    "seven rows of the answer in a row, a quarter of it",
    { "fixtures/old.csv": text(output.slice(11, 18)) },
    [
      "answer: grader/expected.csv in fixtures/old.csv",
      "reference: reference/out/settled.csv in fixtures/old.csv",
    ],
  ],
  [
    "half the answer at the end of the input",
    { "fixtures/data/in.csv": text([...input, ...output.slice(0, 15)]) },
    [
      "answer: grader/expected.csv in fixtures/data/in.csv",
      "reference: reference/out/settled.csv in fixtures/data/in.csv",
    ],
  ],
  [
    "the answer in a file that the task names",
    {
      "fixtures/data/done.csv": text(output),
      "task.md": "Settle `data/in.csv`; `data/done.csv` may help.\n",
    },
    [
      "answer: grader/expected.csv in fixtures/data/done.csv",
      "reference: reference/out/settled.csv in fixtures/data/done.csv",
    ],
  ],
  [
    "half the answer in a file that the task names",
    {
      "fixtures/data/done.csv": text(output.slice(0, 14)),
      "task.md": "Settle `data/in.csv`; `data/done.csv` may help.\n",
    },
    [
      "answer: grader/expected.csv in fixtures/data/done.csv",
      "reference: reference/out/settled.csv in fixtures/data/done.csv",
    ],
  ],
  [
    "JSON answers on one line",
    { ...json, "fixtures/.cache/x": JSON.stringify(asJson(rows(6, 500))) },
    [
      "answer: grader/expected.json in fixtures/.cache/x",
      "reference: reference/out.json in fixtures/.cache/x",
    ],
  ],
  [
    "JSON answers as JSON lines",
    {
      ...json,
      "fixtures/x.jsonl": asJson(rows(12, 500))
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(""),
    },
    ["answer: grader/expected.json in fixtures/x.jsonl", "reference: reference/out.json in fixtures/x.jsonl"],
  ],
  [
    "hidden cases of a program",
    {
      ...program,
      "grader/cases.json": JSON.stringify(asJson(rows(9, 900))),
      "fixtures/t/a.json": JSON.stringify(asJson(rows(9, 900))),
    },
    ["answer: grader/cases.json in fixtures/t/a.json"],
  ],
  [
    "hidden cases under their own name, which is a part of one in the task",
    {
      ...program,
      "task.md": "Mend `settle.py`, of which `old-cases.json` is no part.\n",
      "grader/cases.json": JSON.stringify(asJson(rows(9, 900))),
      "fixtures/cases.json": JSON.stringify(asJson(rows(9, 900))),
    },
    ["answer: grader/cases.json in fixtures/cases.json"],
  ],
  [
    "an answer of one word",
    {
      "task.md": "Write the answer into `out/settled.csv`.\n",
      "reference/out/settled.csv": "right\n",
      "grader/expected.csv": null,
      "fixtures/old.txt": "right\n",
    },
    ["reference: reference/out/settled.csv in fixtures/old.txt"],
  ],
  [
    "the solution under another name",
    { ...program, "fixtures/settle.py.orig": python },
    ["reference: reference/settle.py in fixtures/settle.py.orig"],
  ],
  [
    "a part of the solution among other code",
    {
      ...program,
      "fixtures/attic.py": `def other(value):\n    return value + 1\n\n${python.slice(python.indexOf("def settle"))}\ndef last(value):\n    return other(value) * 2\n`,
    },
    ["reference: reference/settle.py in fixtures/attic.py"],
  ],
])("%s", (_what, over, expected) => {
  expect(places(leaksOf(over))).toEqual(expected);
});

test("passages are as long as they can be, in the words of the task", () => {
  const rule = "Multiply each weight by the tide factor and drop every row below the seventh mark";
  const { leaks } = leaksOf({
    "task.md": `Settle \`data/in.csv\`. ${rule.toUpperCase()}, and nothing else.\n`,
  });
  expect(leaks.map(({ passage }) => passage)).toEqual([rule.toUpperCase()]);
});

test("answers in the skill are told, whether the task or the grader holds them, and each once", () => {
  const row = output[4] ?? "";
  const { leaks, toldWholes } = leaksOf(
    {},
    { "references/example.md": `For example:\n\n    ${row}\n`, "logo.png": "\0PNG" },
  );
  expect(leaks).toEqual([
    { kind: "told", from: "reference/out/settled.csv", to: "skill/references/example.md", passage: row },
  ]);
  expect(toldWholes).toEqual([]);
});

test.each<[string, string, readonly string[]]>([
  ["all of it", text(output), ["reference/out/settled.csv"]],
  ["half of it", text(output.slice(0, 15)), ["reference/out/settled.csv"]],
  ["a third of it", text(output.slice(0, 10)), []],
])("a reference of which the skill tells %s", (_what, told, wholes) => {
  const found = leaksOf({}, { "assets/table.csv": told });
  expect(found.toldWholes).toEqual(wholes);
  expect(new Set(places(found))).toEqual(
    new Set(["told: reference/out/settled.csv in skill/assets/table.csv"]),
  );
});

test("idioms of a language are not told, a whole program is", () => {
  const idiom = 'def settle(stream):\n    for line in stream:\n        print(line.rstrip().split(","))\n';
  expect(leaksOf(program, { "scripts/a.py": idiom })).toEqual({ leaks: [], toldWholes: [] });
  const found = leaksOf(program, { "scripts/a.py": python });
  expect(found.toldWholes).toEqual(["reference/settle.py"]);
});
