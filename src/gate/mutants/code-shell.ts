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

export const shellRules: CodeRules = {
  isQuiet,
  operators: new Map<string, (node: Syntax) => readonly Edit[]>([
    ["binary_expression", binary],
    ["unary_expression", (node) => exchanged("test-exchanged", childOf(node, "operator"), tests)],
    ["command", command],
    ["list", joined],
    ["number", numberChanged],
    ["word", word],
    ["string", stringChanged],
    ["raw_string", stringChanged],
    ["if_statement", (node) => negated(conditionOf(node))],
    ["elif_clause", (node) => negated(conditionOf(node))],
    ["while_statement", (node) => negated(conditionOf(node))],
    ["variable_assignment", deletedIfStatement],
    ["declaration_command", deletedIfStatement],
    ["pipeline", deletedIfStatement],
    ["redirected_statement", deletedIfStatement],
  ]),
};

const tests = new Map([
  ["-f", "-d"],
  ["-d", "-f"],
  ["-z", "-n"],
  ["-n", "-z"],
]);
const flippedTests = new Map([
  ["=", "!="],
  ["==", "!="],
  ["!=", "="],
  ["<", ">"],
  [">", "<"],
  ["-eq", "-ne"],
  ["-ne", "-eq"],
  ["-lt", "-ge"],
  ["-ge", "-lt"],
  ["-gt", "-le"],
  ["-le", "-gt"],
  ["-nt", "-ot"],
  ["-ot", "-nt"],
]);
const movedTests = new Map([
  ["-lt", "-le"],
  ["-le", "-lt"],
  ["-gt", "-ge"],
  ["-ge", "-gt"],
]);
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

/** Set-up that rarely shows, and what would only make the grader wait. */
const quietCommands = new Set(["set", "shopt", "trap", "umask", "hash", "shift", "read", "sleep", ":"]);
/** Their status has a kind of its own, or a loop would not end without them. */
const keptCommands = new Set(["exit", "return", "break", "continue", "true", "false", "test", "["]);

function isQuiet(node: Syntax): boolean {
  switch (node.type) {
    case "comment":
    case "file_redirect":
    case "heredoc_redirect":
      return true;
    case "command":
      return quietCommands.has(nameOf(node));
    case "redirected_statement":
      return saysOnStderr(node);
    case "variable_assignment":
      return endsLoop(node, textOf(childOf(node, "name") ?? node).slice(0, 200));
    default:
      return false;
  }
}

function nameOf(node: Syntax): string {
  const name = childOf(node, "name");
  return name === undefined ? "" : textOf(name).slice(0, 200);
}

function saysOnStderr(node: Syntax): boolean {
  const body = childOf(node, "body");
  if (body?.type !== "command" || !/^(echo|printf|cat)$/.test(nameOf(body))) return false;
  return node.children.some(
    ({ type, from, to, source }) =>
      type === "file_redirect" && /^1?>(&\s*2|\s*\/dev\/stderr)$/.test(source.slice(from, to)),
  );
}

function isArithmetic(node: Syntax): boolean {
  for (const { type, children } of ancestors(node)) {
    if (type === "arithmetic_expansion") return true;
    if (type === "test_command") return children[0]?.type === "((";
  }
  return false;
}

function binary(node: Syntax): readonly Edit[] {
  const operator = childOf(node, "operator");
  if (operator === undefined) return [];
  if (conjunctions.has(textOf(operator))) {
    return isInLoopCondition(node) ? [] : exchanged("and-or-exchanged", operator, conjunctions);
  }
  if (isArithmetic(node)) {
    return [...comparisons(operator), ...exchanged("sign-exchanged", operator, signs)];
  }
  return tested(operator);
}

function tested(operator: Syntax): readonly Edit[] {
  return comparisons(operator, flippedTests, movedTests);
}

function joined(node: Syntax): readonly Edit[] {
  if (isInLoopCondition(node)) return [];
  return node.children.flatMap((child) => exchanged("and-or-exchanged", child, conjunctions));
}

function command(node: Syntax): readonly Edit[] {
  const given = node.children.filter(({ field }) => field === "argument");
  const name = nameOf(node);
  if (name === "test") {
    const operators = given.filter(({ type }) => type === "word");
    return operators.flatMap((each) => [...tested(each), ...exchanged("test-exchanged", each, tests)]);
  }
  if (name === "exit" || name === "return") {
    const [status] = given;
    if (status?.type !== "number") return [];
    return [edit("exit-code-changed", status, textOf(status) === "0" ? "1" : "0")];
  }
  if (given.length === 0 && /^(true|false)$/.test(name)) {
    return [edit("boolean-negated", node, name === "true" ? "false" : "true")];
  }
  return deletedIfStatement(node);
}

