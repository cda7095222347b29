import { join } from "node:path";
import type { Endpoint } from "../artefacts/endpoint.ts";
import type { Listen } from "../events.ts";
import type { ChatModel } from "../models/port.ts";
import { withinBudget } from "../store/budget.ts";
import { openLedger } from "../store/ledger.ts";
import { nanoOf } from "../artefacts/nano-usd.ts";
import { type Io, listenOn, type Loaded } from "./io.ts";
import { spendingWords } from "./spending-words.ts";
import { ModelAccess } from "./wire-models.ts";

/** Author and judges of a build, and what they cost. */
export type PaidModels = {
  readonly judges: () => Promise<readonly ChatModel[]>;
  /** A model per attempt: each has `authoring.budgetUsd` to itself. */
  readonly author: (id: string) => Promise<{ readonly id: string; readonly open: () => Promise<ChatModel> }>;
  readonly close: () => Promise<void>;
};

/** Longest prompt of an author besides what it may answer: sections of a cluster, contract, the image's tools. */
const authorTokens = 40_000;
/** A question with the files it is about. */
const judgeTokens = 16_000;

export async function openPaidModels(loaded: Loaded, io: Io): Promise<PaidModels> {
  const { config } = loaded;
  const listen: Listen = listenOn(io);
  const access = new ModelAccess(loaded, listen, io);
  // Builds may go on side by side, so that each has a ledger of its own.
  const name = `${new Date().toISOString().replaceAll(":", "")}-${process.pid}.jsonl`;
  const ledger = await openLedger(join(config.out, "authoring", name), { limitNanoUsd: null, now: Date.now });
  const endpoints: Endpoint[] = [];
  return {
    async judges() {
      const { models } = config.judge;
      const found = await access.findEndpoints({ judge: models }, judgeTokens);
      endpoints.push(...found);
      return access.judges(models, found, ledger);
    },
    async author(id) {
      const needed = authorTokens + config.authoring.limits.maxTokensPerTurn;
      const found = await access.findEndpoints({ author: [id] }, needed);
      endpoints.push(...found);
      const { budgetUsd } = config.authoring;
      const limit = budgetUsd === undefined ? null : nanoOf(budgetUsd);
      return { id, open: () => access.chat(id, "author", found, withinBudget(ledger, limit)) };
    },
    async close() {
      try {
        await access.settle(ledger, endpoints);
      } finally {
        ledger.close();
      }
      const { all } = ledger.total();
      if (all.attempts > 0) listen({ kind: "stage", stage: "money", words: spendingWords(all) });
    },
  };
}
