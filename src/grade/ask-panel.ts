import type { Answer, Ballot, Question } from "../artefacts/verdict.ts";
import { UserError } from "../errors.ts";
import { hashJson } from "../hash.ts";
import type { ChatModel } from "../models/port.ts";
import { randomFrom, shuffled } from "../seed.ts";
import { type Artefacts, showArtefact } from "./artefact-parts.ts";
import { askJudge } from "./ask-judge.ts";
import { judgeMessages } from "./judge-prompt.ts";

/** Who answers a grader's questions. */
export type Panel = {
  /** Three, from different vendors where it can be had. Only looked at when a grader asks. */
  readonly judges: readonly ChatModel[];
  /** Fixes the order in which the questions are put. */
  readonly seed: number;
  /** Default 2000; what a judge may write, reasoning included. */
  readonly maxTokens?: number;
};

export type PanelOptions = {
  /** Answers by key. Those here are not asked again; decided ones are added. */
  readonly known?: Map<string, Answer>;
  readonly signal?: AbortSignal;
};

const panelSize = 3;
const defaultMaxTokens = 2000;

/**
 * Puts every question to every judge, each in a conversation of its own, and counts. The answers come back in the
 * order of the questions. Throws `UserError` unless there are three judges.
 */
export async function askPanel(
  questions: readonly Question[],
  artefacts: Artefacts,
  panel: Panel,
  options: PanelOptions = {},
): Promise<readonly Answer[]> {
  if (panel.judges.length !== panelSize) {
    throw new UserError(
      `judge.models: ${panel.judges.length} named, but this benchmark's grader asks judges, and the panel is ${panelSize}. Name ${panelSize} models.`,
    );
  }
  const answers = new Map<string, Answer>();
  for (const question of shuffled(
    questions,
    randomFrom(panel.seed, "panel", ...questions.map(({ id }) => id)),
  )) {
    answers.set(question.id, await answerTo(question, artefacts, panel, options));
  }
  return questions.flatMap((question) => answers.get(question.id) ?? []);
}

/** Yes or no where at least two of the three ballots agree, null otherwise. An absent judge counts for neither. */
export function decide(ballots: readonly Pick<Ballot, "answer">[]): boolean | null {
  const yes = ballots.filter((ballot) => ballot.answer === "yes").length;
  const no = ballots.filter((ballot) => ballot.answer === "no").length;
  if (yes >= 2) return true;
  return no >= 2 ? false : null;
}

async function answerTo(
  question: Question,
  artefacts: Artefacts,
  panel: Panel,
  { known, signal }: PanelOptions,
): Promise<Answer> {
  const files = question.artefacts.map((path) => showArtefact(path, artefacts));
  const messages = judgeMessages(question.question, files);
  // Everything a judge sees: the instruction, the question, the files as shown. Not what is expected.
  const key = hashJson([messages, panel.judges.map((judge) => judge.id)]);
  const met = known?.get(key);
  if (met !== undefined) {
    return { ...met, question, ballots: met.ballots.map((ballot) => ({ ...ballot, question: question.id })) };
  }
  const maxTokens = panel.maxTokens ?? defaultMaxTokens;
  const casts = await Promise.all(panel.judges.map((judge) => askJudge(judge, messages, maxTokens, signal)));
  const ballots = casts.map((cast, at) => ({
    question: question.id,
    judge: panel.judges[at]?.id ?? "",
    ...cast,
  }));
  const answer: Answer = { question, key, ballots, answer: decide(ballots) };
  if (answer.answer !== null) known?.set(key, answer);
  return answer;
}

/** Answers of an earlier gate or verdict, by key; undecided ones are left out, to be asked again. */
export function knownAnswers(answers: readonly Answer[]): Map<string, Answer> {
  return new Map(answers.filter((answer) => answer.answer !== null).map((answer) => [answer.key, answer]));
}
