import { expect, test } from "vitest";
import type { Bundle } from "../../artefacts/bundle.ts";
import type { Regression } from "../../artefacts/honesty.ts";
import type { FileTree } from "../../artefacts/tree.ts";
import { answerBundle } from "../../testing/benchmark.ts";
import { toldTools } from "../../testing/check-tools.ts";
import { gradingOf } from "../../testing/gradings.ts";
import type { Finding } from "../check.ts";
import { referencePasses } from "./reference-passes.ts";

const plain = answerBundle();
const tested: Bundle = { ...plain, spec: { ...plain.spec, regression: "make test" } };
const passes = gradingOf(0, ["the answer is right"]);
const fails = gradingOf(1, ["!the answer is right"]);

/** What the check finds, and the paths of the workspaces on which the existing tests were tried. */
async function prove(
  bundle: Bundle,
  ends: { readonly fixtures: Regression; readonly reference: Regression },
  grading = passes,
): Promise<{ readonly finding: Finding; readonly tried: readonly string[][] }> {
  const tried: string[][] = [];
  const runExistingTests = (workspace: FileTree): Promise<Regression> => {
    const paths = workspace.map(({ path }) => path);
    tried.push(paths);
    return Promise.resolve(paths.includes("answer.txt") ? ends.reference : ends.fixtures);
  };
  const tools = { ...toldTools(() => grading, grading), runExistingTests };
  return { finding: await referencePasses.prove(bundle, tools), tried };
}

test.each<[Regression, Regression, readonly string[]]>([
  ["passed", "passed", []],
  ["failed", "passed", ["on the untouched fixtures (failed)."]],
  ["passed", "timeout", ["on the reference (timeout)."]],
  ["lost", "failed", ["on the untouched fixtures (lost) and on the reference (failed)."]],
])("existing tests that end %s before the task and %s after it", async (fixtures, reference, words) => {
  const { finding, tried } = await prove(tested, { fixtures, reference });
  expect(tried).toEqual([["notes.txt"], ["answer.txt", "notes.txt"]]);
  expect(finding).toMatchObject({
    passed: words.length === 0,
    evidence: { existingTests: { fixtures, reference } },
  });
  for (const some of words) expect(finding.words).toContain(some);
});

test("a bundle without a command leaves no trace of it, and a reference that fails is told first", async () => {
  const without = await prove(plain, { fixtures: "failed", reference: "failed" });
  expect(without.tried).toEqual([]);
  expect(without.finding).toMatchObject({ passed: true, words: "The reference passes." });
  expect(JSON.stringify(without.finding)).not.toContain("existingTests");
  const failed = await prove(tested, { fixtures: "failed", reference: "failed" }, fails);
  expect(failed.tried).toEqual([]);
  expect(failed.finding.words).toContain("The reference does not pass.");
});
