import type { Claims } from "../artefacts/claims.ts";
import type { Grading } from "../artefacts/grading.ts";
import { shorten } from "./shorten.ts";

const fewestWords = 3;
const fewestCharacters = 12;
const quotedCharacters = 200;

/**
 * Tells of any sentence what is wrong with resting something on it, or null when it stands in `task`. White space and
 * line breaks may differ, nothing else.
 */
export function sentencesOf(task: string): (sentence: string) => string | null {
  const text = collapsed(task);
  return (sentence) => {
    const wanted = collapsed(sentence);
    if (wordsIn(wanted) < fewestWords || wanted.length < fewestCharacters) {
      return `${quoted(sentence)} is no sentence. Quote at least ${fewestWords} words and ${fewestCharacters} characters of task.md.`;
    }
    if (standsIn(wanted, text)) return null;
    return `${quoted(sentence)} does not stand in task.md. Quote a sentence of it word for word, with its Markdown marks; only white space and line breaks may differ.`;
  };
}

/** What keeps the assertions of the reference's grading from being exactly the listed ones. */
export function assertionFaults({ claims }: Claims, reference: Grading): readonly string[] {
  const listed = claims.map(({ assertion }) => assertion);
  const written = reference.outcome.assertions.map(({ assertion }) => assertion);
  return [
    ...twice(listed).map(
      (assertion) =>
        `claims: ${quoted(assertion)} is listed twice. List an assertion once, with one sentence.`,
    ),
    ...without(listed, written).map(
      (assertion) =>
        `claims: ${quoted(assertion)} is listed, but the grader does not write it on descriptor 3 for the reference. Use the grader's very words, or take it out.`,
    ),
    ...without(written, listed).map(unlistedWords),
    ...twice(written).map(
      (assertion) =>
        `The grader writes ${quoted(assertion)} on descriptor 3 twice. Write each assertion once, with words of its own.`,
    ),
  ];
}

/** What keeps the questions that were asked from being exactly the listed ones. */
export function questionFaults({ questions }: Claims, gradings: readonly Grading[]): readonly string[] {
  const listed = questions.map(({ id }) => id);
  const asked = distinct(
    gradings.flatMap(({ outcome }) => (outcome.kind === "asks" ? outcome.questions.map(({ id }) => id) : [])),
  );
  return [
    ...twice(listed).map((id) => `questions: ${quoted(id)} is listed twice. List a question once.`),
    ...without(asked, listed).map(
      (id) =>
        `questions: the grader asks ${quoted(id)}, which is not listed. List it with the sentence of task.md it rests on, or do not ask it.`,
    ),
    ...without(listed, asked).map(
      (id) =>
        `questions: ${quoted(id)} is listed, but the grader does not ask it. Use the very id of the question, or take it out.`,
    ),
  ];
}

/** Assertions that some grading wrote and the author did not list, sorted. */
export function unlistedAssertions({ claims }: Claims, gradings: readonly Grading[]): readonly string[] {
  const listed = claims.map(({ assertion }) => assertion);
  const written = gradings.flatMap(({ outcome }) => outcome.assertions.map(({ assertion }) => assertion));
  return without(written, listed).toSorted();
}

export function unlistedWords(assertion: string): string {
  return `The grader writes ${quoted(assertion)} on descriptor 3, which claims does not list. List it with the sentence of task.md it rests on, or take it out of the grader: what rests on no sentence was not asked for.`;
}

function quoted(text: string): string {
  return JSON.stringify(shorten(text, quotedCharacters));
}

function collapsed(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Characters of scripts that put no space between words count as words. */
function wordsIn(text: string): number {
  const spaced = text.split(" ").filter((part) => /[\p{L}\p{N}]/u.test(part)).length;
  return (
    spaced +
    (text.match(/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}/gu) ?? []).length
  );
}

/** Not from or to the middle of a word. */
function standsIn(wanted: string, text: string): boolean {
  const isWord = (character: string): boolean => /^[\p{L}\p{N}]$/u.test(character);
  const cutsWord = (before: string, after: string): boolean => isWord(before) && isWord(after);
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    const cut =
      cutsWord(text.charAt(at - 1), text.charAt(at)) || cutsWord(text.charAt(end - 1), text.charAt(end));
    if (!cut) return true;
  }
  return false;
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

function twice(texts: readonly string[]): readonly string[] {
  return distinct(texts.filter((text, at) => texts.indexOf(text) < at));
}

function without(texts: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return distinct(texts.filter((text) => !known.has(text)));
}
