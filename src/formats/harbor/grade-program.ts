/** The one thing that an imported verifier is known to decide. */
export const verifierAssertion = "the imported verifier gives the full reward";

const graderFolder = "/grader";
/** Where the tests find their own files, and what lies in /logs for them. */
export const testsFolder = `${graderFolder}/tests`;
export const logsFolder = `${graderFolder}/logs`;

/**
 * `grader/grade` of an imported Harbor task: executes `tests/test.sh` and turns the reward it leaves into an assertion.
 * A missing or malformed reward is an error of the grader and no verdict, as it is for Harbor.
 */
export function gradeProgram(env: Readonly<Record<string, string>>): string {
  return `#!/usr/bin/python3 -I
"""Executes the imported verifier beside this file and turns its reward into an assertion."""
import json
import math
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

HOME = ${JSON.stringify(graderFolder)}  # what the paths in the tests begin with
ASSERTION = ${JSON.stringify(verifierAssertion)}
ENVIRONMENT = json.loads(${JSON.stringify(JSON.stringify(env))})
${body}`;
}

const body = `LARGEST = 1 << 20  # bytes of a reward
NUMBER = re.compile(r"[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]{1,3})?")


def broken(words):
    os.write(2, ("imported verifier: " + words + "\\n").encode("utf-8", "backslashreplace"))
    sys.exit(2)


def settle():
    """
    The folder that holds tests/ and takes logs/: our own, unless the grader is tried elsewhere. Then the tests go into
    a scratch folder, with the paths that lead to them changed.
    """
    here = os.path.dirname(os.path.abspath(__file__))
    if here == HOME:
        return here
    scratch = tempfile.mkdtemp()
    shutil.copytree(os.path.join(here, "tests"), os.path.join(scratch, "tests"))
    for folder, _, names in os.walk(scratch):
        for name in names:
            with open(os.path.join(folder, name), "rb+") as file:
                data = file.read()
                if b"\\0" not in data:
                    for part in ("/tests", "/logs"):
                        data = data.replace((HOME + part).encode(), (scratch + part).encode())
                    file.seek(0)
                    file.truncate()
                    file.write(data)
    return scratch


def execute(place):
    """Descriptor 3 is not handed on, and what it prints is for the log only."""
    program = os.path.join(place, "tests", "test.sh")
    settings = {"stdin": subprocess.DEVNULL, "stdout": 2, "env": {**os.environ, **ENVIRONMENT}}
    try:
        code = subprocess.run([program], **settings).returncode
    except OSError:
        code = subprocess.run(["bash", program], **settings).returncode
    os.write(2, ("imported verifier: test.sh ended with %d\\n" % code).encode())


def content(verifier, name):
    """None when there is no such file."""
    path = os.path.join(verifier, name)
    try:
        about = os.lstat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(about.st_mode) or about.st_size > LARGEST:
        broken("%s is not a file of at most %d bytes" % (name, LARGEST))
    with open(path, "rb") as file:
        return file.read(LARGEST)


def is_number(value):
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def rewards(verifier):
    """Every number of reward.json, else the one of reward.txt."""
    data = content(verifier, "reward.json")
    if data is not None:
        try:
            found = json.loads(data)
        except (ValueError, RecursionError) as error:
            broken("reward.json is not JSON: %s" % error)
        if not isinstance(found, dict) or not found or not all(map(is_number, found.values())):
            broken("reward.json is not an object of numbers: %.200r" % (found,))
        return list(found.values())
    data = content(verifier, "reward.txt")
    if data is None:
        broken("test.sh left neither reward.json nor reward.txt in /logs/verifier")
    text = data.decode("utf-8", "backslashreplace").strip()
    if not NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        broken("reward.txt is not a number: %.200r" % text)
    return [float(text)]


def main():
    place = settle()
    logs = os.path.join(place, "logs")
    for folder in ("verifier", "agent", "artifacts"):
        os.makedirs(os.path.join(logs, folder))
    execute(place)
    passed = all(reward >= 1 for reward in rewards(os.path.join(logs, "verifier")))
    os.write(3, (json.dumps({"assertion": ASSERTION, "passed": passed}) + "\\n").encode())
    sys.exit(0 if passed else 1)


main()
`;
