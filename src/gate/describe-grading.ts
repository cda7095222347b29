import type { Finding } from "./check.ts";
import type { Grading } from "../artefacts/grading.ts";
import { unreachable } from "../errors.ts";

const tailLines = 40;
const tailCharacters = 4000;

/** A grading in words: how it ended, what failed, and the end of what the grader wrote. */
export function describeGrading(grading: Grading): string {
  const lines = [`The grader: ${endWords(grading)}.`];
  const failed = grading.outcome.assertions.filter((assertion) => !assertion.passed);
  const passed = grading.outcome.assertions.length - failed.length;
  lines.push(`Assertions: ${passed} passed, ${failed.length} failed.`);
  lines.push(...failed.map(({ assertion }) => `  failed: ${assertion}`));
  for (const { question, answer, ballots } of grading.answers) {
    const given = answer === null ? "undecided" : answer ? "YES" : "NO";
    lines.push(
      `  question ${question.id}: ${given}, expected ${question.expect ? "YES" : "NO"}: ${question.question}`,
    );
    lines.push(
      ...ballots.map((ballot) => `    ${ballot.answer}: ${oneLine(ballot.reply ?? ballot.reason ?? "")}`),
    );
  }
  const tail = tailOf(grading.log);
  if (tail !== "") lines.push("The end of what it wrote:", tail);
  return lines.join("\n");
}

/** What came back, without times, so that the record of the same bundle is the same on every machine. */
export function gradingEvidence({ outcome, answers, grader }: Grading): Finding["evidence"] {
  return {
    outcome: outcome.kind,
    exitCode: grader.exitCode,
    signal: grader.signal,
    timedOut: grader.timedOut,
    reason: outcome.kind === "error" ? outcome.reason : null,
    assertions: outcome.assertions.map(({ assertion, passed }) => ({ assertion, passed })),
    answers: answers.map(({ question, key, answer }) => ({
      question: question.id,
      key,
      expect: question.expect,
      answer,
    })),
  };
}

function endWords({ outcome, grader }: Grading): string {
  const exit = `exit code ${grader.exitCode ?? `none (${grader.signal ?? "killed"})`}`;
  switch (outcome.kind) {
    case "passed":
      return `passed, ${exit}`;
    case "failed":
      return `failed, ${exit}`;
    case "asks":
      return `asked the judges ${outcome.questions.length} questions, ${exit}`;
    case "error":
      return `broke its contract: ${outcome.reason}`;
    default:
      return unreachable(outcome);
  }
}

function tailOf(log: string): string {
  return log.trimEnd().split("\n").slice(-tailLines).join("\n").slice(-tailCharacters);
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
