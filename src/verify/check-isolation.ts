import type { Canary } from "../artefacts/canary.ts";
import { markOf } from "../artefacts/evidence.ts";
import { trialName } from "../artefacts/trial.ts";
import { type CampaignFound, valueOf } from "./found.ts";
import type { Difference } from "../artefacts/verification.ts";
import { type Look, short } from "./look.ts";
import type { Check } from "./observer.ts";

/** Before its first trial every arm of every skill had a canary, whose probes all passed. */
export const checkIsolation: Check = (found) => {
  const arms = new Map<string, ArmWithTrials>();
  return {
    see: ({ planned, trial }) => {
      if (trial.kind === "absent") return;
      const { skill, arm } = planned;
      const key = `${skill}/${arm}`;
      const line = found.chain.lineOf("trial", trialName(planned)) || Infinity;
      arms.set(key, { skill, arm, firstLine: Math.min(line, arms.get(key)?.firstLine ?? Infinity) });
    },
    look: () => probed(found, arms),
  };
};

/** With the line in which its first trial was finished. */
type ArmWithTrials = { readonly skill: string; readonly arm: string; readonly firstLine: number };

function probed(found: CampaignFound, arms: ReadonlyMap<string, ArmWithTrials>): Look {
  const canaries = found.canaries.flatMap(({ name, canary }) => {
    const value = valueOf(canary);
    return value === null ? [] : [{ name, canary: value }];
  });
  const differences = [
    ...canaries.flatMap(({ name, canary }) => asProbed(`canaries/${name}.json`, canary, found)),
    ...[...arms].flatMap(([key, { skill, arm, firstLine }]): readonly Difference[] => {
      const own = canaries.filter(({ canary }) => canary.skill === skill && canary.arm === arm);
      const before = own.filter(({ name, canary }) => {
        const line = found.chain.latest.get(markOf({ kind: "canary", canary: name }))?.line ?? Infinity;
        return canary.passed && line < firstLine;
      });
      if (before.length > 0) return [];
      const expected = "a canary that passed, before the first trial of the arm";
      return [{ place: `canaries/${key}`, expected, came: `${own.length} canaries, none of them such` }];
    }),
  ];
  const probes = canaries.reduce((sum, { canary }) => sum + canary.probes.length, 0);
  return {
    differences,
    words: `${probes} probes of ${canaries.length} canaries for ${arms.size} arm(s) of skills with trials`,
  };
}

/** It was opened with what was planned, and `passed` says what its probes say. */
function asProbed(place: string, canary: Canary, { plan }: CampaignFound): readonly Difference[] {
  const skill = plan.inputs.skills.find(({ id }) => id === canary.skill);
  const bundle = skill?.benchmarks.find(({ id }) => id === canary.benchmark)?.bundleHash ?? null;
  const delivered = skill?.arms.find(({ id }) => id === canary.arm)?.delivered ?? null;
  const failed = canary.probes.filter(({ passed }) => !passed).map(({ probe }) => probe);
  const passed = failed.length === 0 && canary.probes.length > 0;
  const rows: readonly Difference[] = [
    { place: `${place}: bundleHash`, expected: short(bundle), came: short(canary.bundleHash) },
    { place: `${place}: treeHash`, expected: short(skill?.treeHash ?? null), came: short(canary.treeHash) },
    { place: `${place}: delivered`, expected: short(delivered), came: short(canary.delivered) },
    {
      place: `${place}: passed (${canary.probes.length} probes, not passed: ${failed.join(", ") || "none"})`,
      expected: String(passed),
      came: String(canary.passed),
    },
  ];
  return rows.filter(({ expected, came }) => expected !== came);
}
