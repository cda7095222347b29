import type { Bundle } from "../../artefacts/bundle.ts";
import { type Claims, claimsPath } from "../../artefacts/claims.ts";
import type { Grading } from "../../artefacts/grading.ts";
import {
  assertionFaults,
  questionFaults,
  sentencesOf,
  unlistedAssertions,
  unlistedWords,
} from "../claims.ts";
import type { Check, CheckTools, Finding } from "../check.ts";
import { shorten } from "../shorten.ts";

const faultsSaid = 20;
const listSaid = 3000;

/** Every assertion and every question rests on a sentence of the task, as the author says and the grading shows. */
export const claims: Check = {
  name: "claims",
  needs: ["reference-passes"],
  prove: async (bundle, tools) => {
    const reference = await tools.gradeReferenceOnce();
    return bundle.claims === null
      ? nothingTraced(bundle, reference)
      : traced(bundle, bundle.claims, { reference, seen: tools.seen });
  },
};

type Gradings = { readonly reference: Grading; readonly seen: CheckTools["seen"] };

function traced({ task }: Bundle, listed: Claims, { reference, seen }: Gradings): Finding {
  const assertions = assertionFaults(listed, reference);
  const inReference = new Set(reference.outcome.assertions.map(({ assertion }) => assertion));
  const faults = [
    ...sentenceFaults(listed, task),
    ...assertions,
    ...unlistedAssertions(listed, seen)
      .filter((assertion) => !inReference.has(assertion))
      .map(unlistedWords),
    ...questionFaults(listed, [reference, ...seen]),
  ];
  const counts = { assertions: listed.claims.length, questions: listed.questions.length };
  return {
    passed: faults.length === 0,
    words: faults.length === 0 ? passedWords(counts) : refusedWords(faults),
    evidence: { ...counts, faults },
  };
}

function sentenceFaults({ claims, questions, refusals }: Claims, task: string): readonly string[] {
  const faultOf = sentencesOf(task);
  const at = (list: string, entries: readonly { readonly sentence: string }[]): readonly string[] =>
    entries.flatMap(({ sentence }, index) => {
      const fault = faultOf(sentence);
      return fault === null ? [] : [`${list}.${index}.sentence: ${fault}`];
    });
  return [...at("claims", claims), ...at("questions", questions), ...at("refusals", refusals)];
}

function passedWords({
  assertions,
  questions,
}: {
  readonly assertions: number;
  readonly questions: number;
}): string {
  const asked = questions === 0 ? "" : ` and questions (${questions})`;
  return `All assertions (${assertions})${asked} rest on sentences of task.md.`;
}

function refusedWords(faults: readonly string[]): string {
  const more = faults.length > faultsSaid ? [`… and ${faults.length - faultsSaid} more.`] : [];
  return [
    `${claimsPath} does not say for each thing the grader checks which sentence of task.md it rests on.`,
    ...faults.slice(0, faultsSaid).map((fault) => `- ${fault}`),
    ...more,
  ].join("\n");
}

function nothingTraced({ spec }: Bundle, { outcome }: Grading): Finding {
  const form = {
    claims: [{ assertion: "words as on descriptor 3", sentence: "a sentence as it stands in task.md" }],
    ...(spec.judged ? { questions: [{ id: "the question's id", sentence: "a sentence of task.md" }] } : {}),
  };
  const written = outcome.assertions.map(({ assertion }) => `- ${assertion}`).join("\n");
  const asked =
    outcome.kind === "asks" ? outcome.questions.map(({ id }) => `\n- question ${id}`).join("") : "";
  return {
    passed: false,
    words: `${claimsPath}: missing. It names for every assertion of the grader${spec.judged ? " and every question for the judges" : ""} the sentence of task.md it rests on:\n${JSON.stringify(form)}\nTo be listed:\n${shorten(written + asked, listSaid)}`,
    evidence: { assertions: 0, questions: 0, faults: [`${claimsPath}: missing`] },
  };
}
