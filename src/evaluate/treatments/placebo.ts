import type { SkillOutline } from "../../artefacts/outline.ts";
import { hashTree, overlay } from "../../artefacts/tree.ts";
import { UserError } from "../../errors.ts";
import { advice, names, titles } from "./advice.ts";
import { type Deliverable, markdownOf } from "./deliverable.ts";
import { type Delivery, injectedTokens } from "./deliver.ts";
import { plainName } from "./headings.ts";
import { byteLines } from "./lines.ts";
import { neutralFile } from "./neutral-files.ts";
import { type Sentence, Sentences } from "./sentences.ts";
import { sequencesIn } from "./sequences.ts";

/** A heading (null for the text before the first) and the sentences below it. */
type Part = { readonly heading: string | null; readonly sentences: Sentence[] };

const sentencesPerParagraph = 4;

/** In how many parts how many of the last sentences may be exchanged, and how often each exchange is corrected. */
const mostParts = 4;
const mostDropped = 6;
const mostAttempts = 4;

/** Skills that are shorter than a placebo's own heading lines cannot be matched better. */
export const allowedDifference = 0.05;

/**
 * A skill that says nothing about any task and is like `skill` in all else: as many tokens injected (both ways of
 * delivery), as many headings of the same levels with text in the same proportions, frontmatter of the same form, the
 * same files with neutral contents of the same size. The same skill always gives the same placebo. Throws `UserError`
 * for a skill that is too short to be matched.
 */
export function placeboFor(skill: Deliverable, outline: SkillOutline): Deliverable {
  const sentences = new Sentences(hashTree(skill.files), sequencesIn(skill.files));
  const name = nameFor(skill);
  const empty: Deliverable = { ...skill, name, description: null, files: [] };
  const description = skill.description === null ? null : descriptionFor(skill, empty, sentences);
  const described = { ...empty, description };
  const parts = partsFor(outline);
  const write = (): Deliverable => withMarkdown(described, skill, markdownFrom(described, outline, parts));
  const target = injectedTokens([skill], "inject");
  const missing = (): number => target - injectedTokens([write()], "inject");
  fill(parts, shares(skill, outline), missing(), sentences);
  fit(parts, missing, sentences);
  const off = missing();
  if (Math.abs(off) > target * allowedDifference) {
    throw new UserError(
      `${skill.name}: no placebo has its ${target} tokens in the same form; the nearest has ${target - off}. It is ` +
        "too short to be compared with one: leave the arm placebo out.",
    );
  }
  const placebo = write();
  return { ...placebo, files: overlay(neutralFiles(skill), placebo.files) };
}

/** Of those that share no word with the skill's name the one that takes as many tokens in a list of skills. */
function nameFor(skill: Deliverable): string {
  const words = new Set(plainName(skill.name).split(/[^\p{L}\p{N}]+/u));
  const free = names.filter((name) => !name.split("-").some((word) => words.has(word)));
  const tokens = (name: string): number =>
    injectedTokens([{ ...skill, name, description: null }], "discover");
  const wanted = tokens(skill.name);
  const distances = new Map(free.map((name) => [name, Math.abs(tokens(name) - wanted)]));
  return (
    free.toSorted((a, b) => (distances.get(a) ?? 0) - (distances.get(b) ?? 0))[0] ?? `${names[0] ?? ""}-2`
  );
}

/** Sentences that make the line of a skill in the list of `discover` as long. */
function descriptionFor(skill: Deliverable, empty: Deliverable, sentences: Sentences): string {
  const part: Part = { heading: null, sentences: [] };
  const text = (): string => part.sentences.map((sentence) => sentence.text).join(" ");
  const missing = (): number =>
    injectedTokens([skill], "discover") - injectedTokens([{ ...empty, description: text() }], "discover");
  fill([part], [1], missing(), sentences);
  fit([part], missing, sentences);
  sentences.spend(part.sentences);
  return text() === "" ? (advice[0] ?? "") : text();
}

/** As many headings of the same levels, with other titles. */
function partsFor(outline: SkillOutline): readonly Part[] {
  const taken = new Set(outline.headings.map(({ title }) => plainName(title)));
  const others = titles.filter((title) => !taken.has(plainName(title)));
  const free = others.length === 0 ? titles : others;
  const parts = outline.headings.map(({ level }, index) => {
    const round = Math.floor(index / free.length);
    const title = free[index % free.length] ?? "Notes";
    return { heading: `${"#".repeat(level)} ${title}${round === 0 ? "" : ` ${round + 1}`}`, sentences: [] };
  });
  return [{ heading: null, sentences: [] }, ...parts];
}

