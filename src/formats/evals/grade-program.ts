/** What the program checks itself, before the judges. */
export const answerAssertion = "answer.md is there and has text";

/** Beside the program: what it is to ask. */
export const questionsFile = "questions.json";
export type Questions = {
  readonly questions: readonly { readonly id: string; readonly question: string }[];
  /** Hashes of the fixtures by path, to tell what the agent made from what it found. */
  readonly fixtures: Readonly<Record<string, string>>;
};

/** `grader/grade` of a bundle made from an evaluation: the answer is there, and the judges decide the rest. */
export const evaluationProgram = `#!/usr/bin/env -S python3 -I
"""Checks that there is an answer, and puts each expectation to the judges with what was delivered."""
import hashlib
import json
import os
import stat
import sys

ASSERTION = ${JSON.stringify(answerAssertion)}
ANSWER = "answer.md"
HERE = os.path.dirname(os.path.abspath(__file__))
LARGEST = 1 << 20  # bytes of an answer
LARGEST_SHOWN = 8 << 20  # bytes of a file that judges are shown
MOST_FILES = 10  # that judges are shown with a question
MOST_VISITED = 20000
NOT_DELIVERED = ("node_modules", "__pycache__", "venv")


def head_of(path, most):
    """The bytes of a plain file, or None: missing, a folder, a link, too large, not readable."""
    try:
        about = os.lstat(path)
        if not stat.S_ISREG(about.st_mode) or about.st_size > most:
            return None
        with open(path, "rb") as file:
            return file.read(most + 1)
    except OSError:
        return None


def has_answer():
    held = head_of(ANSWER, LARGEST)
    try:
        return held is not None and held.decode("utf-8").strip(" \\t\\r\\n\\0\\ufeff") != ""
    except UnicodeDecodeError:
        return False


def showable(path):
    """Names that survive a line of JSON and a look at it."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return path.isprintable()


def delivered(fixtures):
    """Files that the agent made or changed, the uppermost first."""
    found, visited = [], 0
    for folder, folders, names in os.walk("."):
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one not in NOT_DELIVERED)
        for name in sorted(names):
            visited += 1
            path = os.path.normpath(os.path.join(folder, name))
            if visited > MOST_VISITED or name.startswith(".") or path == ANSWER or not showable(path):
                continue
            held = head_of(path, LARGEST_SHOWN)
            if held is not None and fixtures.get(path) != hashlib.sha256(held).hexdigest():
                found.append(path)
    return sorted(found, key=lambda one: (one.count("/"), one))


def main():
    passed = has_answer()
    os.write(3, (json.dumps({"assertion": ASSERTION, "passed": passed}) + "\\n").encode())
    if not passed:
        sys.exit(1)
    with open(os.path.join(HERE, "${questionsFile}"), encoding="utf-8") as file:
        asked = json.load(file)
    shown = [ANSWER] + delivered(asked["fixtures"])[: MOST_FILES - 1]
    for one in asked["questions"]:
        print(json.dumps({**one, "artefacts": shown, "expect": True}))
    sys.stdout.flush()
    sys.exit(3)


main()
`;
