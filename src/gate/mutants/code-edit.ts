import { nearNumbers, nearWord } from "./code-literals.ts";
import type { Syntax } from "./parse-code.ts";

/** One thing that can be broken in a source: `text` takes the place of what stands from `from` to `to`. */
export type Edit = Place & { readonly kind: EditKind; readonly text: string };

export type Place = { readonly from: number; readonly to: number };

/** What was done, for people, by kind. */
export const editWords = {
  "and-or-exchanged": "and and or exchanged",
  "boolean-negated": "a boolean negated",
  "boundary-moved": "a limit moved",
  "comparison-flipped": "a comparison flipped",
  "condition-negated": "a condition negated",
  "exit-code-changed": "an exit status changed",
  "number-changed": "a number changed",
  "return-dropped": "a return value dropped",
  "sign-exchanged": "plus and minus exchanged",
  "statement-deleted": "a statement deleted",
  "string-changed": "a string changed",
  "test-exchanged": "a test exchanged",
} as const;
export type EditKind = keyof typeof editWords;

/** How sources of one language are broken. */
export type CodeRules = {
  /** Nothing in this node is worth breaking: a comment, a type, what is only said on stderr. */
  readonly isQuiet: (node: Syntax) => boolean;
  /** By a node's type, what can be broken in it. */
  readonly operators: ReadonlyMap<string, (node: Syntax) => readonly Edit[]>;
};

/** The opposite of a comparison, in any of the languages. */
export const flipped: ReadonlyMap<string, string> = new Map([
  ["<", ">="],
  [">=", "<"],
  [">", "<="],
  ["<=", ">"],
  ["==", "!="],
  ["!=", "=="],
  ["===", "!=="],
  ["!==", "==="],
]);

/** A comparison that takes the limit in where it was left out, and the other way round. */
export const moved: ReadonlyMap<string, string> = new Map([
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
]);

export function textOf(node: Syntax): string {
  return node.source.slice(node.from, node.to);
}

export function childOf(node: Syntax, field: string): Syntax | undefined {
  return node.children.find((child) => child.field === field);
}

/** `node` with another text. */
export function edit(kind: EditKind, node: Syntax, text: string): Edit {
  return { kind, from: node.from, to: node.to, text };
}

/** `node` exchanged by a table; nothing where it does not stand there. */
export function exchanged(
  kind: EditKind,
  node: Syntax | undefined,
  table: ReadonlyMap<string, string>,
): readonly Edit[] {
  const text = node === undefined ? undefined : table.get(textOf(node));
  return node === undefined || text === undefined ? [] : [edit(kind, node, text)];
}

/** Both ways in which a comparison can be wrong. */
export function comparisons(
  operator: Syntax,
  opposites: ReadonlyMap<string, string> = flipped,
  neighbours: ReadonlyMap<string, string> = moved,
): readonly Edit[] {
  const change = exchanged("comparison-flipped", operator, opposites);
  return countsDown(operator) ? change : [...change, ...exchanged("boundary-moved", operator, neighbours)];
}

/** `while left > 0`: with the limit moved, the loop would have no end. */
function countsDown(operator: Syntax): boolean {
  const beside = operator.parent?.children.some((operand) => textOf(operand) === "0") === true;
  return beside && isInLoopCondition(operator);
}

export function numbers(node: Syntax): readonly Edit[] {
  return nearNumbers(textOf(node)).map((text) => edit("number-changed", node, text));
}

/**
 * One letter or digit of a string changed. `parts` hold its text, in their order, without what is put in when the
 * program executes; `whole` is from quote to quote, null where something is put in.
 */
export function strings(parts: readonly Syntax[], whole: Place | null): readonly Edit[] {
  const kind = "string-changed";
  const longestFirst = [...parts].sort((a, b) => b.to - b.from - (a.to - a.from));
  for (const part of longestFirst) {
    const text = nearWord(textOf(part), (at) => isEscape(part, part.from + at));
    if (text !== null) return [edit(kind, part, text)];
  }
  return whole === null ? [] : [{ kind, ...whole, text: "x" }];
}

/** Whether a letter belongs to an escape sequence, or to what a pattern means by a backslash. */
function isEscape(part: Syntax, at: number): boolean {
  if (part.source[at - 1] === "\\") return true;
  return part.children.some(({ type, from, to }) => type === "escape_sequence" && from <= at && at < to);
}

const farthest = 40;

/** What a node stands in, from its parent outwards; not farther than anybody writes by hand. */
export function* ancestors(node: Syntax): Generator<Syntax> {
  let above = node.parent;
  for (let distance = 0; above !== null && distance < farthest; distance++) {
    yield above;
    above = above.parent;
  }
}

/**
 * Whether `target`, a variable, decides when the loop around it ends: broken, it would only make the grader wait. In
 * a loop without a condition every variable may.
 */
export function endsLoop(node: Syntax, target: string): boolean {
  for (const { type, children } of ancestors(node)) {
    if (type !== "while_statement" && type !== "do_statement") continue;
    const condition = children.find(({ field }) => field === "condition");
    const text = condition === undefined ? "" : textOf(condition).slice(0, 1000);
    if (/^\(?\s*(true|1|:)\s*\)?$/i.test(text)) return true;
    const decisive = new Set(namesIn(text));
    if (namesIn(target).some((name) => decisive.has(name))) return true;
  }
  return false;
}

function namesIn(text: string): readonly string[] {
  return (text.match(/[a-z_]\w*/gi) ?? []).filter((name) => name !== "self" && name !== "this");
}

/** Whether a node is part of a loop's condition, at some depth. */
export function isInLoopCondition(node: Syntax): boolean {
  let inner = node;
  for (const above of ancestors(node)) {
    const loops = /^(while|do|for)_statement$/.test(above.type);
    if (loops && inner.field === "condition") return true;
    inner = above;
  }
  return false;
}

/** Names of functions that take what they are given for a message to people. */
export const sayers =
  /(^|\.)(fail|errors?|die|warn(ing)?|usage|abort|panic|critical|exception|fatal|debug|log)$/i;
