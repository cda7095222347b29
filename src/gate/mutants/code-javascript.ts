import {
  ancestors,
  childOf,
  type CodeRules,
  comparisons,
  edit,
  type Edit,
  endsLoop,
  exchanged,
  flipped,
  isInLoopCondition,
  numbers,
  sayers,
  strings,
  textOf,
} from "./code-edit.ts";
import type { Syntax } from "./parse-code.ts";

/** TypeScript has the same nodes; its types are quiet. */
export const javascriptRules: CodeRules = {
  isQuiet,
  operators: new Map<string, (node: Syntax) => readonly Edit[]>([
    ["binary_expression", binary],
    [
      "augmented_assignment_expression",
      (node) => exchanged("sign-exchanged", childOf(node, "operator"), signs),
    ],
    ["number", numbers],
    ["true", (node) => [edit("boolean-negated", node, "false")]],
    ["false", (node) => [edit("boolean-negated", node, "true")]],
    ["string", stringChanged],
    ["template_string", stringChanged],
    ["return_statement", (node) => returnDropped(node.children[1])],
    ["arrow_function", (node) => returnDropped(childOf(node, "body"))],
    ["expression_statement", statementDeleted],
    ["if_statement", (node) => negated(childOf(node, "condition"))],
    ["while_statement", (node) => negated(childOf(node, "condition"))],
    ["ternary_expression", (node) => negated(childOf(node, "condition"))],
  ]),
};

const signs = new Map([
  ["+", "-"],
  ["-", "+"],
  ["+=", "-="],
  ["-=", "+="],
]);
const conjunctions = new Map([
  ["&&", "||"],
  ["||", "&&"],
]);
const nothing = new Set(["undefined", "null", "false", "0", "''", '""', ";"]);
const quietTypes = new Set([
  ...["comment", "hash_bang_line", "import_statement", "regex"],
  ...[
    "type_annotation",
    "type_arguments",
    "type_parameters",
    "type_alias_declaration",
    "interface_declaration",
  ],
  ...["ambient_declaration", "literal_type", "union_type", "template_literal_type", "function_signature"],
]);
const stderr = /^(console\.(error|warn|trace)|process\.stderr\.write|(\w+\.)?log(ger|ging)?\.\w+)$/;

function isQuiet(node: Syntax): boolean {
  if (quietTypes.has(node.type)) return true;
  switch (node.type) {
    case "string":
      return node.field === "source" || isModuleName(node);
    case "expression_statement":
      return node.children[0]?.type === "string";
    case "call_expression":
      return stderr.test(nameOf(node));
    case "variable_declarator":
      return /version$/i.test(textOf(childOf(node, "name") ?? node).slice(0, 200));
    case "augmented_assignment_expression":
    case "update_expression":
      return node.field === "increment" || endsLoop(node, targetOf(node));
    default:
      return false;
  }
}

/** What is called, as it is written. */
function nameOf(call: Syntax): string {
  const called = childOf(call, "function") ?? childOf(call, "constructor");
  return called === undefined ? "" : textOf(called).slice(0, 200);
}

function targetOf(node: Syntax): string {
  return textOf(childOf(node, "left") ?? childOf(node, "argument") ?? node).slice(0, 200);
}

function isModuleName(node: Syntax): boolean {
  const call = node.parent?.parent;
  return call?.type === "call_expression" && /^(require|import)$/.test(nameOf(call));
}

function binary(node: Syntax): readonly Edit[] {
  const operator = childOf(node, "operator");
  if (operator === undefined) return [];
  const written = textOf(operator);
  if (written === "in" || written === "instanceof") {
    return [edit("comparison-flipped", node, `!(${textOf(node)})`)];
  }
  if (conjunctions.has(written)) {
    return isInLoopCondition(node) ? [] : exchanged("and-or-exchanged", operator, conjunctions);
  }
  if (signs.has(written)) {
    const joinsText = node.children.some(({ type }) => type === "string" || type === "template_string");
    return joinsText ? [] : exchanged("sign-exchanged", operator, signs);
  }
  return comparisons(operator);
}

function stringChanged(node: Syntax): readonly Edit[] {
  if (isMessage(node)) return [];
  const parts = node.children.filter(({ type }) => type === "string_fragment");
  const filled = node.children.some(({ type }) => type === "template_substitution");
  return strings(parts, filled ? null : { from: node.from + 1, to: node.to - 1 });
}

/** What is said with an exception, or given to a function that says it. */
function isMessage(node: Syntax): boolean {
  for (const above of ancestors(node)) {
    if (above.type === "throw_statement") return true;
    const calls = above.type === "call_expression" || above.type === "new_expression";
    if (calls && nameOf(above) !== "console.log" && sayers.test(nameOf(above))) return true;
    if (/_statement$/.test(above.type)) return false;
  }
  return false;
}

/** `undefined` where there was something; what already counts as nothing is left, and so is a block. */
function returnDropped(value: Syntax | undefined): readonly Edit[] {
  if (value === undefined || value.type === "statement_block" || nothing.has(textOf(value))) return [];
  return [edit("return-dropped", value, "undefined")];
}

const deleted = new Set([
  ...["assignment_expression", "augmented_assignment_expression", "update_expression"],
  ...["call_expression", "await_expression"],
]);

function statementDeleted(node: Syntax): readonly Edit[] {
  const [what] = node.children;
  if (what === undefined || !deleted.has(what.type) || isQuiet(what)) return [];
  if (what.type === "assignment_expression" && endsLoop(node, targetOf(what))) return [];
  if (what.type === "call_expression" && nameOf(what) === "super") return [];
  return [edit("statement-deleted", node, ";")];
}

/** A comparison alone and a constant have kinds of their own. */
function negated(given: Syntax | undefined): readonly Edit[] {
  const condition = given?.type === "parenthesized_expression" ? given.children[1] : given;
  if (condition === undefined || /^(true|false|number)$/.test(condition.type)) return [];
  if (condition.type === "binary_expression") {
    const operator = textOf(childOf(condition, "operator") ?? condition);
    if (flipped.has(operator) || operator === "in" || operator === "instanceof") return [];
  }
  const isNegation = condition.type === "unary_expression" && textOf(condition).startsWith("!");
  const argument = isNegation ? childOf(condition, "argument") : undefined;
  const text = argument === undefined ? `!(${textOf(condition)})` : textOf(argument);
  return [edit("condition-negated", condition, text)];
}
