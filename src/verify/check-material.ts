import type { CampaignFound, MaterialFound } from "./found.ts";
import type { Difference } from "../artefacts/verification.ts";
import { type Look, short } from "./look.ts";

type Held = { readonly name: string; readonly expected: string; readonly found: MaterialFound };

/** The skills that were delivered are the folders at hand. */
export function checkSkills({ plan, skills }: CampaignFound): Look {
  const planned = new Map(plan.inputs.skills.map(({ id, treeHash }) => [id, treeHash]));
  const held = skills.map(({ id, found }) => ({ name: id, expected: planned.get(id) ?? "", found }));
  return compare(held, "skill(s)");
}

/** So are the benchmarks, every file of theirs. */
export function checkBenchmarks({ plan, benchmarks }: CampaignFound): Look {
  const planned = new Map(
    plan.inputs.skills.flatMap((skill) =>
      skill.benchmarks.map(({ id, bundleHash }): [string, string] => [`${skill.id}/${id}`, bundleHash]),
    ),
  );
  const held = benchmarks.map(({ skill, benchmark, found }) => {
    const name = `${skill}/${benchmark}`;
    return { name, expected: planned.get(name) ?? "", found };
  });
  return compare(held, "benchmark(s)");
}

function compare(held: readonly Held[], what: string): Look {
  const differences = held.flatMap(({ expected, found }): readonly Difference[] => {
    switch (found.kind) {
      case "absent":
        return [];
      case "unreadable":
        return [
          {
            place: found.place,
            expected: `the files that were planned, ${short(expected)}`,
            came: found.words,
          },
        ];
      case "there": {
        if (found.hash === expected) return [];
        const came = `${short(found.hash)}: a file in it was changed. Bring it back from git`;
        return [{ place: found.place, expected: `${short(expected)}, as planned`, came }];
      }
    }
  });
  const absent = held.filter(({ found }) => found.kind === "absent").map(({ name }) => name);
  const compared = `${held.length - absent.length} of ${held.length} ${what} against the plan`;
  const words = absent.length === 0 ? compared : `${compared}; not at hand: ${absent.join(", ")}`;
  return { differences, words, partial: absent.length > 0 };
}
