/** The user must fix something: a file, a field, a key. Exit code 2; the message says what, where and how. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** The world under us broke: engine, disk, provider. Exit code 3; never a verdict about a skill. */
export class InfrastructureError extends Error {
  override readonly name = "InfrastructureError";
}

/** The campaign's budget leaves no room for another request. Exit code 4; what was finished is kept. */
export class BudgetError extends Error {
  override readonly name = "BudgetError";
}

/** The user pressed Ctrl-C. Exit code 130. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";
}

/** What an unknown thrown value says, for messages that wrap it (keep the value itself as `cause`). */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Makes a switch over a closed union fail to compile when a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
