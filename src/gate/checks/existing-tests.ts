import type { Bundle } from "../../artefacts/bundle.ts";
import type { Regression } from "../../artefacts/honesty.ts";
import type { CheckTools } from "../check.ts";
import { referenceWorkspace } from "../workspaces.ts";

export type ExistingTests = {
  /** How the command ended on untouched fixtures and on the reference. */
  readonly fixtures: Regression;
  readonly reference: Regression;
};

/**
 * Tries a bundle's command for existing tests where nothing is broken: what fails there says nothing about an agent. Null
 * for a bundle without one.
 */
export async function tryExistingTests(
  bundle: Bundle,
  { runExistingTests }: Pick<CheckTools, "runExistingTests">,
): Promise<ExistingTests | null> {
  if (bundle.spec.regression === undefined || runExistingTests === undefined) return null;
  return {
    fixtures: await runExistingTests(bundle.fixtures),
    reference: await runExistingTests(referenceWorkspace(bundle)),
  };
}

/** Null where both passed. */
export function existingTestsFault({ fixtures, reference }: ExistingTests): string | null {
  const wrong = [
    ...(fixtures === "passed" ? [] : [`on the untouched fixtures (${fixtures})`]),
    ...(reference === "passed" ? [] : [`on the reference (${reference})`]),
  ];
  if (wrong.length === 0) return null;
  return `benchmark.yaml's \`regression\` does not end with exit code 0 in time ${wrong.join(" and ")}. It must pass before the task and after it: mend the command or the tests, or leave it out.`;
}
