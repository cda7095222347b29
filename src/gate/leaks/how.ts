import type { Leak } from "../../artefacts/gate.ts";
import { atomsOf, type Word, wordsOf } from "./atoms.ts";
import type { Given } from "./given.ts";
import { isTellingWording, literalsOf } from "./literals.ts";
import { shown } from "./texts.ts";

/**
 * Shared sequences shorter than this are names and turns of phrase: the shipped tasks share up to five words with the
 * sections they were made from ("in the order in which", "of the … Growers' Cooperative").
 */
const sequenceWords = 6;
const contentWords = 3;
const sequenceCharacters = 24;

/** Many more than anybody would read. */
const mostLiterals = 200;

export type Section = { readonly file: string; readonly text: string };

/** Passages of the sections that the task repeats, in the order of the task: the sections' how in it. */
export function howLeaks(task: string, sections: readonly Section[], given: Given): readonly Leak[] {
  const files = [...new Set(sections.map(({ file }) => file))];
  return files.flatMap((file) => {
    const texts = sections.filter((section) => section.file === file).map(({ text }) => text);
    const to = `skill/${file}`;
    const passages = sharedPassages(task, texts, given);
    const literals = sharedLiterals(task, texts, given).filter(
      (literal) => !passages.some((passage) => passage.includes(literal)),
    );
    return [...passages, ...literals].map((passage): Leak => {
      return { kind: "how", from: "task.md", to, passage: shown(passage) };
    });
  });
}

/** Longest passages of the task whose sequences of words all stand in the texts and not in the fixtures. */
function sharedPassages(task: string, texts: readonly string[], given: Given): readonly string[] {
  const known = new Set(texts.flatMap((text) => sequencesOf(wordsOf(text))));
  const words = wordsOf(task);
  const sequences = sequencesOf(words);
  const shared = new Set(sequences.filter((sequence) => known.has(sequence) && isTelling(sequence)));
  if (shared.size === 0) return [];
  const inFixtures = given.inFixtures(shared);
  const isLeak = sequences.map((sequence) => shared.has(sequence) && !inFixtures.has(sequence));
  const passages: string[] = [];
  for (let at = 0; at < isLeak.length; at++) {
    if (isLeak[at] !== true) continue;
    let last = at;
    for (let next = at + 1; next < isLeak.length && next <= last + sequenceWords; next++)
      if (isLeak[next] === true) last = next;
    const [from, to] = [words[at], words[last + sequenceWords - 1]];
    if (from !== undefined && to !== undefined) passages.push(task.slice(from.start, to.end));
    at = last;
  }
  return passages;
}

function sequencesOf(words: readonly Word[]): readonly string[] {
  const sequences: string[] = [];
  for (let at = 0; at + sequenceWords <= words.length; at++) {
    const part = words.slice(at, at + sequenceWords);
    sequences.push(part.map(({ word }) => word).join(" "));
  }
  return sequences;
}

function isTelling(sequence: string): boolean {
  const content = sequence.split(" ").filter((word) => !stopWords.has(word));
  return sequence.length >= sequenceCharacters && new Set(content).size >= contentWords;
}

const stopWords = new Set(
  `a about after all also an and any are as at be been before but by can do does each every for from had has have he her
  his how i if in into is it its just may more most must no nor not of on once one only or other our out over own per s
  same shall she should so some such t than that the their them then there these they this those to too two under up
  us was we were what when where which while who whose will with without you your`.split(/\s+/),
);

/** Numbers and marked wording of the texts that the task has too: a rule's figures and names. */
function sharedLiterals(task: string, texts: readonly string[], given: Given): readonly string[] {
  const inTask = literalsOf(task);
  const own = literalsOf(texts.join("\n\n"));
  const taskAtoms = ` ${atomsOf(task)} `;
  const numbers = [...own.numbers].filter((number) => inTask.numbers.has(number));
  const wording = [...own.marked].filter((literal) => {
    if (!isTellingWording(literal)) return false;
    if (inTask.marked.has(literal)) return true;
    // Unmarked in the task, plain words are just words: for them there are the sequences.
    return !/^[\p{L}\s,.'’-]+$/u.test(literal) && standsIn(literal, task, taskAtoms);
  });
  const literals = [...new Set([...numbers, ...wording])].filter((literal) => !given.isName(literal));
  const inFixtures = given.inFixtures(literals);
  return literals.filter((literal) => !inFixtures.has(literal)).slice(0, mostLiterals);
}

function standsIn(literal: string, text: string, atoms: string): boolean {
  return text.includes(literal) && (atomsOf(literal) === "" || atoms.includes(` ${atomsOf(literal)} `));
}
