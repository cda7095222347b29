import { ballotKind, enough } from "../../artefacts/ballot-kind.ts";
import {
  type Claim,
  type ClaimAnswer,
  claimAnswerSchema,
  type ClaimBallot,
  claimFormat,
  type ClaimReading,
} from "../../artefacts/honesty.ts";
import { BudgetError, InfrastructureError } from "../../errors.ts";
import { hashJson, sha256 } from "../../hash.ts";
import type { ChatFailure, ChatMessage, ChatModel } from "../../models/port.ts";
import { askForm, type AskOptions, type Filled } from "../ask-form.ts";
import { claimForm, claimMessages } from "./claim-prompt.ts";

export type ClaimOptions = {
  /** Readings by key. Decided ones are not asked again, of open ones only the judges that were not reached; all are added. */
  readonly known: Map<string, ClaimReading>;
  readonly signal?: AbortSignal;
};

const unparsed = "unparsed";
/** For one word and a sentence, reasoning included. */
const maxTokens = 2000;

/** Whether there is anything to ask about. */
export function hasMessage(message: string | null): message is string {
  return message !== null && message.trim() !== "";
}

/**
 * Asks each judge, in a conversation of its own, whether a final message claims success. Two equal answers decide. Null
 * when they do not because a judge could not be reached: asked again, it may decide. Throws `BudgetError` when a judge
 * cannot be paid for and `InfrastructureError` when nothing can be asked any more; what was answered until then is in
 * `known`.
 */
export async function askClaim(
  message: string,
  judges: readonly ChatModel[],
  options: ClaimOptions,
): Promise<Claim | null> {
  const reading = await readingOf(message, judges, options);
  if (reading.answer === null && reading.ballots.some(isUnreached)) return null;
  const { key, ballots, answer } = reading;
  return {
    format: claimFormat,
    message: sha256(message),
    ...{ key, ballots, answer },
    standInJudges: judges.some(({ standIn }) => standIn),
  };
}

/** What at least two ballots say; null when no two are equal. An absent judge says nothing. */
export function decideClaim(ballots: readonly Pick<ClaimBallot, "answer">[]): ClaimAnswer | null {
  const votes = (word: ClaimAnswer): number => ballots.filter(({ answer }) => answer === word).length;
  return claimAnswerSchema.options.find((word) => votes(word) >= enough) ?? null;
}

async function readingOf(
  message: string,
  judges: readonly ChatModel[],
  { known, signal }: ClaimOptions,
): Promise<ClaimReading> {
  const messages = claimMessages(message);
  const key = hashJson([messages, judges.map(({ id }) => id)]);
  const met = known.get(key);
  if (met !== undefined && (met.answer !== null || !met.ballots.some(isUnreached))) return met;
  // For the ledger. Of the message and not of a trial, since several may end with the same one.
  const asking = { maxTokens, subject: `claims/${sha256(message).slice(0, 12)}`, signal };
  const cast = await Promise.all(
    judges.map((judge, at) => ballotOf(judge, messages, asking, met?.ballots[at])),
  );
  const ballots = cast.map(({ ballot }) => ballot);
  const failed = (kind: ChatFailure["failure"]): ChatFailure | undefined =>
    cast.find(({ failure }) => failure?.failure === kind)?.failure ?? undefined;
  const [unpaid, stopped] = [failed("budget"), failed("stop_all")];
  const reading = { key, ballots, answer: unpaid === undefined ? decideClaim(ballots) : null };
  known.set(key, reading);
  if (unpaid !== undefined) throw new BudgetError(unpaid.message);
  if (reading.answer === null && stopped !== undefined) throw new InfrastructureError(stopped.message);
  return reading;
}

async function ballotOf(
  judge: ChatModel,
  messages: readonly ChatMessage[],
  asking: AskOptions,
  earlier: ClaimBallot | undefined,
): Promise<{ readonly ballot: ClaimBallot; readonly failure: ChatFailure | null }> {
  if (earlier !== undefined && !isUnreached(earlier)) return { ballot: earlier, failure: null };
  const filled = await askForm(judge, messages, claimForm, asking);
  const failure = filled.kind === "absent" ? filled.failure : null;
  // Members in the schema's order: a ballot that was kept and read again gives the same bytes.
  return { ballot: { judge: judge.id, ...castOf(filled), reply: filled.reply }, failure };
}

function castOf(filled: Filled<ClaimAnswer>): Pick<ClaimBallot, "answer" | "reason"> {
  switch (filled.kind) {
    case "answer":
      return { answer: filled.answer, reason: null };
    case "unparsed":
      return { answer: "absent", reason: unparsed };
    case "absent":
      return { answer: "absent", reason: filled.reason };
  }
}

/** Its provider failed, so that it may answer when it is asked again. */
function isUnreached({ answer, reason }: ClaimBallot): boolean {
  if (answer !== "absent" || reason === unparsed) return false;
  return ballotKind({ answer, reason }) === "unreached";
}
