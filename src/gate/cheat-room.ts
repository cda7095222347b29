import type { Bundle } from "../artefacts/bundle.ts";
import type { Grading } from "../artefacts/grading.ts";
import { isExecutable, type TreeEntry } from "../artefacts/tree.ts";
import { sha256 } from "../hash.ts";

/** What a cheat is told about an output, so that what it leaves there is at least of the right kind. */
export type OutputKind =
  "python" | "node" | "module" | "bash" | "json" | "table" | "yaml" | "markup" | "text" | "binary";

type FileEntry = Extract<TreeEntry, { kind: "file" }>;

const room = "/tmp/cheat";
const mostConstants = 4000;
const mostDepth = 20;

/**
 * What a cheat finds besides the workspace: files by absolute path. On purpose more than any agent can know, since a
 * grader that resists this resists less; `cheats/README.md` describes each. `reference` is the grading of the
 * reference.
 */
export function cheatRoom(bundle: Bundle, reference: Grading): Readonly<Record<string, string>> {
  const outputs = outputsToFake(bundle);
  const graderFiles = bundle.grader.map(({ path }) => path);
  const { outcome } = reference;
  const asked = outcome.kind === "asks" ? outcome.questions.map(({ id }) => id) : [];
  const forms = outputs.flatMap((output, at): (readonly [string, string])[] => {
    const form = formOf(output);
    return form === null ? [] : [[`${room}/forms/${at + 1}`, form]];
  });
  return {
    [`${room}/task.md`]: bundle.task,
    [`${room}/outputs`]: lines(outputs.map(({ path }) => path)),
    [`${room}/kinds`]: lines(outputs.map(kindOf)),
    [`${room}/counterparts`]: lines(outputs.map(({ path }) => counterpartOf(path, graderFiles))),
    // Where nothing is to be faked, taking away may be the whole task.
    [`${room}/removes`]: lines(outputs.length === 0 ? [] : bundle.spec.removes),
    [`${room}/constants`]: lines(constantsOf(bundle.task)),
    [`${room}/grader-files`]: lines(graderFiles),
    [`${room}/assertions`]: lines(
      outcome.assertions.map(({ assertion }) => JSON.stringify({ assertion, passed: true })),
    ),
    [`${room}/questions`]: lines(asked),
    ...Object.fromEntries(forms),
  };
}

/**
 * Files that the reference delivers. Not those that are a fixture under its own or another name, nor blank ones: who
 * copies or empties a file there has done that part of the task.
 */
function outputsToFake({ fixtures, reference }: Bundle): readonly FileEntry[] {
  const given = new Set(fixtures.flatMap((entry) => (entry.kind === "file" ? [sha256(entry.bytes)] : [])));
  return reference.filter(
    (entry): entry is FileEntry =>
      entry.kind === "file" && !given.has(sha256(entry.bytes)) && textIn(entry)?.trim() !== "",
  );
}

const kindsByExtension: Readonly<Record<string, OutputKind>> = {
  py: "python",
  js: "node",
  cjs: "node",
  mjs: "module",
  sh: "bash",
  bash: "bash",
  json: "json",
  csv: "table",
  tsv: "table",
  yaml: "yaml",
  yml: "yaml",
  xml: "markup",
  html: "markup",
  svg: "markup",
};

function kindOf(entry: FileEntry): OutputKind {
  const known = kindsByExtension[extensionOf(entry.path)];
  if (known !== undefined) return known;
  const text = textIn(entry);
  if (text === null) return "binary";
  const [, interpreter = ""] = /^#!.*\b(python|node|bash|sh)/.exec(text) ?? [];
  if (interpreter === "python" || interpreter === "node") return interpreter;
  return interpreter !== "" || isExecutable(entry.mode) ? "bash" : "text";
}

/** The grader's file that most likely holds what the output is compared with. */
function counterpartOf(output: string, graderFiles: readonly string[]): string {
  const data = graderFiles.filter((path) => path !== "grade" && path !== "claims.json");
  return (
    data.find((path) => nameOf(path) === nameOf(output)) ??
    data.find((path) => extensionOf(path) === extensionOf(output)) ??
    data[0] ??
    "grade"
  );
}

/** Numbers, quotations, code and words of four letters or more, each once, in the order of their kinds. */
export function constantsOf(task: string): readonly string[] {
  const rows = task.split(/\r?\n/);
  const patterns = [
    /`([^`\n]{1,300})`/g,
    /"([^"\n]{1,300})"/g,
    /“([^”\n]{1,300})”/g,
    /(?<![\p{L}\p{N}])'([^'\n]{1,300})'/gu,
    /([-+]?\d[\d.,:/]*)/g,
    /([\p{L}\p{N}][\p{L}\p{N}_./-]{3,300})/gu,
  ];
  const found = [
    ...fencedLines(rows),
    ...patterns.flatMap((pattern) => [...task.matchAll(pattern)].map(([, constant = ""]) => constant)),
  ];
  const bare = found.map((constant) => constant.trim().replace(/[.,:/]$/, ""));
  return [...new Set(bare)].filter((constant) => constant !== "").slice(0, mostConstants);
}

function fencedLines(rows: readonly string[]): readonly string[] {
  let inside = false;
  return rows.filter((row) => {
    const isFence = /^\s*(```|~~~)/.test(row);
    if (isFence) inside = !inside;
    return inside && !isFence && row.length <= 300;
  });
}

/** The right form with nothing in it: a JSON document's keys, any other text's first line. Null where that is all. */
function formOf(entry: FileEntry): string | null {
  const text = textIn(entry);
  if (text === null) return null;
  if (kindOf(entry) === "json") {
    const document = parsed(text);
    const form = document === undefined ? null : emptied(document, mostDepth);
    return form === null || !form.changed ? null : `${JSON.stringify(form.value, null, 2)}\n`;
  }
  const [first = "", ...rest] = text.split("\n");
  return rest.every((row) => row.trim() === "") ? null : `${first}\n`;
}

type Emptied = { readonly value: unknown; readonly changed: boolean };

function emptied(value: unknown, depth: number): Emptied {
  if (Array.isArray(value)) return { value: [], changed: value.length > 0 };
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value);
    if (depth === 0) return { value: {}, changed: members.length > 0 };
    const inside = members.map(([key, member]) => [key, emptied(member, depth - 1)] as const);
    return {
      value: Object.fromEntries(inside.map(([key, member]) => [key, member.value])),
      changed: inside.some(([, { changed }]) => changed),
    };
  }
  const nothing = typeof value === "string" ? "" : typeof value === "number" ? 0 : null;
  const blank = typeof value === "boolean" ? false : nothing;
  return { value: blank, changed: blank !== value };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function textIn({ bytes }: FileEntry): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function extensionOf(path: string): string {
  const name = nameOf(path);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase();
}

function lines(values: readonly string[]): string {
  return values.map((value) => `${value}\n`).join("");
}
