import { markOf } from "../artefacts/evidence.ts";
import { type PlannedTrial, plannedTrialSchema, trialName } from "../artefacts/trial.ts";
import { hashJson } from "../hash.ts";
import { placeOf } from "./chain.ts";
import type { CampaignFound } from "./found.ts";
import type { Difference } from "../artefacts/verification.ts";
import { type Look, short } from "./look.ts";

/** plan.json is what was frozen, and all that its inputs decide follows from them. */
export function checkPlan(found: CampaignFound): Look {
  const { plan } = found;
  const inputsHash = hashJson(plan.inputs);
  const names: readonly Difference[] = [
    { place: "plan.json: inputsHash", expected: short(inputsHash), came: short(plan.inputsHash) },
    { place: "plan.json: campaign", expected: found.again.campaign, came: plan.campaign },
    { place: "the campaign's folder", expected: `the name ${found.again.campaign}`, came: found.folder },
  ].filter(({ expected, came }) => expected !== came && expected !== `the name ${came}`);
  return {
    differences: [...frozen(found), ...names, ...replanned(plan.trials, found.again.trials)],
    words:
      `plan.json against its line of evidence; inputs ${short(inputsHash)} against the folder's name; ` +
      `${plan.trials.length} planned trials against those that the inputs give`,
  };
}

/** Nothing that trials left stands in the evidence before the plan. What else tells when, this cannot know. */
export function checkPlanFirst({ chain }: CampaignFound): Look {
  const { first, beforePlan, notes, plans } = chain;
  const words = `${notes} line(s) of evidence, the plan first`;
  if (first === null || beforePlan === 0) return { differences: [], words };
  const where = plans.length === 0 ? "without any plan" : `before the plan in line ${beforePlan + 1}`;
  const difference = {
    place: placeOf(first.line),
    expected: "the plan, before anything that was done",
    came: `${markOf(first.note)}, first of ${beforePlan} line(s) ${where}`,
  };
  return { differences: [difference], words };
}

function frozen({ planHash, chain }: CampaignFound): readonly Difference[] {
  const [first, ...more] = chain.plans;
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
  again: Iterable<PlannedTrial> | null,
): readonly Difference[] {
  const place = "plan.json: trials";
  if (again === null) {
    const expected = "as many as arms × trials × models × benchmarks of its inputs";
    return [{ place, expected, came: String(planned.length) }];
  }
  let at = 0;
  for (const expected of again) {
    const came = planned[at];
    if (came === undefined || !isSame(expected, came)) {
      return [
        {
          place: `${place}[${at}]`,
          expected: `${trialName(expected)} with key ${short(expected.key)}`,
          came: came === undefined ? "nothing" : `${trialName(came)} with key ${short(came.key)}`,
        },
      ];
    }
    at++;
  }
  return [];
}

const members = plannedTrialSchema.keyof().options;

function isSame(one: PlannedTrial, other: PlannedTrial): boolean {
  return members.every((name) => one[name] === other[name]);
}
