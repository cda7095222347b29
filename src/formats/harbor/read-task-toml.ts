import { parse, TomlError } from "smol-toml";
import type { Loss } from "../losses.ts";
import { printed } from "../printed.ts";
import { strictText } from "./strict-text.ts";
import { type Fate, fields, isTable, sections, valueWords } from "./task-fields.ts";

/** What of task.toml a bundle needs, and what becomes of the rest. */
export type TaskToml = {
  readonly title: string | null;
  /** Where the agent works, when task.toml says so. */
  readonly workdir: string | null;
  readonly verifierEnv: Readonly<Record<string, string>>;
  readonly solutionEnv: Readonly<Record<string, string>>;
  readonly losses: readonly Loss[];
  /** Why the task cannot be a bundle. */
  readonly reasons: readonly string[];
};

type Table = Readonly<Record<string, unknown>>;

/** The schema versions that are read. */
export const readVersions = ["1.0", "1.1", "1.2", "1.3", "1.4"] as const;
/** What a file without one is read as, as Harbor does. */
const assumedVersion = "1.3";
const mostLosses = 200;
const longestTitle = 100;

/** task.toml as a table, or what is wrong with it. */
export function parseTaskToml(bytes: Uint8Array | undefined): Table | string {
  const text = bytes === undefined ? undefined : strictText(bytes);
  if (text === undefined) return "task.toml: missing. It says what kind of task this is.";
  if (text === null) return "task.toml: not UTF-8 text.";
  try {
    return parse(text.replace(/^\ufeff/, ""), { maxDepth: 50, unsafeKeyBehaviour: "throw" });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return `task.toml, line ${error.line}: not valid TOML: ${printed(error.message.split("\n")[0] ?? "")}`;
  }
}

/** Reads a parsed task.toml. Every field that it has is used, lost or a reason for refusal; none goes unnamed. */
export function readTaskToml(table: Table): TaskToml {
  const losses: Loss[] = [];
  const reasons: string[] = [...versionReasons(table, losses)];
  let unnamed = 0;
  for (const [part, path, value] of membersOf(table)) {
    const known = Object.hasOwn(fields, path) ? fields[path] : undefined;
    const fate = known?.(value) ?? otherwise(path, value);
    if (fate.kind === "refused") reasons.push(`${part}: ${fate.words}`);
    else if (fate.kind === "lost" && losses.length < mostLosses) losses.push({ part, words: fate.words });
    else if (fate.kind === "lost") unnamed++;
  }
  if (unnamed > 0) losses.push({ part: "task.toml", words: `${unnamed} more fields are not kept` });
  const environment = tableAt(table, "environment");
  if (environment["network_mode"] === undefined && environment["allow_internet"] === undefined) {
    const words = "omitted, which means a public network: here agents and graders have none";
    losses.push({ part: "task.toml [environment] network_mode", words });
  }
  const workdir = environment["workdir"];
  return {
    title: titleOf(tableAt(table, "task"), losses),
    workdir: typeof workdir === "string" ? workdir.replace(/(?<=.)\/+$/, "") : null,
    verifierEnv: textsAt(tableAt(table, "verifier"), "env"),
    solutionEnv: textsAt(tableAt(table, "solution"), "env"),
    losses,
    reasons,
  };
}

/** Where each field stands, its path, and its value. */
function membersOf(table: Table): readonly (readonly [part: string, path: string, value: unknown])[] {
  return Object.entries(table).flatMap(([key, value]) => {
    const isSection = sections.some((section) => section === key) || key === "metadata";
    if (!isSection || !isTable(value)) return [[`task.toml ${printed(key)}`, key, value] as const];
    return Object.entries(value).map(
      ([member, inner]) => [`task.toml [${key}] ${printed(member)}`, `${key}.${member}`, inner] as const,
    );
  });
}

function otherwise(path: string, value: unknown): Fate {
  if (sections.some((section) => section === path))
    return { kind: "refused", words: `must be a table; it is ${valueWords(value)}.` };
  if (path === "metadata" || path.startsWith("metadata."))
    return { kind: "lost", words: `${valueWords(value)}: not kept` };
  return { kind: "lost", words: `${valueWords(value)}: no such field is known here; not kept` };
}

function versionReasons(table: Table, losses: Loss[]): readonly string[] {
  const version = table["schema_version"] ?? table["version"];
  if (version === undefined) {
    losses.push({ part: "task.toml schema_version", words: `missing, so it is read as ${assumedVersion}` });
    return [];
  }
  if (readVersions.some((known) => known === version)) return [];
  return [
    `task.toml schema_version: is ${valueWords(version)}; ${readVersions.map((known) => `"${known}"`).join(", ")} are read.`,
  ];
}

function titleOf(task: Table, losses: Loss[]): string | null {
  const { name, description } = task;
  const said = typeof description === "string" ? (description.trim().split(/\r?\n/)[0] ?? "") : "";
  if (said !== "" && said.length <= longestTitle) return said;
  if (said !== "")
    losses.push({ part: "task.toml [task] description", words: "too long for a title; not kept" });
  return typeof name === "string" && name.trim() !== "" ? name.trim() : null;
}

function tableAt(table: Table, key: string): Table {
  const value = table[key];
  return isTable(value) ? value : {};
}

function textsAt(table: Table, key: string): Readonly<Record<string, string>> {
  const texts = Object.entries(tableAt(table, key)).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  return Object.fromEntries(texts);
}
