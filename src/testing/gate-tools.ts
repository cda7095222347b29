import type { Grading } from "../artefacts/grading.ts";
import type { FileTree } from "../artefacts/tree.ts";
import type { GradeOptions } from "../gate/check.ts";
import { defaultGateSettings, type GateTools } from "../gate/run-gate.ts";

/** Tools of a gate whose gradings are told, by workspace; an archive cannot be graded by them. */
export function gateTools(
  grade: (workspace: FileTree, options?: GradeOptions) => Grading | Promise<Grading>,
  over: Partial<GateTools> = {},
): GateTools {
  return {
    grade: (workspace, options) =>
      typeof workspace === "function"
        ? Promise.reject(new Error("told gradings know no archives"))
        : Promise.resolve(workspace).then((tree) => grade(tree, options)),
    actAsAgent: () => Promise.reject(new Error("no agent acts in this test")),
    settings: defaultGateSettings,
    context: { sections: null, skill: null },
    cheats: [],
    image: { id: "sha256:1", recipe: "r", base: "packages" },
    ...over,
  };
}
