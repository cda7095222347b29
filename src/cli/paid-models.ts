import { join } from "node:path";
import type { Endpoint } from "../artefacts/endpoint.ts";
import { nanoOf } from "../artefacts/nano-usd.ts";
import type { Config } from "../config.ts";
import type { Embedder } from "../embed/port.ts";
import type { ChatModel } from "../models/port.ts";
import { withinBudget } from "../store/budget.ts";
import { openLedger, type OpenLedger } from "../store/ledger.ts";
import { type Io, listenOn, type Loaded } from "./io.ts";
import { readingOf } from "./screen/reading.ts";
import { spendingWords } from "./spending-words.ts";
import { ModelAccess } from "./wire-models.ts";

/** Embedder, author and judges of one command; all they ask is booked. */
export type PaidModels = {
  readonly embedder: () => Promise<Embedder>;
  readonly judges: () => Promise<readonly ChatModel[]>;
  /** A model per attempt: each has `authoring.budgetUsd` to itself. */
  readonly author: (id: string) => Promise<{ readonly id: string; readonly open: () => Promise<ChatModel> }>;
};

/** Longest prompt of an author besides what it may answer: sections of a cluster, contract, the image's tools. */
const authorTokens = 40_000;
/** A question with the files it is about. */
const judgeTokens = 16_000;

/** Acts with the models of one command, which has a ledger of its own, and says at its end what they cost. */
export async function withPaidModels<T>(
  loaded: Loaded,
  io: Io,
  act: (paid: PaidModels) => Promise<T>,
): Promise<T> {
  const { config } = loaded;
  const listen = listenOn(io);
  const access = new ModelAccess(loaded, listen, io);
  // Builds may go on side by side.
  const name = `${new Date().toISOString().replaceAll(":", "")}-${process.pid}.jsonl`;
  const ledger = await openLedger(join(config.out, "authoring", name), { limitNanoUsd: null, now: Date.now });
  const endpoints: Endpoint[] = [];
  // What a build may cost is limited per attempt, not in all.
  io.screen?.watch(() => readingOf({ ledger, access, budgetUsd: undefined }));
  try {
    return await act(paidModels(config, { access, ledger, endpoints }));
  } finally {
    try {
      await access.settle(ledger, endpoints);
    } finally {
      ledger.close();
    }
    const { all } = ledger.total();
    if (all.attempts > 0) listen({ kind: "stage", stage: "money", words: spendingWords(all) });
  }
}

type Parts = {
  readonly access: ModelAccess;
  readonly ledger: OpenLedger;
  /** Of the models that were asked. */
  readonly endpoints: Endpoint[];
};

function paidModels({ judge, authoring }: Config, { access, ledger, endpoints }: Parts): PaidModels {
  return {
    embedder: () => access.embedder(ledger),
    async judges() {
      const found = await access.findEndpoints({ judge: judge.models }, judgeTokens);
      endpoints.push(...found);
      return access.judges(judge.models, found, ledger);
    },
    async author(id) {
      const needed = authorTokens + authoring.limits.maxTokensPerTurn;
      const found = await access.findEndpoints({ author: [id] }, needed);
      endpoints.push(...found);
      const { budgetUsd } = authoring;
      const limit = budgetUsd === undefined ? null : nanoOf(budgetUsd);
      return { id, open: () => access.chat(id, "author", found, withinBudget(ledger, limit)) };
    },
  };
}
