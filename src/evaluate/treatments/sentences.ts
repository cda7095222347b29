import { randomFrom, shuffled } from "../../seed.ts";
import { countTokens } from "../../tokens.ts";
import { advice, leadIns } from "./advice.ts";
import { sequencesOf } from "./sequences.ts";

/** Every sentence is shorter, with a lead-in too. */
const roomyTokens = 32;

export type Sentence = { readonly text: string; readonly tokens: number };

/**
 * Neutral sentences in an order fixed by `seed`, without those that share a sequence with `known`. None comes twice
 * before each has come once plain and once behind every lead-in.
 */
export class Sentences {
  private readonly plain: readonly string[];
  private readonly known: ReadonlySet<string>;
  private pass = 0;
  private left: Sentence[] = [];

  constructor(seed: string, known: ReadonlySet<string>) {
    this.known = known;
    this.plain = shuffled(advice, randomFrom("placebo", seed)).filter((text) => this.isNeutral(text));
  }

  /** The next sentence of at most this many tokens; undefined when even the shortest that is left has more. */
  next(mostTokens: number): Sentence | undefined {
    const found = this.left.findIndex(({ tokens }) => tokens <= mostTokens);
    if (found !== -1) return this.left.splice(found, 1)[0];
    // A place for a short sentence only is no reason to begin again.
    if (mostTokens < roomyTokens || this.plain.length === 0) return undefined;
    this.left = [...this.left, ...this.nextPass()];
    return this.left.splice(
      Math.max(
        0,
        this.left.findIndex(({ tokens }) => tokens <= mostTokens),
      ),
      1,
    )[0];
  }

  /** Sentences that have exactly this many tokens together, as few as can be; undefined when there are none. */
  exactly(tokens: number): readonly Sentence[] | undefined {
    const lengths = this.byLength();
    const ways: (readonly Sentence[] | undefined)[] = [[]];
    for (let sum = 1; sum <= tokens; sum++) {
      for (const [length, sentence] of lengths) {
        const before = length <= sum ? ways[sum - length] : undefined;
        const best = ways[sum];
        if (before === undefined || before.includes(sentence)) continue;
        if (best === undefined || before.length + 1 < best.length) ways[sum] = [...before, sentence];
      }
    }
    return ways[tokens];
  }

  /** What was made of `exactly` counts as having come. */
  spend(spent: readonly Sentence[]): void {
    const texts = new Set(spent.map(({ text }) => text));
    this.left = this.left.filter(({ text }) => !texts.has(text));
  }

  private nextPass(): readonly Sentence[] {
    const pass = this.pass % (leadIns.length + 1);
    this.pass++;
    const made =
      pass === 0
        ? this.plain
        : this.plain.map((text, index) => behind(leadIns[(index + pass) % leadIns.length] ?? "", text));
    const neutral = made.filter((text) => this.isNeutral(text));
    return (neutral.length === 0 ? this.plain : neutral).map(sentenceOf);
  }

  private isNeutral(text: string): boolean {
    return [...sequencesOf(text)].every((sequence) => !this.known.has(sequence));
  }

  private byLength(): ReadonlyMap<number, Sentence> {
    const lengths = new Map<number, Sentence>();
    // Those that have not come yet first.
    for (const sentence of [...this.left, ...this.plain.map(sentenceOf)]) {
      if (!lengths.has(sentence.tokens)) lengths.set(sentence.tokens, sentence);
    }
    return lengths;
  }
}

function behind(lead: string, text: string): string {
  return `${lead} ${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

const counted = new Map<string, number>();

/** Tokens as they are inside a paragraph, behind a space. */
function sentenceOf(text: string): Sentence {
  const tokens = counted.get(text) ?? countTokens(` ${text}`);
  counted.set(text, tokens);
  return { text, tokens };
}
