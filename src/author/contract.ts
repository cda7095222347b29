import { sha256 } from "../hash.ts";
import { draftLimits, reservedNames } from "./draft-paths.ts";

const mebibyte = 1024 * 1024;

/** What every author is told about the bundle to deliver, whatever the back end. The gate checks what it says. */
export const contract = `# What to deliver

Write one benchmark: a task for a coding agent, the files it starts from, a solution, and a program that grades what the agent leaves behind. It will measure whether the knowledge in the sections above changes what an agent gets right: agents work on your task with and without it. So the task must be solvable by an agent that has the sections, and mostly unsolvable by one that does not have them, and your grader must tell the two apart without ever being wrong.

The agent works alone in a Linux container without network, in /workspace, with a shell and the tools listed below. Nobody answers its questions. What lies in /workspace when it stops is graded in another container.

## The folder

\`\`\`
benchmark.yaml     about the benchmark
task.md            the task, as the agent gets it
fixtures/          the files of /workspace when the agent starts; may be left out
reference/         a correct solution: files laid over the fixtures
grader/grade       the grading program, executable, with any files it needs beside it
grader/claims.json which sentence of the task each assertion rests on
sentinels/         only for a judged bundle: work whose answers are known, to try the judges on; may be left out
\`\`\`

Nothing else at the top. At most ${draftLimits.files} files, ${draftLimits.fileBytes / mebibyte} MiB each, ${draftLimits.bytes / mebibyte} MiB in all, names of at most ${draftLimits.pathBytes} bytes and ${draftLimits.depth} levels. No symbolic links, no absolute names, no \`..\`, no two names that differ only in case. No file or folder, at any depth, may be called ${reservedNames.join(", ")}.

## benchmark.yaml

\`\`\`yaml
title: Short name of the benchmark            # required
outputs: ["report.json", "src/**"]            # required: globs of the files that the task may change, relative to /workspace
removes: ["old.txt"]                          # only if the solution removes fixtures: their paths below fixtures/
regression: "python3 -m pytest -q tests"      # only if the fixtures have tests that must go on passing: the command
judged: true                                  # only if the grader asks judges (see below)
\`\`\`

No other fields. Everything in reference/ and in removes must match a glob of outputs.

## task.md

- Say what is wanted, never how the sections do it: do not repeat, hint at or paraphrase their rules. Where a rule of the sections decides, name it as the agent's own material would ("follow our ledger export convention").
- Give everything else: names and places of inputs and outputs, the exact deliverable, and what the agent may decide itself. An agent that has the sections must not have to guess.
- Every assertion of the grader must follow from a sentence of task.md, together with the sections where that sentence refers to them. Do not grade what nobody asked for.
- It must hold one sentence that occurs nowhere else, so that the task can be recognised.
- Do not mention grading, tests that are hidden, benchmarks, or these sections.

## grader/grade

Any executable: a script with a \`#!\` line whose program is in the image, for example \`#!/usr/bin/env python3\`. It is started without arguments in a fresh container.

- Current directory: /workspace, a private copy of what the agent left; it may be changed. Its own folder is /grader, which nothing else can read. Scratch space: $TMPDIR. No network, empty standard input. It gets 120 seconds and about 1 MiB of output.
- For every thing it checks it writes one JSON line to file descriptor 3: \`{"assertion": "what must hold, in words", "passed": true}\`. No other fields. In Python: \`os.write(3, (json.dumps({"assertion": words, "passed": ok}) + "\\n").encode())\`. In bash: \`echo '{"assertion":"…","passed":true}' >&3\`. The words and their order must be the same on every call for the same workspace.
- It ends with
  - exit code 0: passed. At least one assertion, and none failed.
  - exit code 1: failed. At least one assertion failed. (A crashed interpreter also exits with 1: without a failed assertion that is an error.)
  - exit code 3: every assertion so far passed, and judges must decide the rest (see below).
  - anything else, a timeout, or a line on descriptor 3 of another form is an error of the grader.
- A missing, empty or malformed output is a failed assertion, never a crash. The agent may have deleted everything, made a folder where a file should be, written binary data or a file of gigabytes. Catch what can go wrong.
- What comes out of the workspace is not to be trusted: never import, source or evaluate it in the grader's own process, and never take a verdict from text or an exit code alone that the agent's program could have produced. Execute it only through sp-run, and compare the values it gives back with values the grader knows. That goes for git on /workspace as well (\`sp-run -- git log\`): its configuration can name programs. Links that lead to /grader, /proc or /dev are taken out of the copy before grade starts, and its Python does not import from /workspace.
- Execute artefacts and parse their data. Do not search source text for words.
- Accept every solution that fulfils the task: other formatting, order of keys, a closing newline, other names for what the task does not name.
- Use several inputs that the agent has not seen, so that answers cannot be written down in advance.
- Be deterministic: no clock, no chance, no dependence on the order of files in a folder.

\`\`\`
sp-run [--timeout SECONDS] [--cwd DIR] [--env NAME=VALUE]… [--memory MiB] -- PROGRAM ARGUMENT…
\`\`\`

executes a program of the workspace as another user, who can read and change /workspace but sees neither /grader nor descriptor 3. Input, output and errors pass through; its exit code is the program's, 128 + n after signal n, 124 after the timeout (60 seconds unless you say otherwise). To give it files of your own, such as a hidden test, write them into a new folder below /workspace first.

Find files beside grade by the script's own place and the workspace by the current directory, rather than by the names /grader and /workspace: then you can try your grader by hand. sp-run works only while grading; for a trial by hand put this on PATH in its place:

\`\`\`bash
#!/bin/bash
while [ "$1" != -- ]; do case "$1" in --cwd) cd "$2" ;; --env) export "$2" ;; esac; shift 2; done
shift; exec "$@"
\`\`\`

and call, in a copy of the workspace: \`PATH=/tmp/bin:$PATH TMPDIR=/tmp /path/to/grader/grade 3>/tmp/assertions; echo $?\`.

## grader/claims.json

\`\`\`json
{
  "claims": [{ "assertion": "the report names every depot", "sentence": "Name every depot in report.json." }],
  "questions": [{ "id": "tone", "sentence": "Write the letter to the grower." }]
}
\`\`\`

- claims: every assertion that grade can write, in its very words, once each, with the sentence of task.md that it rests on, copied word for word. Where the sections decide what is right, that is the sentence that refers to them. An assertion that no sentence asks for has to go.
- questions: the same for every question to the judges, by its id. Left out where judges are not asked.
- survivors: \`[{"mutant": id, "reason": words}]\`, only when you are told of broken variants of your reference that pass although they should: if what such a variant changes is rightly left open by the task, name it here with the reason. If it is not, mend the grader.
- refusals: \`[{"variant": id, "sentence": words, "reason": words}]\` (ids are final-newline, line-ends, json-format, yaml-format, file-times, modes-narrow, modes-wide and extra-file, all but file-times and extra-file also as \`kind:path\`), only when you are told that the grader refuses an equivalent solution: if a sentence of task.md rules that form out, name it here. If none does, mend the grader.

## Judges

Only where a program cannot decide, as for the tone of a letter. Check everything else first, with assertions. Then write questions to standard output, one JSON line each and nothing else, and exit with code 3:

\`\`\`json
{"id": "tone", "question": "Does the letter …?", "artefacts": ["letter.md"], "expect": true}
\`\`\`

At most 20 questions with different ids. artefacts are 1 to 10 paths below /workspace, as the agent left them: text, PNG, JPEG, GIF or WebP. Three judges see the question and those files and nothing else. They answer YES only if every condition in the question holds, and NO in any doubt. So a question must carry the rule it asks about, be answerable from the files alone, ask one thing, and be one that two careful people would answer alike. The trial passes when every answer is as expected.

You may deliver sentinels/good and sentinels/bad, both or neither: files laid over the fixtures as reference/ is, under the same rules of names. On both your grader must end with exit code 3. On good every answer must be as you expect, on bad at least one must clearly not be; make bad sound in form and wrong in one plain thing. A judge that misses them does not vote on this benchmark.

## How it will be checked

In this order; you get the words of the first check that fails and may try again:

1. structure: the folder has the form above, the reference changes something, and only what outputs allow.
2. leaks: task.md does not repeat the sections, and neither task nor fixtures hold the answers or parts of the reference.
3. reference-passes: the reference workspace (fixtures, reference over them, removes taken away) passes.
4. claims: every assertion and every question is listed with a sentence that stands in task.md.
5. untouched-fails and empty-fails: fixtures only, and nothing at all, fail by an assertion or by a judges' NO.
6. sentinels: judges are asked about good and bad, and answer as they should.
7. repeats-agree: further gradings of the reference come to the same with another date, time zone, locale, hash seed, order of files, number of cores and load of the machine.
8. variants-pass: equivalent forms of the reference pass: a closing newline more or less, other file times and modes, an unrelated file, other formatting and order of keys in JSON and YAML, CRLF line ends in data and prose.
9. cheats-fail: workspaces of agents that cheat fail: files that the grader's programs might load, links, forged verdicts, copied inputs, files of the wrong kind and size. They fail by an assertion: the grader must not break on them.
10. mutants-fail: broken variants of the reference fail: a file missing, empty or cut, a number, value, line or cell changed, a condition turned round. Nearly all of them must, by an assertion.
`;

/** Names the contract in a gate record; another contract makes an old benchmark due again. */
export const contractHash = sha256(contract);
