import type { Bundle } from "../artefacts/bundle.ts";
import type { Cheat } from "../artefacts/cheat.ts";
import type { CheckRecord, GateRecord, GateSettings } from "../artefacts/gate.ts";
import type { Grading } from "../artefacts/grading.ts";
import type { Regression } from "../artefacts/honesty.ts";
import type { FileTree, Packing } from "../artefacts/tree.ts";
import type { Conditions } from "../sandbox/port.ts";

/**
 * What a check found. `words` tell the bundle's author what to do, or what was seen when it passed. `facts` go into the
 * gate record itself.
 */
export type Finding = Omit<CheckRecord, "check" | "warnings"> & {
  readonly warnings?: readonly string[];
  readonly facts?: Partial<Pick<GateRecord, "killRate" | "leaks">>;
};

/** A workspace that a container left, as a tar; may be opened more than once. */
export type Archive = () => AsyncIterable<Uint8Array>;

export type GradeOptions = {
  readonly conditions?: Conditions;
  /** Processes that keep the cores busy beside the grader. */
  readonly load?: number;
  readonly packing?: Packing;
  /** Shorter than the campaign's `gate.graderSeconds`, which is the most. */
  readonly timeoutMs?: number;
  /** False leaves a grader's questions unasked: `outcome.kind` is "asks" and `answers` is empty. Default true. */
  readonly askJudges?: boolean;
};

/** What an author wrote the bundle from. Null where it is not at hand, and then nothing is compared with it. */
export type GateContext = {
  /** Texts of the cluster's sections. */
  readonly sections: readonly { readonly file: string; readonly text: string }[] | null;
  /** Every text file of the skill. */
  readonly skill: FileTree | null;
};

export type CheckTools = {
  /** Grades a workspace with the bundle's grader, in a fresh container. Any number may be asked for at once. */
  readonly grade: (workspace: FileTree | Archive, options?: GradeOptions) => Promise<Grading>;
  /** The grading of the reference that the first check asked for; later ones get the same. */
  readonly gradeReferenceOnce: () => Promise<Grading>;
  /**
   * Carries a script out as an agent would, in a fresh agent's container that has `workspace` in /workspace and `files`
   * by their absolute paths, and gives what it leaves.
   */
  readonly actAsAgent: (request: {
    readonly workspace: FileTree;
    readonly files: Readonly<Record<string, string>>;
    readonly script: string;
  }) => Promise<Archive>;
  /** How the bundle's command for existing tests ends on a workspace; absent where it has none. */
  readonly runExistingTests?: (workspace: FileTree) => Promise<Regression>;
  /** What was graded so far in this gate, in the order of asking. */
  readonly seen: readonly Grading[];
  readonly settings: GateSettings;
  readonly context: GateContext;
  readonly cheats: readonly Cheat[];
};

/** One thing a bundle has to prove. Throws only for infrastructure. */
export type Check = {
  readonly name: string;
  /** Names of checks without whose success this one says nothing. */
  readonly needs?: readonly string[];
  readonly prove: (bundle: Bundle, tools: CheckTools) => Promise<Finding>;
};
