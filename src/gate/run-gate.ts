import type { Bundle } from "../artefacts/bundle.ts";
import { type CheckRecord, gateFormat, type GateRecord, type Provenance } from "../artefacts/gate.ts";
import type { Grading } from "../artefacts/grading.ts";
import type { FileTree } from "../artefacts/tree.ts";
import type { Answer } from "../artefacts/verdict.ts";
import type { ImageRecord } from "../sandbox/port.ts";
import type { Check, CheckTools } from "./check.ts";
import { emptyFails } from "./checks/empty-fails.ts";
import { referencePasses } from "./checks/reference-passes.ts";
import { runsAgree } from "./checks/runs-agree.ts";
import { structure } from "./checks/structure.ts";
import { untouchedFails } from "./checks/untouched-fails.ts";
import { referenceWorkspace } from "./workspaces.ts";

/** What a bundle has to prove, in this order. */
export const checks: readonly Check[] = [structure, referencePasses, untouchedFails, emptyFails, runsAgree];

export type GateTools = {
  /** Grades one workspace in a fresh container. Judges' answers met before are not asked for again. */
  readonly grade: (workspace: FileTree) => Promise<Grading>;
  readonly image: ImageRecord;
};

/**
 * Puts a bundle through the checks and stops at the first that fails, since an author mends one thing at a time;
 * that check names those that were not tried. Throws only for infrastructure: a `SandboxError`, or judges that gave
 * no decision.
 */
export async function runGate(
  bundle: Bundle,
  provenance: Provenance | null,
  tools: GateTools,
): Promise<GateRecord> {
  const gradings: Grading[] = [];
  const checkTools = gradingTools(bundle, async (workspace) => {
    const grading = await tools.grade(workspace);
    gradings.push(grading);
    return grading;
  });
  const records: CheckRecord[] = [];
  for (const [at, check] of checks.entries()) {
    const finding = await check.prove(bundle, checkTools);
    if (finding.passed) {
      records.push({ check: check.name, ...finding });
      continue;
    }
    const notTried = checks.slice(at + 1).map(({ name }) => name);
    const words =
      notTried.length === 0 ? finding.words : `${finding.words}\nNot tried yet: ${notTried.join(", ")}.`;
    records.push({ check: check.name, ...finding, words, evidence: { found: finding.evidence, notTried } });
    break;
  }
  const { id, recipe, base } = tools.image;
  return {
    format: gateFormat,
    benchmark: bundle.id,
    bundleHash: bundle.hash,
    provenance,
    image: { id, recipe, base },
    passed: records.every((record) => record.passed),
    checks: records,
    answers: answersOf(gradings),
    standInJudges: gradings.some((grading) => grading.standInJudges),
  };
}

function gradingTools(bundle: Bundle, grade: GateTools["grade"]): CheckTools {
  let first: Promise<Grading> | undefined;
  return { grade, gradeReferenceOnce: () => (first ??= grade(referenceWorkspace(bundle))) };
}

/** Decided answers, one per key, in the order they were met. */
function answersOf(gradings: readonly Grading[]): Answer[] {
  const answers = gradings.flatMap((grading) => grading.answers).filter(({ answer }) => answer !== null);
  return [...new Map(answers.map((answer) => [answer.key, answer])).values()];
}
