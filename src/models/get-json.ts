import { InfrastructureError, UserError } from "../errors.ts";
import type { Clock } from "./clock.ts";
import { type Fault, faultOf } from "./fault.ts";
import { withOwnSignal } from "./own-signal.ts";
import { hasVersion, type Server } from "./server.ts";
import { type Attempt, withRetries } from "./with-retries.ts";

export type Asking = { readonly clock: Clock; readonly signal?: AbortSignal | undefined };

/**
 * GET `path` below the server's root, with retries. Null when the server has no such page: not every server has every
 * list. Throws `UserError` when the key is refused or the address is wrong, `InfrastructureError` when the server
 * cannot be reached.
 */
export async function getJson(server: Server, path: string, { clock, signal }: Asking): Promise<unknown> {
  const send = async (): Promise<Attempt<unknown>> => {
    try {
      const value = await withOwnSignal(signal, (own) => server.client.get<unknown>(path, { signal: own }));
      return { kind: "done", value };
    } catch (error) {
      signal?.throwIfAborted();
      const fault = faultOf(error);
      return isMissing(fault, server) ? { kind: "done", value: null } : { kind: "fault", fault };
    }
  };
  const answer = await withRetries(send, { clock, secret: server.key, signal });
  if (answer.kind === "done") return answer.value;
  const message = `${server.baseUrl}${path}: ${answer.message}`;
  if (answer.failure === "infrastructure") throw new InfrastructureError(`${message}. Is the server up?`);
  throw new UserError(`${message} (key from ${server.keyVariable})`);
}

/**
 * 404, 405 and 501 say that there is no such page. LM Studio says it with a string in a 200; but asked at an address
 * without `/v1` that is what it says to everything, and then the address is the user's to mend.
 */
function isMissing(fault: Fault, server: Server): boolean {
  if (fault.kind !== "response") return false;
  if (fault.body === "error-in-200" && !hasVersion(server.baseUrl)) return false;
  return [404, 405, 501].includes(fault.status);
}
