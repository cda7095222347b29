/**
 * `tests/test.sh` of an exported task. It takes its own files from where it lies and its places from variables that
 * default to Harbor's, so that it can be tried anywhere.
 */
export function testProgram(graderSeconds: number): string {
  return `#!/bin/bash
# Executes grader/grade on the workspace and writes the reward: 1 when it passed, 0 when it failed. A grader that breaks
# its contract leaves no reward and a non-zero exit code, since that says nothing about the work.
set -u
tests="$(cd "$(dirname "\${BASH_SOURCE[0]}")" && pwd)" || exit 2
logs="\${HARBOR_LOGS:-/logs/verifier}"
workspace="\${HARBOR_WORKSPACE:-/workspace}"
mkdir -p "$logs" || exit 2
rm -f "$logs/reward.txt" "$logs/reward.json"
scratch="$(mktemp -d)" || exit 2
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/tmp"
cp "$tests/sp-run" "$scratch/bin/sp-run"
chmod +x "$scratch/bin/sp-run" "$tests/grader/grade"
export PATH="$scratch/bin:$PATH" TMPDIR="$scratch/tmp"
cd "$workspace" || exit 2
timeout -k 5 ${graderSeconds} "$tests/grader/grade" < /dev/null 3> "$scratch/assertions"
code=$?
# Whatever the workspace's programs may have written there meanwhile.
rm -f "$logs/reward.txt" "$logs/reward.json"
python3 -I "$tests/read-outcome.py" "$code" "$scratch/assertions" > "$scratch/reward" || exit 2
mv "$scratch/reward" "$logs/reward.txt"
`;
}

/** `tests/read-outcome.py`: prints 1 or 0, or says what is wrong and exits with 2. */
export const outcomeProgram = `"""
read-outcome.py CODE FILE: the reward for a grader that ended with CODE and wrote the lines of FILE on descriptor 3.
"""
import json
import sys

LARGEST = 1 << 20


def broken(words):
    sys.stderr.write("grader error: " + words + "\\n")
    sys.exit(2)


def assertion_of(number, line):
    shape = 'descriptor 3 must hold lines of {"assertion": text, "passed": true or false}'
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    fits = (
        isinstance(found, dict)
        and set(found) == {"assertion", "passed"}
        and isinstance(found["assertion"], str)
        and isinstance(found["passed"], bool)
    )
    if not fits:
        broken("%s; line %d is: %s" % (shape, number, ascii(line[:200])))
    return found


def main(code, path):
    with open(path, "rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        broken("descriptor 3 has more than %d bytes" % LARGEST)
    try:
        lines = data.decode("utf-8").split("\\n")
    except UnicodeDecodeError:
        broken("descriptor 3 is not UTF-8")
    assertions = [assertion_of(at, line) for at, line in enumerate(lines, 1) if line.strip()]
    failed = sum(not assertion["passed"] for assertion in assertions)
    for assertion in assertions:
        sys.stderr.write("%s  %s\\n" % ("passed" if assertion["passed"] else "FAILED", ascii(assertion["assertion"])))
    if code == "0" and assertions and failed == 0:
        print(1)
    elif code == "1" and failed > 0:
        print(0)
    else:
        broken("exit code %s with %d assertions, %d of them failed" % (code, len(assertions), failed))


main(sys.argv[1], sys.argv[2])
`;

/** `tests/sp-run`: the options and exit codes of skillproof's, without its separation. */
export const shimProgram = `#!/usr/bin/python3 -I
"""
sp-run [--timeout SECONDS] [--cwd DIR] [--env K=V]... [--memory MiB] -- COMMAND ARGUMENT...

Stands in for skillproof's sp-run. Same options and exit codes, but the command is executed as the same user as the
grader: nothing keeps it from reading the grader's files.
"""
import os
import resource
import signal
import subprocess
import sys

WORKSPACE = os.path.realpath(os.environ.get("HARBOR_WORKSPACE", "/workspace"))


def fail(message):
    sys.stderr.write("sp-run: %s\\n" % message)
    sys.exit(125)


def number(option, text):
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 < value < 1e9:
        fail("%s needs a positive number, not %r" % (option, text))
    return value


def parse(arguments):
    given = {"--timeout": "60", "--cwd": "", "--memory": None}
    env = {}
    while arguments and arguments[0] != "--":
        option = arguments.pop(0)
        if option not in given and option != "--env":
            fail("unknown option %s (put -- before the command)" % option)
        if not arguments:
            fail("%s needs a value" % option)
        value = arguments.pop(0)
        if option == "--env":
            name, equals, content = value.partition("=")
            if not name or not equals:
                fail("--env needs NAME=VALUE, not %r" % value)
            env[name] = content
        else:
            given[option] = value
    if not arguments[1:]:
        fail("no command after --")
    return given, env, arguments[1:]


def folder(wanted):
    here = os.getcwd()
    inside = here == WORKSPACE or here.startswith(WORKSPACE + "/")
    return os.path.join(here if inside else WORKSPACE, wanted)


def main():
    given, extra, command = parse(sys.argv[1:])
    seconds = number("--timeout", given["--timeout"])
    env = {key: os.environ[key] for key in ("HOME", "USER", "LOGNAME", "TMPDIR") if key in os.environ}
    env.update(PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LANG="C.UTF-8", TERM="dumb", SHELL="/bin/bash")
    env.update(extra)

    def limit():
        if given["--memory"] is not None:
            most = int(number("--memory", given["--memory"]) * (1 << 20))
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))

    try:
        process = subprocess.Popen(
            command, cwd=folder(given["--cwd"]), env=env, preexec_fn=limit, start_new_session=True
        )
    except FileNotFoundError as error:
        sys.stderr.write("sp-run: cannot start the command: %s\\n" % error)
        sys.exit(127)
    except OSError as error:
        sys.stderr.write("sp-run: cannot start the command: %s\\n" % error)
        sys.exit(126)
    for asked in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(asked, lambda *_: end(process) or sys.exit(128 + signal.SIGKILL))
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired:
        sys.stderr.write("sp-run: stopped after %g s\\n" % seconds)
        code = 124
    end(process)
    sys.exit(code if code >= 0 else 128 - code)


def end(process):
    """Everything that is still in the command's session."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


main()
`;
