import { dump } from "js-yaml";
import { z } from "zod";
import { configSchema } from "../../config.ts";
import { type Note, notes } from "./notes.ts";

/** A part of the schema as JSON Schema has it. */
type Part = z.core.JSONSchema.BaseSchema;

/** `live: false` is left out: a # stands right before its text. */
type Line = { readonly depth: number; readonly live: boolean; readonly text: string };

type Written = {
  readonly notes: Readonly<Record<string, Note>>;
  /** Values that stand in the file, by path, instead of the schema's defaults. */
  readonly values: ReadonlyMap<string, unknown>;
};

type Place = { readonly path: string; readonly depth: number; readonly live: boolean };

const opening = `# One campaign of skillproof. Paths are relative to this file; secrets come from the environment (or a .env beside it).
# Every key is here, with its default unless you see otherwise. One with a # right before it is left out: take the #
# away to use it, together with those it stands below.
`;

/**
 * A campaign's file with every key of the schema: live with what `values` has for its path or else its default, or
 * left out with an example. Its keys are the schema's, so that a new one cannot be forgotten.
 */
export function writeConfig(values: ReadonlyMap<string, unknown>, of = notes): string {
  const schema = z.toJSONSchema(configSchema, { io: "input" });
  const written: Written = { notes: of, values };
  const groups = keysIn(schema).map(([key, part]) =>
    linesFor(key, part, { path: key, depth: 0, live: true }, written),
  );
  const text = groups.map((lines, at) => {
    // Groups of keys stand apart, single ones do not.
    const apart = lines.length > 1 || (groups[at - 1]?.length ?? 2) > 1 ? "\n" : "";
    return `${apart}${lines.map(print).join("")}`;
  });
  return `${opening}${text.join("")}`;
}

/** Paths of all keys, in the order of the file: `*` for any name, `[]` for an entry of a list. */
export function schemaPaths(
  schema: Part = z.toJSONSchema(configSchema, { io: "input" }),
  above = "",
): string[] {
  return keysIn(schema).flatMap(([key, part]) => {
    const path = above === "" ? key : `${above}.${key}`;
    const inside = entryOf(part);
    const any = namedOf(part);
    return [
      path,
      ...schemaPaths(part, path),
      ...(inside === undefined ? [] : schemaPaths(inside, `${path}[]`)),
      ...(any === undefined ? [] : schemaPaths(any, `${path}.*`)),
    ];
  });
}

function keysIn(part: Part): [string, Part][] {
  return Object.entries(groupOf(part)?.properties ?? {}).flatMap(([key, part]) =>
    typeof part === "boolean" || key === "$schema" ? [] : [[key, part] as [string, Part]],
  );
}

/** The shape with keys of its own, where there is one: of a part, or of one that may be null or a text instead. */
function groupOf(part: Part): Part | undefined {
  return [part, ...(part.anyOf ?? [])].find(
    (one): one is Part => typeof one !== "boolean" && one.properties !== undefined,
  );
}

/** What an entry of a list is where it can be an object. */
function entryOf({ items }: Part): Part | undefined {
  if (items === undefined || typeof items === "boolean" || Array.isArray(items)) return undefined;
  return groupOf(items);
}

