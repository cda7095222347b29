import { messageOf } from "../../errors.ts";
import type { Loss } from "../losses.ts";
import { printed } from "../printed.ts";

/** One evaluation of a skill, whichever of its two schemas it was written by. */
export type Evaluation = {
  /** As written, or its number where it has none. */
  readonly id: string;
  /** Null where it has none. */
  readonly name: string | null;
  readonly prompt: string;
  readonly expectedOutput: string;
  readonly files: readonly EvaluationFile[];
  readonly expectations: readonly string[];
  readonly losses: readonly Loss[];
};

/** `content` is null when the file lies in the skill's folder. */
export type EvaluationFile = { readonly path: string; readonly content: string | null };

export type UnreadEvaluation = { readonly id: string; readonly reasons: readonly string[] };

type Fields = Readonly<Record<string, unknown>>;

const nameKeys = ["name", "eval_name", "title"];
const listKeys = ["expectations", "assertions"];
const knownKeys = ["id", "prompt", "expected_output", "files", ...nameKeys, ...listKeys];
/** Where an expectation that is an object has its words, the first that is there. */
const wordKeys = ["text", "expectation", "assertion", "description", "statement", "criterion", "question"];

/** Reads `evals.json`. What is wrong with one evaluation is said at that one; `reasons` are about the whole file. */
export function readEvals(
  bytes: Uint8Array,
  file: string,
): { readonly evals: readonly (Evaluation | UnreadEvaluation)[] } | { readonly reasons: readonly string[] } {
  const value = jsonOf(bytes, file);
  if ("reason" in value) return { reasons: [value.reason] };
  const { json } = value;
  const top: Fields = isObject(json) ? json : {};
  const evals = Array.isArray(json) ? (json as readonly unknown[]) : top["evals"];
  if (!Array.isArray(evals) || evals.length === 0) {
    const came = Array.isArray(evals) ? "an empty list" : kindOf(isObject(json) ? evals : json);
    return { reasons: [`${file}: expected {"skill_name": …, "evals": [at least one]}; evals is ${came}`] };
  }
  const shared = Object.keys(top)
    .filter((key) => key !== "evals" && key !== "skill_name")
    .map((key) => ({ part: `${file} ${printed(key)}`, words: "left out; a bundle has no place for it" }));
  return { evals: evals.map((one, at) => readOne(one, `evals.${at}`, String(at + 1), shared)) };
}

function readOne(
  value: unknown,
  at: string,
  number: string,
  shared: readonly Loss[],
): Evaluation | UnreadEvaluation {
  if (!isObject(value)) return { id: number, reasons: [`${at}: expected an object, came ${kindOf(value)}`] };
  const { id: given = number } = value;
  const id = typeof given === "string" || typeof given === "number" ? String(given) : number;
  const reasons: string[] = [];
  const textAt = (key: string): string => {
    const text = value[key];
    if (typeof text === "string" && text.trim() !== "") return text;
    reasons.push(`${at}.${key}: expected text, came ${text === "" ? "an empty text" : kindOf(text)}`);
    return "";
  };
  const name = nameKeys.map((key) => value[key]).find((one) => typeof one === "string" && one.trim() !== "");
  const prompt = textAt("prompt");
  const expectedOutput = textAt("expected_output");
  const files = filesOf(value["files"], at, reasons);
  const expectations = expectationsOf(value, at, reasons);
  if (reasons.length > 0) return { id, reasons };
  const losses = [...shared, ...keyLosses(value, at), ...expectations.losses];
  if (value["id"] === undefined)
    losses.push({ part: `${at}.id`, words: `missing; ${number} stands in for it` });
  return {
    ...{ id, prompt, expectedOutput, files, losses, expectations: expectations.words },
    name: typeof name === "string" ? name.trim() : null,
  };
}

function filesOf(value: unknown, at: string, reasons: string[]): readonly EvaluationFile[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    reasons.push(`${at}.files: expected a list of paths, came ${kindOf(value)}`);
    return [];
  }
  return value.flatMap((one: unknown, index): EvaluationFile[] => {
    if (typeof one === "string" && one.trim() !== "") return [{ path: one.trim(), content: null }];
    const fields = isObject(one) ? one : {};
    const path = fields["path"] ?? fields["name"];
    const content = fields["content"] ?? null;
    if (typeof path === "string" && path.trim() !== "" && (content === null || typeof content === "string"))
      return [{ path: path.trim(), content }];
    reasons.push(`${at}.files.${index}: expected a path or {"path": …, "content": …}, came ${kindOf(one)}`);
    return [];
  });
}

function expectationsOf(
  value: Fields,
  at: string,
  reasons: string[],
): { readonly words: readonly string[]; readonly losses: readonly Loss[] } {
  const before = reasons.length;
  const words: string[] = [];
  const losses = new Map<string, Loss>();
  for (const key of listKeys) {
    const list = value[key] ?? [];
    if (!Array.isArray(list)) {
      reasons.push(`${at}.${key}: expected a list, came ${kindOf(list)}`);
      continue;
    }
    for (const [index, one] of (list as readonly unknown[]).entries()) {
      const fields = isObject(one) ? one : { text: one };
      const from = wordKeys.find((word) => typeof fields[word] === "string" && fields[word].trim() !== "");
      const text = from === undefined ? undefined : fields[from];
      if (typeof text !== "string") {
        reasons.push(`${at}.${key}.${index}: expected text or {"text": …}, came ${kindOf(one)}`);
        continue;
      }
      words.push(text.trim());
      for (const other of Object.keys(fields).filter((name) => name !== from)) {
        const part = `${at}.${key}[].${printed(other)}`;
        losses.set(part, { part, words: "left out; every expectation is a question for the judges" });
      }
    }
  }
  if (reasons.length === before && words.length === 0) {
    reasons.push(
      `${at}: has neither expectations nor assertions, so nothing could be graded. Say what must hold, in a list of sentences.`,
    );
  }
  return { words: [...new Set(words)], losses: [...losses.values()] };
}

function keyLosses(value: Fields, at: string): Loss[] {
  return Object.keys(value)
    .filter((key) => !knownKeys.includes(key))
    .map((key) => ({ part: `${at}.${printed(key)}`, words: "left out; a bundle has no place for it" }));
}

function jsonOf(bytes: Uint8Array, file: string): { readonly json: unknown } | { readonly reason: string } {
  let text: string;
  try {
    // Takes a byte order mark away.
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { reason: `${file}: not UTF-8 text` };
  }
  try {
    const json: unknown = JSON.parse(text);
    return { json };
  } catch (error) {
    return { reason: `${file}: not valid JSON, ${placeOf(messageOf(error), text)}` };
  }
}

/** V8 counts characters; people count lines. */
function placeOf(message: string, text: string): string {
  const position = Number(/at position (\d+)/.exec(message)?.[1] ?? text.length);
  const before = text.slice(0, position).split("\n");
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  return `${place}: ${printed(message.replace(/ in JSON at position.*$/s, ""))}`;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return `an object with ${printed(Object.keys(value).join(", "))}`;
  if (typeof value === "string") return printed(JSON.stringify(value));
  return `${typeof value} ${JSON.stringify(value)}`;
}
