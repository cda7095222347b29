import { voidsOf } from "./circumstances.ts";
import { groupBy } from "./group-by.ts";
import type { CountedTrial, TrialOnDisk } from "./outcome.ts";

/** Above this difference of void rates the arms were not treated alike (openrouter.md §4). */
const mostUnevenVoids = 0.05;
/** Above these shares of a model's turns something else than the model is measured (openrouter.md §8). */
const mostLengthTurns = 0.05;
const mostTextCalls = 0.02;

/** What a reader must know before trusting the numbers, most of it of one model; a sentence each. */
export function warningsOf(entries: readonly TrialOnDisk[]): string[] {
  return [...tornTrials(entries), ...modelWarnings(entries)];
}

/** Each is named with its reason where the ungraded ones are. */
function tornTrials(entries: readonly TrialOnDisk[]): string[] {
  const torn = entries.filter((entry) => entry.torn !== undefined && entry.torn !== null).length;
  if (torn === 0) return [];
  return [
    `${torn} trial(s) have a folder that cannot be used and are not counted; each is named under Ungraded. ` +
      "The next eval sets such folders aside and works on their trials again.",
  ];
}

function modelWarnings(entries: readonly TrialOnDisk[]): string[] {
  return groupBy(entries, ({ planned }) => planned.model).flatMap((group) => {
    const { model } = group[0].planned;
    const trials = group.flatMap(({ trial }) => trial ?? []);
    return [...unevenVoids(group), ...oddTurns(trials), ...uncached(trials), ...manyServed(trials)].map(
      (words) => `${model}: ${words}`,
    );
  });
}

function unevenVoids(entries: readonly TrialOnDisk[]): string[] {
  const rates = voidsOf(entries)
    .filter(({ attempts }) => attempts > 0)
    .map(({ arm, lost, attempts }) => ({ rate: lost / attempts, words: `${arm} ${lost} of ${attempts}` }));
  const all = rates.map(({ rate }) => rate);
  if (Math.max(...all) - Math.min(...all) <= mostUnevenVoids) return [];
  const words = rates.map((rate) => rate.words).join(", ");
  return [
    `attempts lost to infrastructure differ between the arms (${words}); the arms were not treated alike.`,
  ];
}

function oddTurns(trials: readonly CountedTrial[]): string[] {
  const sum = (figure: (trial: CountedTrial) => number): number =>
    trials.reduce((total, trial) => total + figure(trial), 0);
  const turns = sum(({ usage }) => usage.modelCalls);
  const cut = sum(({ usage }) => usage.lengthTurns);
  const asText = sum(({ usage }) => usage.textCalls);
  return [
    ...(cut > mostLengthTurns * turns
      ? [`${cut} of ${turns} turns were cut off; raise evaluation.limits.maxTokensPerTurn.`]
      : []),
    ...(asText > mostTextCalls * turns
      ? [`${asText} of ${turns} turns wrote a tool call as text: the endpoint's parser is measured there.`]
      : []),
  ];
}

/** A loop repeats its prompt every turn; where nothing comes from a cache, every turn pays for all of it. */
function uncached(trials: readonly CountedTrial[]): string[] {
  const long = trials.filter(
    ({ usage, standIn }) => !standIn && usage.modelCalls >= 3 && usage.cachedInputTokens !== null,
  );
  const nothing = long.length > 0 && long.every(({ usage }) => usage.cachedInputTokens === 0);
  return nothing ? ["nothing came from a prompt cache in any trial of three or more turns."] : [];
}

/** One endpoint is pinned, and it may still begin to serve another snapshot under the same name. */
function manyServed(trials: readonly CountedTrial[]): string[] {
  const models = [...new Set(trials.flatMap(({ served }) => served.models))];
  return models.length > 1
    ? [`served by more than one snapshot in this campaign: ${models.join(", ")}.`]
    : [];
}
