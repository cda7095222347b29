/** The one thing that an imported grader is known to check. */
export const originalAssertion = "the imported grader accepts the workspace";

/** A workspace with a larger file fails: many times what a bundle may hold, and little enough to be read into memory. */
export const monstrousMiB = 64;

/**
 * `grader/grade` of an imported bundle: calls the original's entry point as it is used to, without arguments and in the
 * workspace, and turns how it ended into an assertion, or its files of questions into questions of ours.
 *
 * `entry` is relative to `grader/`. Only a judged bundle may ask.
 */
export function gradeProgram(entry: string, judged: boolean): string {
  return `${head}
ENTRY = ${JSON.stringify(entry)}
JUDGED = ${judged ? "True" : "False"}
ASSERTION = ${JSON.stringify(originalAssertion)}
${body}`;
}

const head = `#!/usr/bin/env -S python3 -I
"""Grades with the imported grader beside this file, which knows neither descriptor 3 nor our questions."""
import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
`;

const body = `HERE = os.path.dirname(os.path.abspath(__file__))
WORKSPACE = os.getcwd()
JUDGE = os.path.join(WORKSPACE, ".judge")
LARGEST = 8 << 20  # bytes of a file that judges are shown
MONSTROUS = ${monstrousMiB} << 20  # bytes of a file that no grader should be made to read


def say(words):
    os.write(2, (words + "\\n").encode("utf-8", "backslashreplace"))


def broken(words):
    say("imported grader: " + words)
    sys.exit(2)


def conclude(passed, code=None):
    os.write(3, (json.dumps({"assertion": ASSERTION, "passed": passed}) + "\\n").encode())
    if code != 3:
        sys.exit(0 if passed else 1)


def call_grader():
    """Exit code of one call. Descriptor 3 is not handed on, and what it prints is for the log only."""
    program = ["bash", os.path.join(HERE, ENTRY)]
    code = subprocess.run(program, stdin=subprocess.DEVNULL, stdout=2, cwd=WORKSPACE).returncode
    if code < 0 or code == 137:
        broken("it was killed (exit code %d)" % code)
    return code


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)


def digest(path):
    """None for what is no plain file, or larger than judges are shown."""
    try:
        about = os.lstat(path)
        if not stat.S_ISREG(about.st_mode) or about.st_size > LARGEST:
            return None
        with open(path, "rb") as file:
            return hashlib.sha256(file.read(LARGEST + 1)).hexdigest()
    except OSError:
        return None


def monster():
    """A file so large that a grader which reads it whole would be killed, or None. A hole counts as what it reads as."""
    for folder, _, names in os.walk(WORKSPACE):
        for name in names:
            try:
                if os.lstat(os.path.join(folder, name)).st_size > MONSTROUS:
                    return os.path.relpath(os.path.join(folder, name), WORKSPACE)
            except OSError:
                continue
    return None


def digests():
    """Of every file as the agent left it, by its path below the workspace."""
    found = {}
    for folder, _, names in os.walk(WORKSPACE):
        for name in names:
            path = os.path.join(folder, name)
            found[os.path.relpath(path, WORKSPACE)] = digest(path)
    return {path: value for path, value in found.items() if value is not None}


def as_left(path, before):
    """The path below the workspace when the file still is what the agent left, else None."""
    inside = os.path.relpath(os.path.join(WORKSPACE, path), WORKSPACE)
    known = before.get(inside)
    return inside if known is not None and digest(os.path.join(WORKSPACE, inside)) == known else None


def text_of(path):
    with open(os.path.join(WORKSPACE, path), "rb") as file:
        return file.read(LARGEST).decode("utf-8", "replace")


def file_that_says(text, before):
    """The file that a question's text was taken from: the text is its whole, or its beginning where it was cut."""
    if len(text) < 1024 and "\\n" not in text and "\\0" not in text and as_left(text, before):
        return as_left(text, before)
    wanted = text.strip()
    if wanted == "":
        return None
    for path in sorted(before, key=lambda one: (one.count("/"), one)):
        if as_left(path, before) is None:
            continue
        held = text_of(path).strip()
        if held == wanted or (len(wanted) >= 500 and held.startswith(wanted)):
            return path
    return None


def artefacts_of(question, before):
    found = []
    for key in ("image", "text"):
        value = question.get(key)
        if value is None or value == "":
            continue
        if key == "image":
            path = as_left(str(value), before)
        else:
            path = file_that_says(str(value), before)
        if path is None:
            broken(
                "the %s of question %r is no file of the workspace as the agent left it. Judges see only those files,"
                " nothing that a grader makes: let the task ask for that file, or ask about one that it asks for"
                % (key, question["id"])
            )
        found.append(path)
    if not found:
        broken("question %r has neither image nor text; judges need a file to look at" % question["id"])
    return sorted(set(found))


def read_questions(before):
    try:
        with open(os.path.join(JUDGE, "questions.json"), encoding="utf-8") as file:
            asked = json.load(file)
    except (OSError, ValueError, RecursionError) as error:
        broken("exit code 3, but .judge/questions.json cannot be read: %s" % error)
    asked = asked.get("questions") if isinstance(asked, dict) else asked
    if not isinstance(asked, list) or not asked:
        broken("exit code 3, but .judge/questions.json holds no list of questions")
    questions = []
    for one in asked:
        if not isinstance(one, dict) or one.get("id") is None or not one.get("question"):
            broken("a question in .judge/questions.json has no id or no words: %.200r" % (one,))
        one = {**one, "id": str(one["id"])}
        shown = artefacts_of(one, before)
        questions.append({"id": one["id"], "question": str(one["question"]), "artefacts": shown, "expect": True})
    return questions


def answer_yes(questions):
    with open(os.path.join(JUDGE, "answers.json"), "w", encoding="utf-8") as file:
        json.dump({"answers": {one["id"]: True for one in questions}}, file)


def main():
    try:
        # Whatever the agent put there would be taken for the judges' word.
        remove(JUDGE)
    except OSError as error:
        say("imported grader: .judge cannot be removed: %s" % error)
        conclude(False)
    large = monster()
    if large is not None:
        say("imported grader: not called, because %s has more than %d bytes" % (large, MONSTROUS))
        conclude(False)
    before = digests() if JUDGED else {}
    code = call_grader()
    if code != 3:
        forged = os.path.lexists(os.path.join(JUDGE, "answers.json"))
        if forged:
            say("imported grader: .judge/answers.json is there, and no judge was asked")
        conclude(code == 0 and not forged)
    if not JUDGED:
        broken("exit code 3, but nothing of questions was found in it when it was imported. Say judged: true in"
               " benchmark.yaml and JUDGED = True in grader/grade")
    questions = read_questions(before)
    try:
        answer_yes(questions)
    except OSError as error:
        broken(".judge/answers.json cannot be written: %s" % error)
    # What the original decides once it has answers: it must pass when all of them are yes.
    code = call_grader()
    if code == 3:
        broken("it asks again although it has every answer")
    if code != 0:
        say("imported grader: it fails (exit code %d) although every answer is yes" % code)
        conclude(False)
    conclude(True, 3)
    for one in questions:
        print(json.dumps(one))
    sys.stdout.flush()
    sys.exit(3)


main()
`;
