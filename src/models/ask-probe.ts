import { BudgetError, InfrastructureError, UserError } from "../errors.ts";
import type { ChatFailure, ChatModel, ChatRequest, ChatTurn } from "./port.ts";

export type ProbeAnswer =
  | ChatTurn
  | (ChatFailure & { readonly failure: Extract<ChatFailure["failure"], "context_exhausted" | "blocked"> });

/**
 * One request before anything is measured. Throws what ends the command: `UserError` for a model that cannot be used
 * as configured, `InfrastructureError`, `BudgetError`.
 */
export async function askProbe(
  model: ChatModel,
  request: ChatRequest,
  signal: AbortSignal | undefined,
): Promise<ProbeAnswer> {
  const answer = await model.complete(request, signal);
  if (answer.kind === "turn") return answer;
  const { failure, message } = answer;
  switch (failure) {
    case "context_exhausted":
    case "blocked":
      return { ...answer, failure };
    case "infrastructure":
      throw new InfrastructureError(`${message}. Is the server up?`);
    case "budget":
      throw new BudgetError(message);
    case "stop_model":
    case "stop_all":
      throw new UserError(message);
  }
}
