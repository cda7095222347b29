import { isDeepStrictEqual } from "node:util";
import { isAlias, isMap, isNode, isPair, isScalar, isSeq, type Node, type Pair, type Scalar } from "yaml";
import type { Random } from "../../seed.ts";
import { decodeText, fileKindOf } from "./file-kind.ts";
import type { Mutator } from "./mutant.ts";
import { otherNumber, otherText } from "./other-value.ts";
import { parseYaml, type YamlStream } from "./parse-yaml.ts";
import { changesAt, shown, type Site, type Slice, swapped, valueSite } from "./site.ts";

/** A longer one is broken as text: a stream of a MiB takes seconds to parse. In UTF-16 units. */
const longestStream = 64 * 1024;
/** Every change is parsed again; so many units in all. */
const parsedAgain = 512 * 1024;
const kindsOfYaml = 6;

/** Breaks values, keys, members and elements of YAML. Comments, quotes and layout stay as they are. */
export const mutateYaml: Mutator = ({ path, bytes }, options) => {
  const text = decodeText(bytes);
  if (text === null || fileKindOf(path, text.body) !== "yaml" || text.body.length > longestStream) return [];
  const stream = parseYaml(text.body);
  if (stream === null) return [];
  const affordable = Math.floor(parsedAgain / kindsOfYaml / (text.body.length + 1));
  return changesAt(text, streamSites(text.body, stream), {
    ...options,
    mostPerKind: Math.max(1, Math.min(options.mostPerKind, affordable)),
    isReal: (body) => saysSomethingElse(stream, parseYaml(body)),
  });
};

/** Where aliases stand for other parts, what a document says is not unfolded: it may be made to have no end. */
function saysSomethingElse(stream: YamlStream, broken: YamlStream | null): boolean {
  if (broken === null) return false;
  if (stream.hasAliases || broken.hasAliases) return true;
  const said = ({ documents }: YamlStream): unknown => documents.map((document): unknown => document.toJS());
  return !isDeepStrictEqual(said(stream), said(broken));
}

function* streamSites(body: string, { documents, hasAliases }: YamlStream): Generator<Site> {
  for (const { contents } of documents) if (contents !== null) yield* nodeSites(body, contents, !hasAliases);
}

/** With `moves`, parts may go or change places: no alias can be left without its anchor. */
function* nodeSites(body: string, node: unknown, moves: boolean): Generator<Site> {
  if (isScalar(node)) {
    yield* scalarSites(body, node);
  } else if (isMap(node)) {
    const siblings = new Set(node.items.map(({ key }) => (isScalar(key) ? key.value : key)));
    for (const pair of node.items) {
      if (isScalar(pair.key)) yield* keySites(body, pair.key, siblings);
      yield* nodeSites(body, pair.value, moves);
    }
    if (moves) yield* dropSites(body, node.items.map(partOf(body)), { ...members, flow: node.flow === true });
  } else if (isSeq(node)) {
    for (const element of node.items) yield* nodeSites(body, element, moves);
    const parts = node.items.map(partOf(body));
    if (!moves) return;
    yield* dropSites(body, parts, { ...elements, flow: node.flow === true });
    yield* swapSites(body, parts);
  }
}

/** A member or element without the white space after it; null for what stands nowhere in the text. */
type Part = Slice | null;

function partOf(body: string): (part: unknown) => Part {
  return (part) => {
    const range = isPair(part) ? pairRange(part) : isNode(part) && !isAlias(part) ? rangeOf(part) : null;
    if (range === null || range.end === range.start) return null;
    return { start: range.start, end: range.start + body.slice(range.start, range.end).trimEnd().length };
  };
}

function pairRange({ key, value }: Pair): Part {
  const from = isNode(key) ? rangeOf(key) : null;
  const to = isNode(value) ? rangeOf(value) : from;
  return from === null || to === null ? null : { start: from.start, end: Math.max(from.end, to.end) };
}

function rangeOf({ range }: Node): Part {
  return range === null || range === undefined ? null : { start: range[0], end: range[1] };
}

/** The only part is left alone: what held it would become something else, or nothing. */
function* dropSites(body: string, parts: readonly Part[], layout: Layout): Generator<Site> {
  if (parts.length < 2) return;
  for (const [at, part] of parts.entries()) {
    const slice = layout.flow ? flowSlice(parts, at) : blockSlice(body, parts, at, layout.lead);
    if (part === null || slice === null) continue;
    const become: Site["become"] = () => ({
      text: "",
      what: `${layout.what} dropped`,
      detail: shown(body.slice(part.start, part.end)),
    });
    yield { kind: "member-dropped", ...slice, become };
  }
}

