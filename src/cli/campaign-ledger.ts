import { nanoOf } from "../artefacts/nano-usd.ts";
import type { Config } from "../config.ts";
import { CampaignStore } from "../store/campaign.ts";
import { openLedger, type OpenLedger } from "../store/ledger.ts";
import { spendingWords } from "./spending-words.ts";

/** Acts with the ledger of the campaign in `folder`, and closes it on every path. Its limit is the campaign's budget. */
export async function withLedger<T>(
  folder: string,
  { evaluation }: Config,
  act: (ledger: OpenLedger) => Promise<T>,
): Promise<T> {
  const { budgetUsd } = evaluation;
  const limitNanoUsd = budgetUsd === undefined ? null : nanoOf(budgetUsd);
  const ledger = await openLedger(new CampaignStore(folder).ledgerFile, { limitNanoUsd, now: Date.now });
  try {
    return await act(ledger);
  } finally {
    ledger.close();
  }
}

/** What the campaign has cost so far; null before the first request. */
export function spentWords(ledger: OpenLedger): string | null {
  const { all } = ledger.total();
  return all.attempts === 0 ? null : spendingWords(all);
}
