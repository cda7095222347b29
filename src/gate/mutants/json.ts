import { isDeepStrictEqual } from "node:util";
import { createScanner, getNodeValue, type Node, parseTree, type ParseError } from "jsonc-parser";
import type { Random } from "../../seed.ts";
import { decodeText, fileKindOf } from "./file-kind.ts";
import type { Mutator } from "./mutant.ts";
import { otherNumber, otherText } from "./other-value.ts";
import { linesOf, rowSites } from "./rows.ts";
import { changesAt, shifted, shown, type Site, type Slice, swapped, valueSite } from "./site.ts";

/** Breaks values, keys, members and elements of JSON, comments and commas at the end allowed; JSON Lines by line too. */
export const mutateJson: Mutator = ({ path, bytes }, options) => {
  const text = decodeText(bytes);
  if (text === null) return [];
  const kind = fileKindOf(path, text.body);
  if (kind === "json") {
    const root = parsed(text.body);
    return root === null ? [] : changesAt(text, nodeSites(text.body, root), options);
  }
  const lines = kind === "json-lines" ? parsedLines(text.body) : null;
  return lines === null ? [] : changesAt(text, linesSites(text.body, lines), options);
};

type ParsedLine = { readonly start: number; readonly line: string; readonly root: Node };

function* linesSites(body: string, lines: readonly ParsedLine[]): Generator<Site> {
  for (const { start, line, root } of lines) yield* shifted(nodeSites(line, root), start);
  yield* rowSites(body, linesOf(body), { one: "line", many: "lines" });
}

/** Null where a line is neither blank nor JSON. */
function parsedLines(body: string): readonly ParsedLine[] | null {
  const lines: ParsedLine[] = [];
  for (const { start, end } of linesOf(body)) {
    const line = body.slice(start, end);
    if (line.trim() === "") continue;
    const root = parsed(line);
    if (root === null) return null;
    lines.push({ start, line, root });
  }
  return lines;
}

/** The parser and everybody's grader recurse; deeper nesting is nothing that an author wrote. */
const mostNested = 200;

function parsed(body: string): Node | null {
  if (nesting(body) > mostNested) return null;
  const errors: ParseError[] = [];
  const root = parseTree(body, errors, { allowTrailingComma: true });
  return errors.length === 0 && root !== undefined ? root : null;
}

function nesting(body: string): number {
  const scanner = createScanner(body, true);
  let [depth, deepest] = [0, 0];
  do {
    scanner.scan();
    const opening = body[scanner.getTokenOffset()] ?? "";
    if (/[{[]/.test(opening)) depth++;
    if (/[}\]]/.test(opening)) depth--;
    deepest = Math.max(deepest, depth);
  } while (scanner.getTokenOffset() < body.length);
  return deepest;
}

function* nodeSites(body: string, node: Node): Generator<Site> {
  switch (node.type) {
    case "object":
      yield* memberSites(body, node);
      return;
    case "array":
      yield* elementSites(body, node);
      return;
    case "property":
      return;
    case "number":
    case "string":
    case "boolean":
    case "null":
      yield scalarSite(body, node);
  }
}

/** Which of two members with one key counts is for the reader to say, so they are left alone. */
function* memberSites(body: string, object: Node): Generator<Site> {
  const members = object.children ?? [];
  const [keys, repeated] = [new Set<unknown>(), new Set<unknown>()];
  for (const key of members.map(keyOf)) (keys.has(key) ? repeated : keys).add(key);
  for (const [at, member] of members.entries()) {
    const [key, value] = member.children ?? [];
    if (key === undefined || repeated.has(keyOf(member))) continue;
    yield keySite(body, key, keys);
    yield droppedSite(body, object, at, "member");
    if (value !== undefined) yield* nodeSites(body, value);
  }
}

function keyOf(member: Node): unknown {
  return member.children?.[0]?.value;
}

function keySite(body: string, key: Node, siblings: ReadonlySet<unknown>): Site {
  const { start, end } = sliceOf(key);
  const become: Site["become"] = () => {
    if (siblings.has(`${String(key.value)}x`)) return null;
    const before = body.slice(start, end);
    const text = `${before.slice(0, -1)}x"`;
    return { text, what: "a key renamed", detail: `${shown(before)} → ${shown(text)}` };
  };
  return { kind: "key-renamed", start, end, become };
}

function* elementSites(body: string, array: Node): Generator<Site> {
  const elements = array.children ?? [];
  for (const [at, element] of elements.entries()) {
    yield droppedSite(body, array, at, "element");
    const next = elements[at + 1];
    if (next !== undefined) yield swappedSite(body, element, next);
    yield* nodeSites(body, element);
  }
}

function swappedSite(body: string, a: Node, b: Node): Site {
  const { start, end, text } = swapped(body, [sliceOf(a), sliceOf(b)]);
  const become: Site["become"] = () => {
    if (isDeepStrictEqual(getNodeValue(a), getNodeValue(b))) return null;
    const detail = `${shown(textOf(body, a))} ↔ ${shown(textOf(body, b))}`;
    return { text: text(), what: "two elements swapped", detail };
  };
  return { kind: "elements-swapped", start, end, become };
}

/** One member or element and the comma that parts it from its neighbour. */
function droppedSite(body: string, parent: Node, at: number, what: "member" | "element"): Site {
  const { start, end } = droppedSlice(parent, at);
  const detail = (): string => shown(textOf(body, parent.children?.[at] ?? parent));
  const become: Site["become"] = () => ({
    text: "",
    what: `${what === "member" ? "a member" : "an element"} dropped`,
    detail: detail(),
  });
  return { kind: "member-dropped", start, end, become };
}

function droppedSlice(parent: Node, at: number): Slice {
  const [before, own, after] = [at - 1, at, at + 1].map((place) => parent.children?.[place]);
  if (own !== undefined && after !== undefined) return { start: own.offset, end: after.offset };
  if (own !== undefined && before !== undefined) return { start: sliceOf(before).end, end: sliceOf(own).end };
  return { start: parent.offset + 1, end: parent.offset + parent.length - 1 };
}

function scalarSite(body: string, node: Node): Site {
  const slice = sliceOf(node);
  const before = (): string => textOf(body, node);
  if (node.type === "number") {
    return valueSite("number", slice, before, (random) => {
      const text = otherNumber(before(), random);
      return Number(text) === Number(before()) ? null : text;
    });
  }
  return node.type === "string"
    ? valueSite("string", slice, before, (random) => otherString(before(), String(node.value), random))
    : valueSite("literal", slice, before, () => otherLiteral(before()));
}

/** Within the quotes; written anew only where there are escapes that a changed letter could be part of. */
function otherString(literal: string, value: string, random: Random): string {
  if (!literal.includes("\\")) {
    const inner = otherText(literal.slice(1, -1), random);
    if (inner !== null) return `"${inner}"`;
  }
  return JSON.stringify(otherText(value, random) ?? `${value}x`);
}

function otherLiteral(literal: string): string {
  if (literal === "null") return "0";
  return literal === "true" ? "false" : "true";
}

function sliceOf(node: Node): Slice {
  return { start: node.offset, end: node.offset + node.length };
}

function textOf(body: string, node: Node): string {
  return body.slice(node.offset, node.offset + node.length);
}
