import type { GraderOutcome } from "../artefacts/grading.ts";
import { type Assertion, assertionSchema, type Question, questionSchema } from "../artefacts/verdict.ts";
import type { Capture, CommandOutcome } from "../sandbox/port.ts";
import { jsonLines } from "./json-lines.ts";

const maxQuestions = 20;
const maxArtefacts = 10;

/**
 * Reads how `grader/grade` ended by the contract of a bundle (DESIGN §8): the exit code counts only together with
 * the assertions on descriptor 3, which nothing but the grader can write to. Whatever does not fit is an `error`,
 * never a pass and never a fail.
 */
export function readOutcome(ended: CommandOutcome): GraderOutcome {
  const read = readAssertions(ended.descriptor3);
  const error = (reason: string): GraderOutcome => ({ kind: "error", assertions: read.assertions, reason });
  if (ended.timedOut) return error(`it did not end within its ${Math.round(ended.seconds)} seconds`);
  if (ended.exitCode === null)
    return error(`it was ended by ${ended.signal ?? "a signal"}${memoryWords(ended)}`);
  if (read.fault !== null) return error(read.fault);
  const { assertions } = read;
  const failed = assertions.filter((assertion) => !assertion.passed).length;
  switch (ended.exitCode) {
    case 0:
      if (assertions.length === 0) return error("exit code 0 (passed) without any assertion on descriptor 3");
      if (failed > 0)
        return error(`exit code 0 (passed), but ${failed} of ${assertions.length} assertions failed`);
      return { kind: "passed", assertions };
    case 1:
      if (failed === 0) {
        return error(
          `exit code 1 (failed), but none of ${assertions.length} assertions on descriptor 3 failed; a program that merely crashes exits with 1 as well`,
        );
      }
      return { kind: "failed", assertions };
    case 3: {
      if (failed > 0)
        return error(`exit code 3 (ask the judges), but ${failed} of ${assertions.length} assertions failed`);
      const asked = readQuestions(ended.stdout);
      return typeof asked === "string" ? error(asked) : { kind: "asks", assertions, questions: asked };
    }
    default:
      return error(
        `exit code ${ended.exitCode}${exitWords(ended.exitCode)}${memoryWords(ended)}; only 0, 1 and 3 have a meaning`,
      );
  }
}

function readAssertions(capture: Capture): {
  readonly assertions: readonly Assertion[];
  readonly fault: string | null;
} {
  const whole = wholeText(capture, "descriptor 3");
  if ("fault" in whole) return { assertions: [], fault: whole.fault };
  const read = jsonLines(
    whole.text,
    assertionSchema.strict(),
    'descriptor 3 must hold lines of {"assertion": text, "passed": true or false}',
  );
  return { assertions: read.values, fault: read.fault };
}

function readQuestions(stdout: Capture): readonly Question[] | string {
  const whole = wholeText(stdout, "stdout");
  if ("fault" in whole) return whole.fault;
  const shape = '{"id": text, "question": text, "artefacts": [paths], "expect": true or false}';
  const read = jsonLines(
    whole.text,
    questionSchema.strict(),
    `with exit code 3 stdout must hold nothing but lines of ${shape}`,
  );
  if (read.fault !== null) return read.fault;
  const questions = read.values;
  if (questions.length === 0) return "exit code 3 (ask the judges) without any question on stdout";
  if (questions.length > maxQuestions)
    return `${questions.length} questions; at most ${maxQuestions} are asked`;
  const ids = questions.map((question) => question.id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) return `two questions have the id "${twice}"`;
  const asked: Question[] = [];
  for (const question of questions) {
    const artefacts = question.artefacts.map(belowWorkspace);
    const outside = question.artefacts.find((_path, at) => artefacts[at] === null);
    if (outside !== undefined)
      return `question "${question.id}" names the artefact "${outside}", which is not a path below /workspace`;
    if (artefacts.length > maxArtefacts)
      return `question "${question.id}" names ${artefacts.length} artefacts; at most ${maxArtefacts} are shown`;
    asked.push({ ...question, artefacts: artefacts.filter((path) => path !== null) });
  }
  return asked;
}

/** `a/b` for `a/b`, `./a/b` and `/workspace/a/b`; null for what is not below /workspace. */
function belowWorkspace(path: string): string | null {
  if (path.startsWith("/") && !path.startsWith("/workspace/")) return null;
  const parts = path
    .replace(/^\/workspace\//, "")
    .split("/")
    .filter((part) => part !== "" && part !== ".");
  return parts.length === 0 || parts.includes("..") || path.includes("\0") ? null : parts.join("/");
}

function wholeText(capture: Capture, stream: string): { readonly text: string } | { readonly fault: string } {
  const bytes = Buffer.concat([capture.head, capture.tail]);
  if (bytes.length !== capture.totalBytes) {
    return {
      fault: `${stream} has ${capture.totalBytes} bytes, more than the ${bytes.length} that are read`,
    };
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (error) {
    if (error instanceof TypeError) return { fault: `${stream} is not UTF-8` };
    throw error;
  }
}

function exitWords(exitCode: number): string {
  if (exitCode === 126)
    return " (grader/grade cannot be executed: is its first line a #! with a program that the image has?)";
  if (exitCode === 127)
    return " (a program was not found: look at the first line of grader/grade and at what it calls)";
  return exitCode > 128 ? ` (128 + signal ${exitCode - 128})` : "";
}

function memoryWords(ended: CommandOutcome): string {
  return ended.outOfMemory ? ", and the container's memory limit killed a process" : "";
}
