import { type Node, type ParseError, parseTree } from "jsonc-parser";
import { unreachable } from "../../errors.ts";
import { deepest, openAtOnce } from "./nesting.ts";

/** In these the order of keys means something (conditional exports of a package are tried from first to last). */
const keepsOrder = /(^|\/)package\.json$/;
const onOneLine = /\.(jsonl|ndjson)$/i;

type Style = {
  readonly indent: string | null;
  readonly colon: string;
  readonly comma: string;
  readonly eol: string;
};

/**
 * JSON, or JSON in lines, with other white space and members in reverse order. Numbers and strings stay as they are
 * written. Null for other files, for what is not JSON, and where nothing can be told apart.
 */
export function varyJson(path: string, text: string): string | null {
  const reversed = !keepsOrder.test(path);
  if (/\.(json|geojson)$/i.test(path)) return varied(text, reversed, styleUnlike(text));
  if (!onOneLine.test(path)) return null;
  const lines = text
    .split("\n")
    .map((line) => (line.trim() === "" ? line : varied(line, true, lineUnlike(line))));
  const whole = lines.every((line) => line !== null) ? lines.join("\n") : null;
  return whole === text ? null : whole;
}

function styleUnlike(text: string): Style {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  if (!text.trim().includes("\n")) return lineUnlike(text);
  const wide = /^ {4}\S/m.test(text) && !/^ {2}\S/m.test(text);
  return { indent: wide ? "  " : "    ", colon: ": ", comma: ",", eol };
}

function lineUnlike(text: string): Style {
  const tight = !/[:,] /.test(text);
  return { indent: null, colon: tight ? ": " : ":", comma: tight ? ", " : ",", eol: "" };
}

function varied(text: string, reversed: boolean, style: Style): string | null {
  if (!isJson(text) || openAtOnce(unquoted(text)) > deepest) return null;
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true });
  if (root === undefined || errors.length > 0 || hasTwins(root)) return null;
  const written = write(root, { text, reversed, style }, style.eol);
  const whole = text.slice(0, root.offset) + written + text.slice(root.offset + root.length);
  return whole === text ? null : whole;
}

type Source = { readonly text: string; readonly reversed: boolean; readonly style: Style };

/** `margin` is the line break and indent of the line that the value starts in. */
function write(node: Node, source: Source, margin: string): string {
  const { style, reversed, text } = source;
  const inner = style.indent === null ? "" : margin + style.indent;
  const around = (open: string, members: readonly string[], close: string): string =>
    members.length === 0
      ? open + close
      : `${open}${inner}${members.join(style.comma + inner)}${style.indent === null ? "" : margin}${close}`;
  const children = node.children ?? [];
  switch (node.type) {
    case "object": {
      const members = children.map((member) => write(member, source, inner));
      return around("{", reversed ? members.toReversed() : members, "}");
    }
    case "array":
      return around(
        "[",
        children.map((element) => write(element, source, inner)),
        "]",
      );
    case "property":
      return children.map((part) => write(part, source, margin)).join(style.colon);
    case "string":
    case "number":
    case "boolean":
    case "null":
      return text.slice(node.offset, node.offset + node.length);
    default:
      return unreachable(node.type);
  }
}

/** Two members of one name: which of them counts depends on their order. */
function hasTwins({ type, children = [] }: Node): boolean {
  const keys = type === "object" ? children.map((member): unknown => member.children?.[0]?.value) : [];
  return new Set(keys).size < keys.length || children.some(hasTwins);
}

/** The characters of JSON that are in no string. */
function* unquoted(json: string): Generator<string> {
  let quoted = false;
  for (let at = 0; at < json.length; at++) {
    const character = json.charAt(at);
    if (character === '"') quoted = !quoted;
    else if (!quoted) yield character;
    else if (character === "\\") at++;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
