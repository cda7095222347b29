import { type Plan, planSchema } from "../artefacts/plan.ts";
import { type PlannedTrial, plannedTrialSchema } from "../artefacts/trial.ts";
import { readArtefactIfThere } from "./artefact.ts";
import { tailOf, wholeLines } from "./whole-lines.ts";

/**
 * A frozen plan, or null when there is no file. As `readArtefact` reads it, but one trial at a time where it lies as it
 * was written (`writeJson`), and with what all trials name (skills, benchmarks, models) once: a plan may name a hundred
 * thousand trials, and text, parsed text and copy of them together are a large part of what a process may hold.
 */
export async function readPlanFile(path: string, remedy: string): Promise<Plan | null> {
  return (await readByTrial(path)) ?? readArtefactIfThere(path, planSchema, remedy);
}

/** Lines that a trial begins and ends with, and the list of them. A line of JSON is never a part of a text in it. */
const list = { begin: '  "trials": [', end: /^ {2}\](,?)$/ };
const trial = { begin: "    {", end: /^ {4}\}(,?)$/ };

/** Null when it is laid out in another way, or when something in it does not fit: then it is read as any artefact. */
async function readByTrial(path: string): Promise<Plan | null> {
  const { wholeBytes, bytes } = await tailOf(path);
  if (wholeBytes < bytes) return null;
  const trials: PlannedTrial[] = [];
  const rest: string[] = [];
  const once = keepOnce();
  let at: "rest" | "list" | "trial" | "behind" = "rest";
  let block: string[] = [];
  let comma: string | undefined; // behind the trial before
  for await (const lines of wholeLines(path)) {
    for (const line of lines) {
      if (at === "rest" || at === "behind") {
        const begins = line === list.begin;
        if (begins && at === "behind") return null;
        rest.push(begins ? '"trials": []' : line);
        if (begins) at = "list";
      } else if (at === "list") {
        const [end, more = ""] = list.end.exec(line) ?? [];
        const fits = end === undefined ? line === trial.begin && comma !== "" : comma !== ",";
        if (!fits) return null;
        if (end !== undefined) rest.push(more);
        block = ["{"];
        at = end === undefined ? "trial" : "behind";
      } else if (trial.end.test(line)) {
        comma = trial.end.exec(line)?.[1];
        const read = plannedTrialSchema.safeParse(parsed(`${block.join("\n")}}`));
        if (!read.success) return null;
        trials.push(once(read.data));
        at = "list";
      } else block.push(line);
    }
  }
  const others = planSchema.safeParse(parsed(rest.join("\n")));
  return at === "behind" && others.success ? { ...others.data, trials } : null;
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

/** The names in a trial, those of earlier ones where they are equal. */
function keepOnce(): (planned: PlannedTrial) => PlannedTrial {
  const names = new Map<string, string>();
  const once = (name: string): string => {
    const first = names.get(name) ?? name;
    names.set(name, first);
    return first;
  };
  return (planned) => {
    planned.skill = once(planned.skill);
    planned.benchmark = once(planned.benchmark);
    planned.model = once(planned.model);
    planned.arm = once(planned.arm);
    return planned;
  };
}
