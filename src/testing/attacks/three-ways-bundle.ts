import type { Bundle } from "../../artefacts/bundle.ts";
import type { FileTree } from "../../artefacts/tree.ts";
import { answerBundle, treeOf } from "../benchmark.ts";

const grade = `#!/usr/bin/env bash
# Reads an answer with a shell and with Python, and executes a program, all of which a workspace may try to subvert.
failed=0
say() {
  echo "{\\"assertion\\":\\"$1\\",\\"passed\\":$2}" >&3
  [ "$2" = true ] || failed=1
}
holds() { if [ "$(head -c 100 "$1" 2>/dev/null)" = "$(cat /grader/expected.txt)" ]; then echo true; else echo false; fi; }
git status > /dev/null 2>&1
say "the answer is right" "$(holds answer.txt)"
say "Python reads it too" "$(python3 - <<'PYTHON'
import json, os, pathlib
try:
    answer = pathlib.Path("answer.txt").read_bytes()
except OSError:
    answer = b""
print(json.dumps(answer == b"right\\n"))
PYTHON
)"
sp-run --timeout 8 -- ./answer.sh > "$TMPDIR/out" 2> /dev/null
say "the program says it" "$(holds "$TMPDIR/out")"
say "and writes it" "$(holds made.txt)"
say "and leaves the answer alone" "$(holds answer.txt)"
exit $failed
`;

/** What the pack's workspaces are graded by. */
export const threeWaysBundle: Bundle = {
  ...answerBundle("three-ways"),
  grader: treeOf({ "grade!": grade, "expected.txt": "right\n" }),
};

export function workspaceThatSays(answer: "right" | "wrong"): FileTree {
  return treeOf({
    "notes.txt": "a fixture\n",
    "answer.txt": `${answer}\n`,
    "answer.sh!": `#!/bin/bash\necho ${answer}\necho ${answer} > made.txt\n`,
  });
}
