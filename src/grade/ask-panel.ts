import { absences, enough } from "../artefacts/ballot-kind.ts";
import type { Answer, Ballot, Question } from "../artefacts/verdict.ts";
import { BudgetError, InfrastructureError, UserError } from "../errors.ts";
import { hashJson } from "../hash.ts";
import type { ChatFailure, ChatMessage, ChatModel } from "../models/port.ts";
import { randomFrom, shuffled } from "../seed.ts";
import { type Artefacts, showArtefact } from "./artefact-parts.ts";
import { askJudge, type Asked } from "./ask-judge.ts";
import { judgeMessages } from "./judge-prompt.ts";

/** Who answers a grader's questions. */
export type Panel = {
  /** Three, from different vendors where it can be had. Only looked at when a grader asks. */
  readonly judges: readonly ChatModel[];
  /** Those of them that are not asked, by id, with the reason on their ballots (`panelFor`). */
  readonly unasked?: ReadonlyMap<string, string>;
  /** Fixes the order in which the questions are put. */
  readonly seed: number;
  /** Default 2000; what a judge may write, reasoning included. */
  readonly maxTokens?: number;
};

export type PanelOptions = {
  /** Answers by key. Decided ones are not asked again, of undecided ones only the absent judges; all are added. */
  readonly known?: Map<string, Answer>;
  /** What the questions are about, for the ledger: a trial's path, a bundle's id. Judges never see it. */
  readonly subject?: string;
  readonly signal?: AbortSignal;
};

const panelSize = 3;
const defaultMaxTokens = 2000;

/**
 * Puts every question to every judge, each in a conversation of its own, and counts. The answers come back in the
 * order of the questions. Throws `UserError` unless there are three judges, `BudgetError` when a judge cannot be paid
 * for, and `InfrastructureError` when a question stays open because nothing can be asked any more (key, credits): in
 * both cases there is no verdict, and what was answered until then is in `known`.
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
  if (yes >= enough) return true;
  return no >= enough ? false : null;
}

async function answerTo(
  question: Question,
  artefacts: Artefacts,
  panel: Panel,
  options: PanelOptions,
): Promise<Answer> {
  const files = question.artefacts.map((path) => showArtefact(path, artefacts));
  const messages = judgeMessages(question.question, files);
  const { unasked = new Map<string, string>() } = panel;
  const asking = panel.judges.filter(({ id }) => !unasked.has(id)).map(({ id }) => id);
  // Everything a judge sees: the instruction, the question, the files as shown. Not what is expected.
  const key = hashJson([messages, asking]);
  if (asking.length < enough) {
    const reasonOf = (id: string): string => unasked.get(id) ?? absences.panelTooSmall;
    const ballots = panel.judges.map(({ id }) => absentBallot(question, id, reasonOf(id)));
    return { question, key, ballots, answer: null };
  }
  const met = options.known?.get(key);
  if (met !== undefined && met.answer !== null) {
    return { ...met, question, ballots: met.ballots.map((ballot) => ({ ...ballot, question: question.id })) };
  }
  const asked = await Promise.all(
    panel.judges.map((judge, at) => ballotOf(judge, messages, { panel, options, earlier: met?.ballots[at] })),
  );
  const ballots = asked.map(({ cast }, at) => ({
    question: question.id,
    judge: panel.judges[at]?.id ?? "",
    ...cast,
  }));
  return settled({ question, key, ballots, answer: decide(ballots) }, asked, options);
}

async function ballotOf(
  judge: ChatModel,
  messages: readonly ChatMessage[],
  context: {
    readonly panel: Panel;
    readonly options: PanelOptions;
    /** Cast at the same question before, when that stayed open. */
    readonly earlier: Ballot | undefined;
  },
): Promise<Asked> {
  const { panel, options, earlier } = context;
  const reason = panel.unasked?.get(judge.id);
  if (reason !== undefined) return { cast: { answer: "absent", reason, reply: null }, failure: null };
  if (earlier?.judge === judge.id && earlier.answer !== "absent") {
    const { answer, reply } = earlier;
    return { cast: { answer, reason: earlier.reason, reply }, failure: null };
  }
  return askJudge(judge, messages, {
    maxTokens: panel.maxTokens ?? defaultMaxTokens,
    subject: options.subject,
    signal: options.signal,
  });
}

/** Keeps an answer, unless a failure behind it ends the asking altogether: that is thrown, with the ballots kept. */
function settled(answer: Answer, asked: readonly Asked[], { known }: PanelOptions): Answer {
  const failed = (kind: ChatFailure["failure"]): ChatFailure | undefined =>
    asked.find(({ failure }) => failure?.failure === kind)?.failure ?? undefined;
  const unpaid = failed("budget");
  if (unpaid !== undefined) {
    known?.set(answer.key, { ...answer, answer: null });
    throw new BudgetError(unpaid.message);
  }
  known?.set(answer.key, answer);
  const stopped = failed("stop_all");
  if (answer.answer === null && stopped !== undefined) throw new InfrastructureError(stopped.message);
  return answer;
}

function absentBallot(question: Question, judge: string, reason: string): Ballot {
  return { question: question.id, judge, answer: "absent", reason, reply: null };
}

/**
 * Answers of an earlier gate or verdict, by key. Open ones are kept as well, so that judges who voted are not asked
 * once more; a decided one is preferred.
 */
export function knownAnswers(answers: readonly Answer[]): Map<string, Answer> {
  const known = new Map<string, Answer>();
  for (const answer of answers) {
    if ((known.get(answer.key)?.answer ?? null) === null) known.set(answer.key, answer);
  }
  return known;
}
