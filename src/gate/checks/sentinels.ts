import type { Bundle, Sentinels } from "../../artefacts/bundle.ts";
import type { Grading } from "../../artefacts/grading.ts";
import { type FileTree, overlay } from "../../artefacts/tree.ts";
import type { Check, CheckTools, Finding } from "../check.ts";
import { describeGrading, gradingEvidence } from "../describe-grading.ts";
import { standingOf } from "../judged.ts";
import { shorten } from "../shorten.ts";

const gradingSaid = 4000;

/** The work that judges are tried on before a campaign must be what the author says it is. */
export const sentinels: Check = {
  name: "sentinels",
  needs: ["reference-passes"],
  prove: async (bundle, tools) => {
    if (!bundle.spec.judged)
      return {
        passed: true,
        words: "The grader asks no judges, so there is nothing to try them on.",
        evidence: null,
      };
    if (bundle.sentinels === null) {
      return {
        passed: true,
        words: "No sentinels were delivered.",
        warnings: [
          "No sentinels were delivered, so a judge that cannot tell good work from bad has a vote here. Deliver sentinels/good and sentinels/bad.",
        ],
        evidence: null,
      };
    }
    return tryBoth(bundle, bundle.sentinels, tools);
  },
};

async function tryBoth(bundle: Bundle, { good, bad }: Sentinels, { grade }: CheckTools): Promise<Finding> {
  const on = (files: FileTree): Promise<Grading> =>
    grade(overlay(bundle.fixtures, files, bundle.spec.removes));
  const [onGood, onBad] = await Promise.all([on(good), on(bad)]);
  const faults = [...faultOf("good", onGood), ...faultOf("bad", onBad)];
  return {
    passed: faults.length === 0,
    words: faults.length === 0 ? "The judges tell sentinels/good from sentinels/bad." : faults.join("\n"),
    evidence: { good: gradingEvidence(onGood), bad: gradingEvidence(onBad) },
  };
}

function faultOf(name: keyof Sentinels, grading: Grading): readonly string[] {
  const said = (words: string): readonly string[] => [
    `sentinels/${name}: ${words}\n${shorten(describeGrading(grading), gradingSaid)}`,
  ];
  switch (grading.outcome.kind) {
    case "passed":
      return said("the grader passed it without asking the judges (exit code 3), so it tries nobody.");
    case "failed":
      return said(
        "the grader failed it without asking the judges. Make it sound in everything that the grader's assertions check.",
      );
    case "error":
      return said("the grader broke its contract on it. Mend the grader, or the files.");
    case "asks": {
      const passed = standingOf(grading) === "passed";
      if (name === "good" && !passed)
        return said("the judges do not give every answer as expected. Make it clearly fulfil what is asked.");
      if (name === "bad" && passed)
        return said(
          "the judges give every answer as expected. Make it wrong in one plain thing that a question is about.",
        );
      return [];
    }
  }
}
