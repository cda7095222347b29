import type { Bundle } from "../../artefacts/bundle.ts";
import { parseDraft } from "../../author/draft.ts";
import { treeOf } from "../benchmark.ts";

type Files = Readonly<Record<string, string>>;
export type Parts = {
  readonly task: string;
  readonly outputs: string;
  readonly fixtures?: Files;
  readonly reference: Files;
  /** Besides `grade`. */
  readonly beside?: Files;
};

function under(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));
}

export function bundleOf(
  id: string,
  grade: string,
  { task, outputs, fixtures, reference, beside }: Parts,
): Bundle {
  const files: Files = {
    "benchmark.yaml": `title: ${id}\noutputs: [${outputs}]\n`,
    "task.md": task,
    ...under("fixtures", fixtures ?? { "notes.txt": "a fixture\n" }),
    ...under("reference", reference),
    ...under("grader", { "grade!": grade, ...beside }),
  };
  const drafted = parseDraft(id, treeOf(files));
  if (drafted.kind === "faults") throw new Error(drafted.faults.join("\n"));
  return drafted.bundle;
}

/** `holds WORDS COMMAND…` makes one assertion of a command's exit code. */
export const shell = (body: string): string => `#!/usr/bin/env bash
failed=0
holds() {
  if "\${@:2}" > /dev/null 2>&1; then passed=true; else passed=false failed=1; fi
  echo "{\\"assertion\\":\\"$1\\",\\"passed\\":$passed}" >&3
}
${body}
exit $failed
`;

/** `holds(words, passed)` makes one assertion. */
export const python = (body: string): string => `#!/usr/bin/env python3
import json, os, subprocess, sys
failed = 0
def holds(words, passed):
    global failed
    failed += not passed
    os.write(3, (json.dumps({"assertion": words, "passed": bool(passed)}) + "\\n").encode())
${body}
sys.exit(1 if failed else 0)
`;

export const answer: Parts = {
  task: "Write the answer to the question of `notes.txt` into answer.txt, as one word.\n",
  outputs: "answer.txt",
  reference: { "answer.txt": "right\n" },
};
export const program: Parts = {
  task: "Write double.py, with a function double that gives twice a number, and which prints it for its argument.\n",
  outputs: "double.py",
  reference: {
    "double.py":
      "import sys\n\n\ndef double(x):\n    return 2 * x\n\n\nif __name__ == '__main__':\n    print(double(int(sys.argv[1])))\n",
  },
};
export const script: Parts = {
  task: "Write an executable double.sh that prints twice its argument.\n",
  outputs: "double.sh",
  reference: { "double.sh!": "#!/bin/bash\necho $((2 * $1))\n" },
};
export const repair: Parts = {
  task: "Mend double.py, so that its tests pass.\n",
  outputs: "double.py",
  fixtures: {
    "double.py": "def double(x):\n    return x\n",
    "tests/test_double.py":
      "import sys\n\nsys.path.insert(0, '.')\nfrom double import double\n\n\ndef test_double():\n    assert double(2) == 4\n\n\nif __name__ == '__main__':\n    test_double()\n",
  },
  reference: { "double.py": "def double(x):\n    return 2 * x\n" },
};
export const table: Parts = {
  task: "Write the sums of in.csv to sums.json: one number per name, below `sums`. Two names there are `ash` and `elm`.\n",
  outputs: "sums.json",
  fixtures: { "in.csv": "name,n\nash,1\nelm,2\nash,3\n" },
  reference: { "sums.json": '{"sums": {"ash": 4, "elm": 2}}\n' },
};
export const right = { "expected.txt": "right\n" };
export const isRight = 'holds "the answer is right" cmp answer.txt /grader/expected.txt';

export const hiddenTest = `import unittest
from double import double
class Doubles(unittest.TestCase):
    def test_small(self): self.assertEqual(double(2), 4)
    def test_large(self): self.assertEqual(double(21), 42)
if __name__ == "__main__": unittest.main()
`;
