import type { FileTree } from "../../artefacts/tree.ts";
import type { Loss } from "../losses.ts";
import { printed } from "../printed.ts";
import type { EvaluationFile } from "./read-evals.ts";

type Found = {
  /** By the paths the evaluation names. */
  readonly fixtures: FileTree;
  readonly losses: readonly Loss[];
  /** None when all were found. */
  readonly reasons: readonly string[];
};

/** The files an evaluation names, from the skill's folder or from `evals/`; a folder stands for all that is in it. */
export function findFixtures(files: readonly EvaluationFile[], skill: FileTree): Found {
  const fixtures = new Map<string, FileTree[number]>();
  const losses: Loss[] = [];
  const reasons: string[] = [];
  for (const { path, content } of files) {
    const plain = path.replace(/^(\.\/)+/, "").replace(/\/+$/, "");
    const part = `files ${printed(path)}`;
    if (plain === "" || plain.startsWith("/") || plain.split("/").some((one) => one === ".." || one === "")) {
      reasons.push(`${part}: not a path below the skill's folder`);
      continue;
    }
    if (/^skill\.md$/i.test(plain)) {
      losses.push({ part, words: "left out: it is the skill, and both arms would have it" });
      continue;
    }
    if (content !== null) {
      const bytes = new TextEncoder().encode(content);
      fixtures.set(plain, { kind: "file", path: plain, mode: 0o644, bytes });
      continue;
    }
    const ofSkill = members(skill, plain, plain);
    const found = ofSkill.length > 0 ? ofSkill : members(skill, `evals/${plain}`, plain);
    if (found.length === 0) {
      reasons.push(`${part}: missing. It was looked for in the skill's folder and in its evals/.`);
    }
    if (ofSkill.length > 0 && !plain.startsWith("evals/")) {
      losses.push({
        part,
        words: "is a file of the skill: as a fixture, the arm without the skill has it too",
      });
    }
    for (const entry of found) fixtures.set(entry.path, entry);
  }
  if (fixtures.has("answer.md")) reasons.push("files answer.md: this name is needed for the answer");
  return { fixtures: [...fixtures.values()], losses, reasons };
}

/** The file at `from`, or everything below the folder there, named as if it lay at `as`. */
function members(tree: FileTree, from: string, as: string): FileTree {
  return tree
    .filter(({ path }) => path === from || path.startsWith(`${from}/`))
    .map((entry) => ({ ...entry, path: `${as}${entry.path.slice(from.length)}` }));
}