function markdownFrom(described: Deliverable, { fields }: SkillOutline, parts: readonly Part[]): string {
  const head =
    fields === null
      ? []
      : [["---", ...fields.flatMap((field) => fieldLines(field, described)), "---"].join("\n")];
  const body = parts.flatMap(({ heading, sentences }) => [
    ...(heading === null ? [] : [heading]),
    ...paragraphsOf(sentences),
  ]);
  return `${[...head, ...body].join("\n\n")}\n`;
}

function fieldLines(field: string, { name, description }: Deliverable): readonly string[] {
  switch (field) {
    case "name":
      return [`name: ${name}`];
    case "description":
      return description === null ? [] : [`description: ${description}`];
    case "license":
    case "compatibility":
      return [`${field}: any`];
    case "metadata":
      return ["metadata:", "  kind: notes"];
    default:
      // Which tools a skill may use, or fields of its author's own, would say something about it.
      return [];
  }
}

function paragraphsOf(sentences: readonly Sentence[]): readonly string[] {
  const count = Math.ceil(sentences.length / sentencesPerParagraph);
  return Array.from({ length: count }, (_, index) =>
    sentences
      .slice(index * sentencesPerParagraph, (index + 1) * sentencesPerParagraph)
      .map(({ text }) => text)
      .join(" "),
  );
}

function withMarkdown(described: Deliverable, { file, files }: Deliverable, markdown: string): Deliverable {
  const entry = files.find(({ path }) => path === file);
  if (entry?.kind !== "file") throw new Error(`${file} is not among the files that are delivered`);
  return { ...described, files: [{ ...entry, bytes: new TextEncoder().encode(markdown) }] };
}

/** What part of the skill's text stands before the first heading and below each. */
function shares(skill: Deliverable, { headings, bodyLine }: SkillOutline): readonly number[] {
  const lines = byteLines(new TextEncoder().encode(markdownOf(skill))).map((line) =>
    new TextDecoder().decode(line),
  );
  const starts = headings.map(({ line }) => line);
  const spans = [(bodyLine ?? 1) - 1, ...starts].map((from, index) => [
    from,
    (starts[index] ?? lines.length + 1) - 1,
  ]);
  const lengths = spans.map(([from, to]) => lines.slice(from, to).join("").trim().length);
  const all = lengths.reduce((sum, length) => sum + length, 0);
  return lengths.map((length) => (all === 0 ? 1 / lengths.length : length / all));
}

/** Puts sentences into the parts by their shares of `room` tokens; what is over goes on to the next part. */
function fill(parts: readonly Part[], share: readonly number[], room: number, sentences: Sentences): void {
  let budget = 0;
  for (const [index, part] of parts.entries()) {
    const own = (share[index] ?? 0) * room;
    budget += own;
    if (own === 0) continue;
    for (let next = sentences.next(budget); next !== undefined; next = sentences.next(budget)) {
      part.sentences.push(next);
      budget -= next.tokens;
    }
  }
}

/**
 * Tokens of sentences do not quite add up to tokens of a text: exchanges sentences of the last parts until `missing`,
 * which is measured on the text, is 0, or leaves those that came nearest.
 */
function fit(parts: readonly Part[], missing: () => number, sentences: Sentences): void {
  const withText = parts.filter((part) => part.sentences.length > 0).reverse();
  for (const part of withText.length === 0 ? parts.slice(-1) : withText.slice(0, mostParts)) {
    if (fitPart(part, missing, sentences) === 0) return;
  }
}

/** Returns what is missing in the end. */
function fitPart(part: Part, missing: () => number, sentences: Sentences): number {
  const filled = [...part.sentences];
  const measure = (tail: readonly Sentence[]): number => {
    part.sentences.splice(0, part.sentences.length, ...tail);
    return missing();
  };
  let best = { off: measure(filled), sentences: filled };
  for (let dropped = 0; dropped <= Math.min(filled.length, mostDropped) && best.off !== 0; dropped++) {
    const kept = filled.slice(0, filled.length - dropped);
    let wanted = measure(kept);
    for (let attempt = 0; attempt < mostAttempts && best.off !== 0 && wanted > 0; attempt++) {
      const tail = sentences.exactly(wanted);
      if (tail === undefined) break;
      const off = measure([...kept, ...tail]);
      if (Math.abs(off) < Math.abs(best.off)) best = { off, sentences: [...kept, ...tail] };
      wanted += off;
    }
  }
  return measure(best.sentences);
}

function neutralFiles(skill: Deliverable): Deliverable["files"] {
  const sentences = new Sentences(`files ${hashTree(skill.files)}`, sequencesIn(skill.files));
  const text = (): string => sentences.next(Number.MAX_SAFE_INTEGER)?.text ?? "";
  return skill.files.map((entry) => (entry.kind === "file" ? neutralFile(entry, text) : entry));
}

/** Which deliveries a placebo is matched for. */
export const matchedDeliveries: readonly Delivery[] = ["inject", "discover"];