/** What every value of a record is. */
function namedOf({ additionalProperties }: Part): Part | undefined {
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

function linesFor(key: string, part: Part, place: Place, written: Written): Line[] {
  const { path, depth } = place;
  const any = namedOf(part);
  const entry = entryOf(part);
  if (groupOf(part) !== undefined) {
    // Null unless somebody wants it: all of it is left out.
    return section(key, part, { ...place, live: place.live && part.default !== null }, written);
  }
  if (any !== undefined) {
    const name = written.notes[path]?.example ?? "name";
    const inner = { path: `${path}.*`, depth: depth + 2, live: false };
    return [
      line(`${key}:`, { ...place, live: false }, written),
      { depth: depth + 1, live: false, text: `${flow(name)}:` },
      ...keysIn(any).flatMap(([one, of]) =>
        linesFor(one, of, { ...inner, path: `${inner.path}.${one}` }, written),
      ),
    ];
  }
  if (entry !== undefined && part.default === undefined) {
    const inner = { path: `${path}[]`, depth: depth + 2, live: false };
    const lines = keysIn(entry).flatMap(([one, of]) =>
      linesFor(one, of, { ...inner, path: `${inner.path}.${one}` }, written),
    );
    return [line(`${key}:`, { ...place, live: false }, written), ...asEntry(lines)];
  }
  return leaf(key, part, place, written);
}

/** A group of keys, with its comment above; left out as a whole when none of them is live. */
function section(key: string, part: Part, place: Place, written: Written): Line[] {
  const { path, depth, live } = place;
  const lines = keysIn(part).flatMap(([one, of]) =>
    linesFor(one, of, { path: `${path}.${one}`, depth: depth + 1, live }, written),
  );
  const own = { ...place, live: live && lines.some((one) => one.live) };
  if (depth > 0) return [line(`${key}:`, own, written), ...lines];
  const { why } = written.notes[path] ?? { why: "" };
  const above = why === "" ? [] : [{ depth, live: true, text: `# ${why}` }];
  return [...above, { depth, live: own.live, text: `${key}:` }, ...lines];
}

function leaf(key: string, part: Part, place: Place, written: Written): Line[] {
  const { path, depth } = place;
  const note = written.notes[path];
  const value = written.values.has(path) ? written.values.get(path) : part.default;
  const live = place.live && value !== undefined;
  const shown = live ? value : (value ?? note?.example ?? exampleFor(part));
  const entries = note?.entries ?? [];
  if (!live || !Array.isArray(shown) || (shown.length === 0 && entries.length === 0))
    return [line(`${key}: ${flow(shown)}`, { ...place, live }, written, choicesOf(part))];
  // A list with nothing live in it would be null.
  const empty = shown.length === 0;
  return [
    line(empty ? `${key}: []` : `${key}:`, { ...place, live }, written, choicesOf(part)),
    ...shown.map((one: unknown) => ({ depth: depth + 1, live: true, text: `- ${flow(one)}` })),
    ...entries.map(({ entry, why }) => ({
      depth: depth + 1,
      live: false,
      text: `- ${flow(entry)} # ${why}`,
    })),
  ];
}

function line(text: string, { path, depth, live }: Place, written: Written, choices = ""): Line {
  const why = [written.notes[path]?.why ?? "", choices].filter((words) => words !== "").join("; ");
  return { depth, live, text: why === "" ? text : `${text} # ${why}` };
}

/** The first line begins an entry of a list. */
function asEntry([first, ...rest]: readonly Line[]): Line[] {
  return first === undefined ? [] : [{ ...first, depth: first.depth - 1, text: `- ${first.text}` }, ...rest];
}

/** What else could stand there, where the schema says it. */
function choicesOf(part: Part): string {
  const items = typeof part.items === "object" && !Array.isArray(part.items) ? part.items : undefined;
  const choices = part.enum ?? items?.enum ?? [];
  return choices.length < 2 ? "" : choices.map(String).join(" | ");
}

/** For a key that nobody has written an example for. */
function exampleFor(part: Part): unknown {
  if (part.enum?.[0] !== undefined) return part.enum[0];
  if (part.type === "array") return [];
  if (part.type === "boolean") return false;
  return part.type === "number" || part.type === "integer" ? 1 : "text";
}

function print({ depth, live, text }: Line): string {
  return `${"  ".repeat(depth)}${live ? "" : "#"}${text}\n`;
}

/** On one line, whatever is in it. */
function flow(value: unknown): string {
  const dumped = dump(value, { flowLevel: 0, lineWidth: -1 }).trim();
  if (!dumped.includes("\n")) return dumped;
  // Block text would need an indentation; quoted JSON is YAML too.
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
