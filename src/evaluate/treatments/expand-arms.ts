import { type ArmSpec, armId, type ResolvedArm, slugOf } from "../../artefacts/arm.ts";
import { UserError } from "../../errors.ts";
import { partsToAblate, type SkillParts } from "./ablation.ts";
import type { Deliverable } from "./deliverable.ts";

/**
 * The arms of one skill: where the YAML says every-section or every-cluster, one ablation each in the order of the
 * document, all else as it is. A part that is ablated by an arm of its own as well is left out of the many. Throws
 * `UserError` when there is nothing to leave out.
 */
export function expandArms(
  specs: readonly ArmSpec[],
  skill: Deliverable,
  parts: SkillParts,
): readonly ResolvedArm[] {
  const own = new Set(
    specs.flatMap(({ label, treatment }) =>
      treatment.kind === "ablation" ? [armId(treatment.of, label)] : [],
    ),
  );
  const taken = new Set(specs.map(({ id }) => id.toLowerCase()));
  return specs.flatMap(({ id, label, treatment }): readonly ResolvedArm[] => {
    if (treatment.kind !== "ablations") return [{ id, label, treatment }];
    const names = partsToAblate(skill, treatment.each, parts);
    if (names.length === 0) {
      throw new UserError(
        `${skill.name}: SKILL.md has no ${treatment.each} that can be left out and something stays. Leave out the arm ` +
          `ablation: every-${treatment.each}.`,
      );
    }
    const base = label === null ? id : id.slice(0, -label.length - 1);
    return names
      .filter((name) => !own.has(armId(name, label)))
      .map((of) => ({
        id: freeId(`${base}-${slugOf(of)}`, label, taken),
        label,
        treatment: { kind: "ablation", of },
      }));
  });
}

/** Titles that differ only in signs give the same slug. */
function freeId(name: string, label: string | null, taken: Set<string>): string {
  for (let nth = 1; ; nth++) {
    const id = armId(nth === 1 ? name : `${name}-${nth}`, label);
    if (taken.has(id.toLowerCase())) continue;
    taken.add(id.toLowerCase());
    return id;
  }
}
