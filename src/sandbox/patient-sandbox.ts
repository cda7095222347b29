import { isAway, patiently } from "./away.ts";
import type { Sandbox } from "./port.ts";
import { statusOf } from "./removal.ts";

/** An engine that is started again is back by then; one that is not is a trouble to be told of. */
const awayMs = 60_000;

/**
 * `open` of a sandbox that waits for an engine that is away: nothing has been done in that container yet, so that
 * waiting costs no trial, while failing at once would use up every repeat of a void trial in a moment. A container that
 * was removed under its start (404, 409) is opened once more.
 */
export function openPatiently(inner: Pick<Sandbox, "open">, limitMs = awayMs): Sandbox["open"] {
  return (request, signal) => {
    let removed = 0;
    const again = (error: unknown): boolean => isAway(error) || (wasRemoved(error) && removed++ === 0);
    return patiently(limitMs, signal, again, () => inner.open(request, signal));
  };
}

function wasRemoved(error: unknown): boolean {
  const status = statusOf(error instanceof Error ? error.cause : null);
  return status === 404 || status === 409;
}
