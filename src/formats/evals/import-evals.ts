import { dump } from "js-yaml";
import { type Claims, claimsPath } from "../../artefacts/claims.ts";
import { type FileTree, sortedTree, type TreeEntry } from "../../artefacts/tree.ts";
import { sha256 } from "../../hash.ts";
import { evalsPaths } from "../find-format.ts";
import type { Imported, Loss } from "../losses.ts";
import { printed } from "../printed.ts";
import { closestSentence, sentencesOf } from "../sentences.ts";
import { findFixtures } from "./find-fixtures.ts";
import { answerAssertion, evaluationProgram, type Questions, questionsFile } from "./grade-program.ts";
import { type Evaluation, readEvals } from "./read-evals.ts";

/** Of a panel, for one trial. */
const mostQuestions = 20;
/** Of a prompt inside each question. */
const mostPromptCharacters = 6000;
const deliverySentence = "Write your answer to `answer.md`; put files you make beside it.";

/**
 * Each evaluation in a skill's `evals/evals.json` as the folder of a judged bundle, with `id` (the skill's) before its
 * own. A file that cannot be read as a whole is one refusal.
 */
export function importEvals(id: string, tree: FileTree): readonly Imported[] {
  const file = tree.find((entry) => evalsPaths.some((path) => path === entry.path));
  if (file?.kind !== "file")
    return [{ kind: "refused", id, reasons: [`${evalsPaths[0]}: missing, or no plain file`] }];
  const read = readEvals(file.bytes, file.path);
  if ("reasons" in read) return [{ kind: "refused", id, reasons: read.reasons }];
  const ids = new Set<string>();
  return read.evals.map((evaluation) => {
    const own = uniqueId(`${id}-${slug(evaluation.id)}`, ids);
    if ("reasons" in evaluation) return { kind: "refused", id: own, reasons: evaluation.reasons };
    return importEvaluation(own, evaluation, tree);
  });
}

function importEvaluation(id: string, evaluation: Evaluation, tree: FileTree): Imported {
  const found = findFixtures(evaluation.files, tree);
  if (found.reasons.length > 0) return { kind: "refused", id, reasons: found.reasons };
  const { fixtures } = found;
  const task = taskFor(evaluation.prompt, fixtures);
  const asked = evaluation.expectations.slice(0, mostQuestions);
  const questions: Questions = {
    questions: asked.map((words, at) => ({
      id: `e${at + 1}`,
      question: questionFor(evaluation.prompt, words),
    })),
    fixtures: Object.fromEntries(
      fixtures.flatMap((entry) => (entry.kind === "file" ? [[entry.path, sha256(entry.bytes)]] : [])),
    ),
  };
  const spec = { title: titleOf(evaluation), outputs: ["answer.md", "**"], judged: true };
  const bundle: FileTree = [
    text("benchmark.yaml", dump(spec, { lineWidth: -1 })),
    text("task.md", task),
    ...fixtures.map((entry) => ({ ...entry, path: `fixtures/${entry.path}` })),
    text("reference/answer.md", `${evaluation.expectedOutput.trim()}\n`),
    text("grader/grade", evaluationProgram, 0o755),
    text(`grader/${questionsFile}`, `${JSON.stringify(questions, null, 2)}\n`),
    text(claimsPath, `${JSON.stringify(claimsFor(task, evaluation.prompt, asked), null, 2)}\n`),
  ];
  const losses = [...evaluation.losses, ...found.losses, ...usualLosses(evaluation)];
  return { kind: "imported", id, tree: sortedTree(bundle), losses };
}

function taskFor(prompt: string, fixtures: FileTree): string {
  const names = fixtures.map(({ path }) => `\`${path}\``).join(", ");
  const paragraphs = [
    prompt.trim(),
    ...(names === "" ? [] : [`The files that belong to this are ${names}.`]),
    deliverySentence,
  ];
  return `${paragraphs.join("\n\n")}\n`;
}

function questionFor(prompt: string, expectation: string): string {
  const shown = beginning(prompt.trim(), mostPromptCharacters, " […]");
  return `This was asked for:\n\n${shown}\n\nThe files are everything that was delivered. Does the following hold for them?\n\n${expectation}`;
}

function claimsFor(task: string, prompt: string, asked: readonly string[]): Claims {
  const ofPrompt = sentencesOf(prompt);
  const sentences = ofPrompt.length > 0 ? ofPrompt : sentencesOf(task);
  return {
    claims: [{ assertion: answerAssertion, sentence: deliverySentence }],
    questions: asked.map((words, at) => ({
      id: `e${at + 1}`,
      sentence: closestSentence(sentences, words) ?? deliverySentence,
    })),
    survivors: [],
    refusals: [],
  };
}

function usualLosses({ prompt, expectations }: Evaluation): readonly Loss[] {
  const losses: Loss[] = [
    {
      part: "prompt",
      words:
        "what an agent says at the end is not graded here, only what it leaves in its workspace; so the task asks for answer.md in one sentence more",
    },
    {
      part: "expected_output",
      words:
        "became reference/answer.md, although it describes a good answer rather than being one. Where the judges do not take it for one, the gate refuses the bundle: write a real answer there",
    },
    {
      part: "expectations",
      words:
        "became questions for the judges, who see answer.md and at most nine files that were made or changed. What says how the agent went about it cannot be seen in files, and gets a no",
    },
    {
      part: "grader/claims.json",
      words:
        "an evaluation traces nothing. Each question is traced to the sentence of the prompt that shares most words with it: read them through",
    },
  ];
  if (expectations.length > mostQuestions) {
    const left = expectations.slice(mostQuestions);
    losses.push({
      part: "expectations",
      words: `the last ${left.length} of ${expectations.length} are left out, because at most ${mostQuestions} questions are asked: ${left.map(printed).join("; ")}`,
    });
  }
  if (prompt.trim().length > mostPromptCharacters) {
    losses.push({ part: "prompt", words: `judges see its first ${mostPromptCharacters} characters` });
  }
  return losses;
}

function titleOf({ name, prompt }: Evaluation): string {
  if (name !== null) return name;
  return beginning(prompt.trim().split(/\s*\n/)[0] ?? "", 80, "…");
}

/** Never ends inside a character. */
function beginning(words: string, most: number, mark: string): string {
  return words.length > most ? `${words.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")}${mark}` : words;
}

function slug(words: string): string {
  const plain = words
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return plain === "" ? "eval" : plain.slice(0, 60);
}

function uniqueId(wanted: string, taken: Set<string>): string {
  let id = wanted;
  for (let number = 2; taken.has(id); number++) id = `${wanted}-${number}`;
  taken.add(id);
  return id;
}

function text(path: string, content: string, mode = 0o644): TreeEntry {
  return { kind: "file", path, mode, bytes: new TextEncoder().encode(content) };
}
