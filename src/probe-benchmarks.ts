import type { ProbedBenchmark } from "./artefacts/headroom.ts";
import type { Plan } from "./artefacts/plan.ts";
import type { Report } from "./artefacts/report.ts";
import { markOf, needsTreated, tallyIn } from "./report/headroom.ts";

type Place = { readonly skill: string; readonly id: string; readonly bundleHash: string };

/** Benchmarks, as `skill/id`, on which no graded baseline trial passed: only trials with the skill can say more. */
export function tryWithSkill({ cells }: Report, plan: Plan): readonly string[] {
  return placesOf(plan)
    .filter((place) => needsTreated(tallyIn(cells, place, "without_skill")))
    .map(({ skill, id }) => `${skill}/${id}`);
}

/** What a probe found, by the rule that its plan froze. `treated` is null when no trial with the skill was needed. */
export function headroomOf(
  baseline: { readonly report: Report; readonly plan: Plan },
  treated: Report | null,
  campaigns: readonly string[],
): readonly (ProbedBenchmark & { readonly skill: string })[] {
  const { plan, report } = baseline;
  return placesOf(plan).map((place) => {
    const without = tallyIn(report.cells, place, "without_skill");
    const tried = treated?.cells.some((cell) => cell.skill === place.skill && cell.benchmark === place.id);
    const withSkill = treated !== null && tried === true ? tallyIn(treated.cells, place, "with_skill") : null;
    return {
      skill: place.skill,
      benchmark: place.id,
      bundleHash: place.bundleHash,
      mark: markOf(without, withSkill),
      models: plan.inputs.models,
      baseline: without,
      treated: withSkill,
      campaigns: [...campaigns],
    };
  });
}

function placesOf({ inputs }: Plan): readonly Place[] {
  return inputs.skills.flatMap(({ id: skill, benchmarks }) =>
    benchmarks.map(({ id, bundleHash }) => ({ skill, id, bundleHash })),
  );
}
