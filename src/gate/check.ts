import type { Bundle } from "../artefacts/bundle.ts";
import type { CheckRecord } from "../artefacts/gate.ts";
import type { Grading } from "../artefacts/grading.ts";
import type { FileTree } from "../artefacts/tree.ts";

/** What a check found. `words` tell the bundle's author what to do, or what was seen when it passed. */
export type Finding = Omit<CheckRecord, "check">;

export type CheckTools = {
  /** Grades a workspace with the bundle's grader, in a fresh container. */
  readonly grade: (workspace: FileTree) => Promise<Grading>;
  /** The grading of the reference that the first check asked for; later ones get the same. */
  readonly gradeReferenceOnce: () => Promise<Grading>;
};

/** One thing a bundle has to prove. Throws only for infrastructure. */
export type Check = {
  readonly name: string;
  readonly prove: (bundle: Bundle, tools: CheckTools) => Promise<Finding>;
};
