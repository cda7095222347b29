import type { CampaignEstimate } from "../campaign-estimate.ts";
import { UserError } from "../errors.ts";
import type { Io } from "./io.ts";

/**
 * Says what a campaign may cost, and asks whoever pays before anything is paid for. Nothing is asked where it costs
 * nothing, and where nobody knows a price, since then there is no figure to agree to.
 * Throws `UserError` without a yes.
 */
export async function agree(
  { total, parts, words }: CampaignEstimate,
  yes: boolean,
  { err, ask }: Pick<Io, "err" | "ask">,
): Promise<void> {
  if (parts.every(({ work }) => work.count === 0) || total.high === 0) return;
  for (const line of words) err(`${line}\n`);
  if (yes || total.expected === null) return;
  if (ask === null) {
    throw new UserError("nobody is there to agree to this cost. Give --yes, or a terminal.");
  }
  if (!(await ask("Begin?"))) throw new UserError("nothing was begun, and nothing was paid for.");
}
