import { dollars, nanoOf } from "../../artefacts/nano-usd.ts";
import { prepare } from "../eval.ts";
import type { Io, Loaded } from "../io.ts";
import { checkSandbox, estimateOf } from "../wire-doctor.ts";
import { isStandIn } from "../wire-models.ts";
import { armRows, benchmarkRows, budgetRow, judgeRow, type Place, skillRows } from "./campaign-rows.ts";
import { embeddingRows, keyRows, modelRows, modelsIn, serverRows } from "./model-rows.ts";
import { checked, fail, ok, type Row, warn } from "./row.ts";

/** What a campaign's file names, and whether it goes together. */
export async function campaignChecks(loaded: Loaded, place: Place, io: Io): Promise<readonly Row[]> {
  const { config } = loaded;
  const { signal } = place;
  const paid = config.models.replay === undefined && modelsIn(config).some(({ id }) => !isStandIn(id));
  const [skills, benchmarks, arms, sandbox, models] = await Promise.all([
    skillRows(config, place),
    benchmarkRows(config, place),
    armRows(config, place),
    checked(
      "sandbox limits",
      () => {
        checkSandbox(config);
        return Promise.resolve(ok("sandbox limits", "go together"));
      },
      { signal, mend: "sandbox.memoryMiB: 1024" },
    ),
    modelChecks(loaded, place),
  ]);
  const rows = [
    ...[...skills, ...benchmarks.rows, ...arms, ...sandbox],
    judgeRow(config, benchmarks.judged),
    budgetRow(config, paid),
    ...models.rows,
  ];
  return [
    ...rows,
    ...(await estimateRows(loaded, {
      rows,
      sound: benchmarks.sound,
      keyLimitUsd: models.keyLimitUsd,
      io: { ...io, signal },
    })),
  ];
}

type ModelChecks = { readonly rows: readonly Row[]; readonly keyLimitUsd: number | null };

async function modelChecks(loaded: Loaded, place: Place): Promise<ModelChecks> {
  const { signal } = place;
  const { config } = loaded;
  const all = modelsIn(config);
  const asked = all.filter(({ id }) => !isStandIn(id));
  const [keys, embedding] = await Promise.all([keyRows(loaded, place), embeddingRows(loaded, signal)]);
  const hasKey = keys.every(({ state }) => state !== "fail");
  const [first] = asked;
  const server =
    first === undefined || !hasKey ? { rows: [], look: null } : await serverRows(loaded, first.id, signal);
  // What a model needs at the very least: the campaign's own prompts come on top.
  const neededTokens = config.evaluation.limits.maxTokensPerTurn;
  const known = server.look?.warnings ?? [];
  const reachable = server.look === null ? all.filter(({ id }) => isStandIn(id)) : all;
  const models = await modelRows(loaded, reachable, { signal, neededTokens, known });
  const left = all.length - reachable.length;
  const why = hasKey ? "the server does not answer" : "a key is missing";
  return {
    rows: [
      ...namingRows(loaded),
      ...keys,
      ...server.rows,
      ...models,
      ...(left === 0 ? [] : [warn("models", `${left} of ${all.length} not checked: ${why}`)]),
      ...embedding,
    ],
    keyLimitUsd: server.look?.keyLimitUsd ?? null,
  };
}

/** Models that have to be named before anything can be asked of them. */
function namingRows({ config: { evaluation, authoring } }: Loaded): readonly Row[] {
  const none = evaluation.models.length === 0;
  const author = authoring.backend === "openrouter" && authoring.model === undefined;
  return [
    ...(none ? [fail("models", "evaluation.models: none named", "evaluation.models: [vendor/model]")] : []),
    ...(author
      ? [
          warn(
            "author",
            "authoring.model: not set, so no benchmark can be written",
            "authoring.model: vendor/model",
          ),
        ]
      : []),
  ];
}

type Known = ModelChecks & { readonly sound: number; readonly io: Io };

/** What the campaign costs, held against the budget and the key's limit. */
async function estimateRows(
  loaded: Loaded,
  { rows, sound, keyLimitUsd, io }: Known,
): Promise<readonly Row[]> {
  const check = "estimate";
  if (sound === 0) return [warn(check, "unavailable: there is no benchmark yet")];
  if (rows.some(({ state }) => state === "fail"))
    return [warn(check, "unavailable until what failed is mended")];
  return checked(
    check,
    async (own) => {
      const quiet: Io = { ...io, err: () => undefined, drain: own, signal: own };
      const { material, endpoints } = await prepare(loaded, { only: null, yes: true }, quiet);
      const { total, words } = estimateOf(material, endpoints);
      if (endpoints.length === 0) return ok(check, "costs nothing: only stand-ins take part");
      if (total.expected === null) return warn(check, words.join(" "), "skillproof plan");
      return within(total.expected, words[0] ?? "", {
        keyLimitUsd,
        budgetUsd: loaded.config.evaluation.budgetUsd,
      });
    },
    { signal: io.signal, mend: "skillproof plan" },
  );
}

type Limits = { readonly keyLimitUsd: number | null; readonly budgetUsd: number | undefined };

function within(expected: number, words: string, { keyLimitUsd, budgetUsd }: Limits): Row {
  const check = "estimate";
  const told = words.replace(/\.$/, "");
  if (budgetUsd !== undefined && nanoOf(budgetUsd) < expected) {
    const enough = Math.ceil((expected / 1e9) * 1.2);
    return warn(
      check,
      `${told}; the budget of $${budgetUsd} is less, and eval will end in its middle`,
      `evaluation.budgetUsd: ${enough}`,
    );
  }
  if (keyLimitUsd !== null && nanoOf(keyLimitUsd) < expected) {
    const limit = dollars(nanoOf(keyLimitUsd));
    return warn(
      check,
      `${told}; the key may spend ${limit} more, which is less`,
      `evaluation.budgetUsd: ${Math.floor(keyLimitUsd * 100) / 100}`,
    );
  }
  return ok(check, told);
}