type Layout = {
  readonly what: string;
  /** In braces or brackets. */
  readonly flow: boolean;
  /** What stands before a part that has its lines to itself. */
  readonly lead: RegExp;
};

const members = { what: "a member", lead: /^ *$/ };
const elements = { what: "an element", lead: /^ *-[ \t]+$/ };

/** With the comma after it, or before it for the last one. */
function flowSlice(parts: readonly Part[], at: number): Part {
  const [before = null, own = null, after = null] = [at - 1, at, at + 1].map((place) => parts[place]);
  if (own === null) return null;
  if (after !== null) return { start: own.start, end: after.start };
  return before === null ? null : { start: before.end, end: own.end };
}

/** Whole lines; of a part that shares its first line with what holds it, all up to the next part. */
function blockSlice(body: string, parts: readonly Part[], at: number, lead: RegExp): Part {
  const [own = null, next = null] = [parts[at], parts[at + 1]];
  if (own === null) return null;
  const lineStart = body.lastIndexOf("\n", own.start - 1) + 1;
  if (lead.test(body.slice(lineStart, own.start))) {
    const lineEnd = body.indexOf("\n", own.end);
    return { start: lineStart, end: lineEnd === -1 ? body.length : lineEnd + 1 };
  }
  return next === null ? null : { start: own.start, end: next.start };
}

function* swapSites(body: string, parts: readonly Part[]): Generator<Site> {
  for (const [at, b] of parts.entries()) {
    const a = parts[at - 1] ?? null;
    if (a === null || b === null) continue;
    const { start, end, text } = swapped(body, [a, b]);
    const become: Site["become"] = () => {
      const detail = `${shown(body.slice(a.start, a.end))} ↔ ${shown(body.slice(b.start, b.end))}`;
      return { text: text(), what: "two elements swapped", detail };
    };
    yield { kind: "elements-swapped", start, end, become };
  }
}

function* keySites(body: string, key: Scalar, siblings: ReadonlySet<unknown>): Generator<Site> {
  const slice = rangeOf(key);
  if (slice === null || slice.end === slice.start || key.value === "<<") return;
  const become: Site["become"] = () => {
    if (siblings.has(`${String(key.value)}x`)) return null;
    const before = body.slice(slice.start, slice.end);
    const quote = /["']$/.exec(before)?.[0] ?? "";
    const text = `${before.slice(0, before.length - quote.length)}x${quote}`;
    return { text, what: "a key renamed", detail: `${shown(before)} → ${shown(text)}` };
  };
  yield { kind: "key-renamed", ...slice, become };
}

function* scalarSites(body: string, node: Scalar): Generator<Site> {
  const slice = rangeOf(node);
  if (slice === null || slice.end === slice.start) return;
  const before = (): string => body.slice(slice.start, slice.end);
  if (node.type === "PLAIN" && typeof node.value !== "string") {
    const what = typeof node.value === "number" || typeof node.value === "bigint" ? "number" : "literal";
    yield valueSite(what, slice, before, (random) =>
      what === "number" ? otherNumeral(before(), random) : otherLiteral(before()),
    );
    return;
  }
  yield valueSite("string", slice, before, (random) => otherString(before(), node, random));
}

/** Null for octal, hexadecimal, infinity and the like. */
function otherNumeral(source: string, random: Random): string | null {
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(source) ? otherNumber(source, random) : null;
}

const opposites: Readonly<Record<string, string>> = { true: "false", false: "true", null: "0", "~": "0" };

/** In the case that was written: True becomes False. */
function otherLiteral(source: string): string | null {
  const other = opposites[source.toLowerCase()];
  if (other === undefined) return null;
  if (source === source.toUpperCase()) return other.toUpperCase();
  return source.startsWith(source[0]?.toLowerCase() ?? "")
    ? other
    : `${other[0]?.toUpperCase()}${other.slice(1)}`;
}

/** One letter or digit, so that the layout of what is folded or indented stays. */
function otherString(source: string, { type, value }: Scalar, random: Random): string | null {
  if (type === "BLOCK_FOLDED" || type === "BLOCK_LITERAL") {
    const first = source.indexOf("\n") + 1;
    const other = otherText(source.slice(first), random);
    return other === null ? null : source.slice(0, first) + other;
  }
  if (type === "QUOTE_DOUBLE" && source.includes("\\"))
    return JSON.stringify(otherText(String(value), random) ?? `${String(value)}x`);
  if (type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE") {
    const [quote, inner] = [source.slice(0, 1), source.slice(1, -1)];
    return `${quote}${otherText(inner, random) ?? `${inner}x`}${quote}`;
  }
  return otherText(source, random);
}
