import { type Plan, planSchema } from "../artefacts/plan.ts";
import { type PlannedTrial, plannedTrialSchema } from "../artefacts/trial.ts";
import { readArtefactIfThere } from "./artefact.ts";
import { planPieces } from "./plan-pieces.ts";

/**
 * A frozen plan, or null when there is no file. As `readArtefact` reads it, but one trial at a time where it lies as it
 * was written, and with what all trials name (skills, benchmarks, models) once: a plan may name a hundred
 * thousand trials, and text, parsed text and copy of them together are a large part of what a process may hold.
 */
export async function readPlanFile(path: string, remedy: string): Promise<Plan | null> {
  return (await readByTrial(path)) ?? readArtefactIfThere(path, planSchema, remedy);
}

/** Null when it is laid out in another way, or when something in it does not fit: then it is read as any artefact. */
async function readByTrial(path: string): Promise<Plan | null> {
  const trials: PlannedTrial[] = [];
  const rest: string[] = [];
  const once = keepOnce();
  for await (const { kind, text } of planPieces(path)) {
    if (kind === "odd") return null;
    if (kind === "rest") rest.push(text);
    else if (kind === "list") rest.push('"trials": []');
    else {
      const read = plannedTrialSchema.safeParse(parsed(text));
      if (!read.success) return null;
      trials.push(once(read.data));
    }
  }
  const others = planSchema.safeParse(parsed(rest.join("\n")));
  return others.success ? { ...others.data, trials } : null;
}

/** Undefined, which no schema takes, for what is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * The names in a trial, those of earlier ones where they are equal. Written out: an object that grows member by member,
 * as a parser makes it, takes twice the memory.
 */
function keepOnce(): (planned: PlannedTrial) => PlannedTrial {
  const names = new Map<string, string>();
  const once = (name: string): string => {
    const first = names.get(name) ?? name;
    names.set(name, first);
    return first;
  };
  return ({ skill, benchmark, model, arm, n, block, seed, key }) => ({
    skill: once(skill),
    benchmark: once(benchmark),
    model: once(model),
    arm: once(arm),
    n,
    block,
    seed,
    key,
  });
}