function numberChanged(node: Syntax): readonly Edit[] {
  const call = node.parent?.type === "command" ? nameOf(node.parent) : "";
  return call === "exit" || call === "return" ? [] : numbers(node);
}

/** `verbose=false`, and the number in `-f2`. Other words are names. */
function word(node: Syntax): readonly Edit[] {
  const text = textOf(node);
  if (node.parent?.type === "variable_assignment" && /^(true|false)$/.test(text)) {
    return [edit("boolean-negated", node, text === "true" ? "false" : "true")];
  }
  if (node.field !== "argument" || !/^-[a-z]\d{1,9}$/i.test(text)) return [];
  const option = text.slice(0, 2);
  return numbers({ ...node, from: node.from + option.length });
}

function stringChanged(node: Syntax): readonly Edit[] {
  if (isMessage(node)) return [];
  const inside = { from: node.from + 1, to: node.to - 1 };
  if (node.type === "raw_string") return strings([{ ...node, ...inside }], inside);
  const parts = node.children.filter(({ type }) => type === "string_content");
  const filled = node.children.some(({ type, named }) => named && type !== "string_content");
  return strings(parts, filled ? null : inside);
}

function isMessage(node: Syntax): boolean {
  for (const above of ancestors(node)) {
    if (above.type === "command") return sayers.test(nameOf(above));
  }
  return false;
}

/** The only command of a condition; undefined where there are several. */
function conditionOf(node: Syntax): Syntax | undefined {
  const start = node.children.findIndex(({ type }) => type === "then" || type === "do_group");
  const conditions = node.children.slice(0, start).filter(({ named, type }) => named && type !== "comment");
  return conditions.length === 1 ? conditions[0] : undefined;
}

/** A comparison alone and a constant have kinds of their own; a loop that reads would not end. */
function negated(condition: Syntax | undefined): readonly Edit[] {
  if (condition === undefined || isOneComparison(condition)) return [];
  if (isInLoopCondition(condition.children[0] ?? condition) && /\bread\b/.test(textOf(condition))) return [];
  switch (condition.type) {
    case "negated_command": {
      const inner = condition.children[1];
      return inner === undefined ? [] : [edit("condition-negated", condition, textOf(inner))];
    }
    case "list":
      return [edit("condition-negated", condition, `! { ${textOf(condition)}; }`)];
    case "command":
      if (/^(true|false|:)$/.test(nameOf(condition))) return [];
      return [edit("condition-negated", condition, `! ${textOf(condition)}`)];
    case "test_command":
    case "pipeline":
    case "redirected_statement":
      return [edit("condition-negated", condition, `! ${textOf(condition)}`)];
    default:
      return [];
  }
}

function isOneComparison(node: Syntax): boolean {
  const inner = node.type === "test_command" ? node.children[1] : undefined;
  const operator = inner === undefined ? undefined : childOf(inner, "operator");
  if (operator === undefined) return false;
  const text = textOf(operator);
  return flipped.has(text) || flippedTests.has(text) || text === "-z" || text === "-n";
}

const bodies = new Set(["program", "compound_statement", "do_group", "else_clause", "case_item", "subshell"]);

function deletedIfStatement(node: Syntax): readonly Edit[] {
  const command = node.type === "redirected_statement" ? childOf(node, "body") : node;
  if (command === undefined || !isStatement(node)) return [];
  if (!/^(command|pipeline|variable_assignment|declaration_command)$/.test(command.type)) return [];
  if (command.type === "command" && keptCommands.has(nameOf(command))) return [];
  if (command.type === "declaration_command" && !textOf(command).includes("=")) return [];
  return [edit("statement-deleted", node, ":")];
}

function isStatement(node: Syntax): boolean {
  const above = node.parent;
  if (above === null) return false;
  if (bodies.has(above.type)) return node.field !== "value";
  if (above.type !== "if_statement" && above.type !== "elif_clause") return false;
  const then = above.children.find(({ type }) => type === "then");
  return then !== undefined && then.to <= node.from;
}
