import {
  ancestors,
  childOf,
  type CodeRules,
  comparisons,
  edit,
  type Edit,
  endsLoop,
  exchanged,
  isInLoopCondition,
  numbers,
  sayers,
  strings,
  textOf,
} from "./code-edit.ts";
import type { Syntax } from "./parse-code.ts";

export const pythonRules: CodeRules = {
  isQuiet,
  operators: new Map<string, (node: Syntax) => readonly Edit[]>([
    ["comparison_operator", compared],
    ["boolean_operator", joined],
    ["binary_operator", added],
    ["augmented_assignment", (node) => exchanged("sign-exchanged", childOf(node, "operator"), signs)],
    ["integer", numbers],
    ["float", numbers],
    ["true", (node) => [edit("boolean-negated", node, "False")]],
    ["false", (node) => [edit("boolean-negated", node, "True")]],
    ["string", stringChanged],
    ["return_statement", returnDropped],
    ["expression_statement", statementDeleted],
    ["if_statement", (node) => negated(childOf(node, "condition"))],
    ["elif_clause", (node) => negated(childOf(node, "condition"))],
    ["while_statement", (node) => negated(childOf(node, "condition"))],
    ["conditional_expression", (node) => negated(node.children[2])],
    ["if_clause", (node) => negated(node.children[1])],
  ]),
};

const opposites = new Map([
  ["in", "not in"],
  ["not in", "in"],
  ["is", "is not"],
  ["is not", "is"],
]);
const signs = new Map([
  ["+", "-"],
  ["-", "+"],
  ["+=", "-="],
  ["-=", "+="],
]);
const conjunctions = new Map([
  ["and", "or"],
  ["or", "and"],
]);
const nothing = new Set(["None", "False", "0", "''", '""', "[]", "{}", "()"]);

/** Arguments that rarely show in what a program does. */
const quietArguments = new Set([
  ...["encoding", "errors", "timeout", "stacklevel", "flush", "daemon"],
  ...["help", "description", "epilog", "metavar", "prog", "usage"],
  ...["exist_ok", "parents", "frozen", "slots"],
]);
const stderr = /^(sys\.stderr\.|warnings\.|(\w*\.)?_?log(ger|ging)?\.)/i;

function isQuiet(node: Syntax): boolean {
  switch (node.type) {
    case "comment":
    case "type":
    case "type_alias_statement":
    case "import_statement":
    case "import_from_statement":
    case "future_import_statement":
      return true;
    case "keyword_argument":
      return quietArguments.has(textOf(childOf(node, "name") ?? node));
    case "comparison_operator":
      return node.children.some((child) => child.type === "identifier" && textOf(child) === "__name__");
    case "assignment":
      return isAboutItself(textOf(childOf(node, "left") ?? node));
    case "expression_statement":
      return node.children.every(({ type }) => type === "string" || type === "concatenated_string");
    case "call":
      return isToldOnStderr(node);
    case "augmented_assignment":
      return endsLoop(node, textOf(childOf(node, "left") ?? node));
    default:
      return false;
  }
}

/** `__version__`, `__all__`, `VERSION`: for people and tools. */
function isAboutItself(name: string): boolean {
  return /^__\w+__$/.test(name) || /version$/i.test(name);
}

function isToldOnStderr(call: Syntax): boolean {
  const name = textOf(childOf(call, "function") ?? call).slice(0, 200);
  if (stderr.test(name)) return true;
  const given = childOf(call, "arguments")?.children ?? [];
  return given.some(({ type, from, to, source }) => {
    return type === "keyword_argument" && /^file\s*=\s*sys\.stderr$/.test(source.slice(from, to));
  });
}

function compared(node: Syntax): readonly Edit[] {
  const operators = node.children.filter(({ field }) => field === "operators");
  return operators.flatMap((operator) => [
    ...comparisons(operator),
    ...exchanged("comparison-flipped", operator, opposites),
  ]);
}

function joined(node: Syntax): readonly Edit[] {
  if (isInLoopCondition(node)) return [];
  return exchanged("and-or-exchanged", childOf(node, "operator"), conjunctions);
}

function added(node: Syntax): readonly Edit[] {
  const joinsText = node.children.some(({ type }) => type === "string" || type === "concatenated_string");
  return joinsText ? [] : exchanged("sign-exchanged", childOf(node, "operator"), signs);
}

function stringChanged(node: Syntax): readonly Edit[] {
  if (isMessage(node)) return [];
  const parts = node.children.filter(({ type }) => type === "string_content");
  const filled = node.children.some(({ type }) => type === "interpolation");
  const [start, end] = [node.children[0], node.children.at(-1)];
  const whole = filled || start === undefined || end === undefined ? null : { from: start.to, to: end.from };
  return strings(parts, whole);
}

/** What is said with an exception, or given to a function that says it. */
function isMessage(node: Syntax): boolean {
  for (const above of ancestors(node)) {
    if (above.type === "raise_statement" || above.type === "assert_statement") return true;
    if (above.type === "call" && sayers.test(textOf(childOf(above, "function") ?? above).slice(0, 200)))
      return true;
    if (/_statement$/.test(above.type)) return false;
  }
  return false;
}

/** `return None` where there was something; what already counts as nothing is left. */
function returnDropped(node: Syntax): readonly Edit[] {
  const value = node.children[1];
  return value === undefined || nothing.has(textOf(value)) ? [] : [edit("return-dropped", value, "None")];
}

function statementDeleted(node: Syntax): readonly Edit[] {
  const [what] = node.children;
  if (what === undefined || node.children.length > 1 || isQuiet(what)) return [];
  if (!/^(assignment|augmented_assignment|call|await)$/.test(what.type)) return [];
  const left = childOf(what, "left");
  if (left !== undefined && (childOf(what, "right") === undefined || endsLoop(node, textOf(left)))) return [];
  if (/^super\(\)\.__init__\(\)$/.test(textOf(what))) return [];
  return [edit("statement-deleted", node, "pass")];
}

/** A comparison alone and a constant have kinds of their own. */
function negated(condition: Syntax | undefined): readonly Edit[] {
  if (condition === undefined || /__name__|TYPE_CHECKING/.test(textOf(condition).slice(0, 200))) return [];
  if (/^(true|false|integer)$/.test(condition.type)) return [];
  const isOneComparison = condition.type === "comparison_operator" && condition.children.length === 3;
  if (isOneComparison) return [];
  const argument = condition.type === "not_operator" ? childOf(condition, "argument") : undefined;
  const text = argument === undefined ? `not (${textOf(condition)})` : textOf(argument);
  return [edit("condition-negated", condition, text)];
}
