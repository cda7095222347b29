import { markOf } from "../artefacts/evidence.ts";
import type { PlannedTrial } from "../artefacts/trial.ts";
import { trialName } from "../artefacts/trial.ts";
import { canonicalJson, hashJson } from "../hash.ts";
import { type Chain, placeOf } from "./chain.ts";
import type { CampaignFound } from "./found.ts";
import type { Difference } from "../artefacts/verification.ts";
import { type Look, short } from "./look.ts";

/** plan.json is what was frozen, and all that its inputs decide follows from them. */
export function checkPlan(found: CampaignFound, chain: Chain): Look {
  const { plan } = found;
  const inputsHash = hashJson(plan.inputs);
  const names: readonly Difference[] = [
    { place: "plan.json: inputsHash", expected: short(inputsHash), came: short(plan.inputsHash) },
    { place: "plan.json: campaign", expected: found.again.campaign, came: plan.campaign },
    { place: "the campaign's folder", expected: `the name ${found.again.campaign}`, came: found.folder },
  ].filter(({ expected, came }) => expected !== came && expected !== `the name ${came}`);
  return {
    differences: [...frozen(found, chain), ...names, ...replanned(plan.trials, found.again.trials)],
    words:
      `plan.json against its line of evidence; inputs ${short(inputsHash)} against the folder's name; ` +
      `${plan.trials.length} planned trials against those that the inputs give`,
  };
}

/** Nothing that trials left stands in the evidence before the plan. What else tells when, this cannot know. */
export function checkPlanFirst(_found: CampaignFound, { notes }: Chain): Look {
  const at = notes.findIndex(({ note }) => note.kind === "plan");
  const before = at === -1 ? notes : notes.slice(0, at);
  const differences = before.slice(0, 1).map(({ note, line }) => ({
    place: placeOf(line),
    expected: "the plan, before anything that was done",
    came: `${markOf(note)}, first of ${before.length} line(s) ${at === -1 ? "without any plan" : `before the plan in line ${at + 1}`}`,
  }));
  return { differences, words: `${notes.length} line(s) of evidence, the plan first` };
}

function frozen({ planHash }: CampaignFound, { notes }: Chain): readonly Difference[] {
  const lines = notes.flatMap(({ note, line }) => (note.kind === "plan" ? [{ line, hash: note.hash }] : []));
  const [first, ...more] = lines;
  if (first === undefined) {
    const expected = "a line with the hash of plan.json";
    return [{ place: "evidence.jsonl", expected, came: "none: the plan was never bound" }];
  }
  const again = more.filter(({ hash }) => hash !== first.hash);
  return [
    ...(first.hash === planHash
      ? []
      : [
          {
            place: "plan.json",
            expected: `${short(first.hash)}, as frozen in line ${first.line} of evidence.jsonl`,
            came: `${short(planHash)}: it was changed after freezing`,
          },
        ]),
    ...again.map(({ line, hash }) => ({
      place: placeOf(line),
      expected: `one plan, ${short(first.hash)} of line ${first.line}`,
      came: `another, ${short(hash)}`,
    })),
  ];
}

function replanned(
  planned: readonly PlannedTrial[],
  again: readonly PlannedTrial[] | null,
): readonly Difference[] {
  const place = "plan.json: trials";
  if (again === null) {
    const expected = "as many as arms × trials × models × benchmarks of its inputs";
    return [{ place, expected, came: String(planned.length) }];
  }
  const at = again.findIndex((one, index) => canonicalJson(one) !== canonicalJson(planned[index] ?? null));
  const expected = again[at];
  if (expected === undefined) return [];
  const came = planned[at];
  return [
    {
      place: `${place}[${at}]`,
      expected: `${trialName(expected)} with key ${short(expected.key)}`,
      came: came === undefined ? "nothing" : `${trialName(came)} with key ${short(came.key)}`,
    },
  ];
}
