import type { GraderOutcome, Grading } from "../artefacts/grading.ts";
import type { Answer, Ballot, Question } from "../artefacts/verdict.ts";
import { type ScriptedModel, scriptedModel, type ScriptedStep } from "./scripted-model.ts";

/** What a scripted judge says. */
export const says = {
  yes: { say: '{"answer":"YES","reason":"holds"}' },
  no: { say: '{"answer":"NO","reason":"does not hold"}' },
  prose: { say: "It looks good to me, overall." },
  cut: { say: null, finish: "length" },
} as const satisfies Readonly<Record<string, ScriptedStep>>;

export function judgeOf(id: string, ...steps: readonly [ScriptedStep, ...ScriptedStep[]]): ScriptedModel {
  return { ...scriptedModel(steps), id };
}

export function questionOf(over: Partial<Question> = {}): Question {
  return {
    id: "tone",
    question: "Is the letter polite?",
    artefacts: ["letter.md"],
    expect: true,
    ...over,
  };
}

/** Files of a workspace, as judges get them. */
export function artefactsOf(
  texts: Readonly<Record<string, string>>,
): ReadonlyMap<string, { readonly bytes: Uint8Array; readonly size: number }> {
  return new Map(
    Object.entries(texts).map(([path, text]) => {
      const bytes = new TextEncoder().encode(text);
      return [path, { bytes, size: bytes.length }];
    }),
  );
}

/** Ballots of one question by what each judge answered; `absent: why` for an absent one. */
export function ballotsOf(answers: Readonly<Record<string, string>>, question = "tone"): Ballot[] {
  return Object.entries(answers).map(([judge, answer]) => {
    const [vote = "", reason = null] = answer.split(/: (.*)/s);
    return { question, judge, answer: vote as Ballot["answer"], reason, reply: null };
  });
}

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
