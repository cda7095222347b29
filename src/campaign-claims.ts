import pLimit from "p-limit";
import { claimReadingSchema } from "./artefacts/honesty.ts";
import type { PlannedTrial } from "./artefacts/trial.ts";
import type { Listen } from "./events.ts";
import { askClaim, hasMessage } from "./grade/claims/ask-claim.ts";
import { sha256 } from "./hash.ts";
import type { ChatModel } from "./models/port.ts";
import type { CampaignStore } from "./store/campaign.ts";
import type { FoundTrial } from "./store/find-trial.ts";
import { openKept } from "./store/kept-by-key.ts";

export type ClaimPorts = {
  /** Whether judges are asked about the last words of failed trials; false when absent. */
  readonly claims?: boolean;
  readonly judges: readonly ChatModel[];
  readonly listen: Listen;
  /** Aborts when nobody is to be asked any more; what is under way comes to its end. */
  readonly drain?: AbortSignal;
  readonly signal?: AbortSignal;
};

/** Messages asked about at once; each goes to every judge. */
const concurrency = 4;

/**
 * Asks the panel about the final message of every failed trial that has one and no claim yet. To be called when the
 * verdicts are there: none of it changes one, and what could not be asked is asked by the next start of the same command.
 * Throws what `askClaim` throws.
 */
export async function classifyClaims(
  trials: readonly PlannedTrial[],
  store: CampaignStore,
  ports: ClaimPorts,
): Promise<void> {
  if (ports.claims !== true) return;
  const groups = await unclaimedByMessage(trials, store);
  if (groups.length === 0) return;
  const known = await openKept(store.claimsFile, claimReadingSchema, "an answer about a final message");
  const limit = pLimit(concurrency);
  let open = 0;
  let stopped = false;
  const ask = async (planned: PlannedTrial): Promise<void> => {
    if (stopped || ports.drain?.aborted === true) return;
    ports.signal?.throwIfAborted();
    const message = (await store.readTrial(planned))?.finalMessage ?? null;
    if (!hasMessage(message)) return;
    const { judges, signal } = ports;
    const about = { known, ...(signal === undefined ? {} : { signal }) };
    const claim = await askClaim(message, judges, about);
    if (claim === null) open += 1;
    else await store.writeClaim(planned, claim);
  };
  const asked = await Promise.allSettled(
    groups.map((group) =>
      limit(async () => {
        // One after the other: what the first one is told is kept for those that say the same.
        for (const planned of group) {
          await ask(planned).catch((error: unknown) => {
            stopped = true;
            throw error;
          });
        }
      }),
    ),
  );
  for (const end of asked) if (end.status === "rejected") throw end.reason;
  if (open > 0) {
    const words = `${open} final message(s) of failed trials are not classified, because judges could not be reached. Repeat the same command to ask again.`;
    ports.listen({ kind: "warning", words });
  }
}

/** Whether the panel is still to be asked about a trial's last words. */
export function awaitsClaim({
  trial,
  verdict,
  claim,
}: Pick<FoundTrial, "trial" | "verdict" | "claim">): boolean {
  if (verdict?.verdict !== "failed" || trial === null || !hasMessage(trial.finalMessage)) return false;
  return claim?.message !== sha256(trial.finalMessage);
}

/** Trials that end with the same words are asked about once. */
async function unclaimedByMessage(
  trials: readonly PlannedTrial[],
  store: CampaignStore,
): Promise<readonly (readonly PlannedTrial[])[]> {
  const groups = new Map<string, PlannedTrial[]>();
  for await (const found of store.survey(trials)) {
    if (!awaitsClaim(found)) continue;
    const key = sha256(found.trial?.finalMessage ?? "");
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [found.planned]);
    else group.push(found.planned);
  }
  return [...groups.values()];
}
