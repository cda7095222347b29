import type { GraderOutcome, Grading } from "../artefacts/grading.ts";
import type { Answer } from "../artefacts/verdict.ts";

/** A grading by its exit code, as if a grader had ended so; assertions by name, a leading `!` for failed ones. */
export function gradingOf(
  exitCode: number,
  assertions: readonly string[],
  over: { readonly answers?: readonly Answer[]; readonly log?: string } = {},
): Grading {
  const { answers = [], log = "" } = over;
  return {
    outcome: outcomeOf(exitCode, assertions, answers),
    answers,
    grader: { exitCode, signal: null, timedOut: false, seconds: 0.5 },
    log,
    standInJudges: false,
    bundleHash: "bundle",
  };
}

export function answerOf(id: string, answer: boolean | null, expect = true): Answer {
  const question = { id, question: `Is ${id} so?`, artefacts: ["a.md"], expect };
  return { question, key: `key-${id}-${String(answer)}`, ballots: [], answer };
}

function outcomeOf(exitCode: number, names: readonly string[], answers: readonly Answer[]): GraderOutcome {
  const assertions = names.map((name) => ({
    assertion: name.replace(/^!/, ""),
    passed: !name.startsWith("!"),
  }));
  if (exitCode === 0) return { kind: "passed", assertions };
  if (exitCode === 1) return { kind: "failed", assertions };
  if (exitCode === 3) return { kind: "asks", assertions, questions: answers.map(({ question }) => question) };
  return { kind: "error", assertions, reason: `exit code ${exitCode}` };
}
