"""Calls a program once per list of arguments and prints exit code, output and errors of each call, as one line of JSON.

Comes to Python on standard input; the program and the lists, as JSON, are its arguments. It is a process of the
candidate's user and knows the questions only: the answers stay with the grader.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading

LIMIT_BYTES = 4096
CALL_SECONDS = 5

# A program that floods its standard error ends by the signal for this limit.
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))


def call(program, arguments):
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen(
            [program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        ) as process:
            # The whole session: a child that lives on would hold the output open.
            patience = threading.Timer(CALL_SECONDS, os.killpg, (process.pid, signal.SIGKILL))
            patience.start()
            output = process.stdout.read(LIMIT_BYTES)
            process.stdout.close()
            code = process.wait()
            hung = not patience.is_alive()
            patience.cancel()
        errors.seek(0)
        explanation = errors.read(LIMIT_BYTES)
    return hung, [code, output.decode("utf-8", "replace"), explanation.decode("utf-8", "replace")]


def main(program, lists):
    answers = []
    for arguments in lists:
        hung, answer = call(program, arguments)
        if hung:
            break
        answers.append(answer)
    print(json.dumps(answers))


main(sys.argv[1], json.loads(sys.argv[2]))
