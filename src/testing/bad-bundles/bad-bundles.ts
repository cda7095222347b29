import type { Bundle } from "../../artefacts/bundle.ts";
import type { GateSettings } from "../../artefacts/gate.ts";
import { letterBundle } from "../benchmark.ts";
import { claimsOf, grader, sentences, totalsBundle } from "./totals.ts";

/** A bundle that must not become a benchmark, and what its author must be told. */
export type BadBundle = {
  readonly name: string;
  readonly bundle: Bundle;
  /** The check that refuses it; all before it pass. */
  readonly check: string;
  /** Stand in the words of that check. */
  readonly says: readonly string[];
  readonly settings?: Partial<GateSettings>;
};

const one = "there is a total for every table";

/** At least one per check. */
export const badBundles: readonly BadBundle[] = [
  {
    name: "a reference that changes what the task may not change",
    bundle: totalsBundle("stray-output", { "reference/notes.md": "done\n" }),
    check: "structure",
    says: ["reference/notes.md", "Add it to outputs, or leave it out of the reference"],
  },
  {
    name: "the answer among the fixtures",
    bundle: totalsBundle("answer-in-fixtures", {
      "fixtures/old/total-of-last-time.json": '{\n  "total": 424,\n  "rows": 4\n}\n',
    }),
    check: "leaks",
    says: ["fixtures/old/total-of-last-time.json"],
    settings: { leaks: "reject" },
  },
  {
    name: "a grader that wants something else than its reference",
    bundle: totalsBundle("wrong-sum", {
      "grader/grade!": grader('holds("total is the sum", read().get("total") == 425)'),
      "grader/claims.json": claimsOf(["total is the sum", sentences.total]),
    }),
    check: "reference-passes",
    says: ["failed: total is the sum", "make them agree with task.md"],
  },
  {
    name: "an assertion that nobody asked for",
    bundle: totalsBundle("unasked", {
      "grader/claims.json": claimsOf(
        ["total.json holds the two members and nothing else", sentences.write],
        ["total is the sum", sentences.total],
      ),
    }),
    check: "claims",
    says: ["rows is the number of rows"],
  },
  {
    name: "an assertion that rests on a sentence which does not stand in the task",
    bundle: totalsBundle("invented", {
      "grader/claims.json": claimsOf(
        ["total.json holds the two members and nothing else", sentences.write],
        ["total is the sum", sentences.total],
        ["rows is the number of rows", "The rows are counted without the header."],
      ),
    }),
    check: "claims",
    says: ["The rows are counted without the header."],
  },
  {
    name: "a grader that only looks at what is there",
    bundle: totalsBundle("nothing-to-object", {
      "grader/grade!": grader(
        'holds("total is the sum", not os.path.exists("total.json") or read().get("total") == 424)',
      ),
      "grader/claims.json": claimsOf(["total is the sum", sentences.total]),
    }),
    check: "untouched-fails",
    says: ["Add assertions that only a solution of the task fulfils"],
  },
  {
    name: "a grader that an empty folder satisfies",
    bundle: totalsBundle("all-of-nothing", {
      "grader/grade!": grader(
        'tables = [name for name in os.listdir(".") if name.endswith(".csv")]',
        `holds("${one}", all(read().get("total") == 424 for _ in tables))`,
      ),
      "grader/claims.json": claimsOf([one, sentences.total]),
    }),
    check: "empty-fails",
    says: ["The empty workspace passes"],
  },
  {
    name: "a bad sentinel that is as good as the good one",
    bundle: letterBundle({
      "benchmark.yaml": "title: Letter\noutputs: [letter.md, draft.md]\njudged: true\nremoves: [draft.md]\n",
      "sentinels/bad/letter.md": "Dear Sirs\n",
    }),
    check: "sentinels",
    says: ["bad"],
  },
  {
    name: "a grader that reads a time in the machine's zone",
    bundle: totalsBundle("zone", {
      "grader/grade!": grader(
        "import time",
        'holds("total is the sum", read().get("total") == 424 and time.localtime(0).tm_hour == 0)',
      ),
      "grader/claims.json": claimsOf(["total is the sum", sentences.total]),
    }),
    check: "repeats-agree",
    says: ["time zone"],
  },
  {
    name: "a grader that compares bytes",
    bundle: totalsBundle("bytes", {
      "grader/grade!": grader(
        'text = open("total.json").read() if os.path.isfile("total.json") else ""',
        'holds("total is the sum", text == "{\\n  \\"total\\": 424,\\n  \\"rows\\": 4\\n}\\n")',
      ),
      "grader/claims.json": claimsOf(["total is the sum", sentences.total]),
    }),
    check: "variants-pass",
    says: ["total.json"],
  },
  {
    name: "a grader that believes an exit code",
    bundle: totalsBundle("exit-code", {
      "benchmark.yaml": "title: Totals by a program\noutputs: [total.py]\n",
      "task.md":
        "# Totals\n\nWrite a program `total.py` that prints the sum of the column `kg` of `crates.csv`.\n",
      "reference/total.json": null,
      "reference/total.py":
        'import csv\nprint(sum(int(row["kg"]) for row in csv.DictReader(open("crates.csv"))))\n',
      "grader/grade!": grader(
        "import subprocess",
        'ended = subprocess.run(["sp-run", "--", "python3", "total.py"], stdout=subprocess.DEVNULL)',
        'holds("total.py works", ended.returncode == 0)',
      ),
      "grader/claims.json": claimsOf([
        "total.py works",
        "Write a program `total.py` that prints the sum of the column `kg` of `crates.csv`.",
      ]),
    }),
    check: "cheats-fail",
    says: ["exit"],
  },
  {
    name: "a grader that looks at one of two members",
    bundle: totalsBundle("one-of-two", {
      "grader/grade!": grader('holds("total is the sum", read().get("total") == 424)'),
      "grader/claims.json": claimsOf(["total is the sum", sentences.total]),
    }),
    check: "mutants-fail",
    says: ["rows", "kill rate"],
  },
];
