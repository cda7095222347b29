import type { Grading } from "../artefacts/grading.ts";
import type { FileTree } from "../artefacts/tree.ts";
import type { CheckTools, GradeOptions } from "../gate/check.ts";
import { defaultGateSettings } from "../gate/run-gate.ts";

/** A grader that does as told by workspace and options. */
export type Told = (workspace: FileTree, options: GradeOptions) => Grading;

/** What a check gets from the gate, with a told grader and no agent; `reference` is the reference's grading. */
export function toldTools(
  grade: Told,
  reference: Grading,
  over: Partial<Pick<CheckTools, "seen" | "settings" | "context" | "cheats">> = {},
): CheckTools {
  return {
    grade: (workspace, options = {}) => {
      if (typeof workspace === "function") return Promise.reject(new Error("no archive was expected"));
      return Promise.resolve(grade(workspace, options));
    },
    gradeReferenceOnce: () => Promise.resolve(reference),
    actAsAgent: () => Promise.reject(new Error("no agent was expected")),
    seen: [reference],
    settings: defaultGateSettings,
    context: { sections: null, skill: null },
    cheats: [],
    ...over,
  };
}
