import { load, YAMLException } from "js-yaml";
import type { Loss } from "../losses.ts";
import { printed } from "../printed.ts";

/** What of an original's benchmark.yaml a bundle needs; the rest is named in `losses`. */
export type OriginalFields = {
  /** Null where it names none. */
  readonly title: string | null;
  /** Below the task's folder: `grader/grade.sh`. */
  readonly entrypoint: string;
  readonly losses: readonly Loss[];
};

type Fields = Readonly<Record<string, unknown>>;

const file = "benchmark.yaml";
const taken = new Set(["schema_version", "id", "title", "grader.entrypoint"]);

/** What becomes of the fields that the format is known to have. */
const known: Readonly<Record<string, string>> = {
  skill_name: "a bundle does not name its skill: keep it below benchmarks/<skill>/",
  capability: "left out; the task says what is asked",
  difficulty: "left out; `skillproof probe` measures how hard a benchmark is",
  provenance: "left out; which sections a bundle comes from is recorded when it is built here",
  "timeouts.agent_wall_seconds": "agents are limited by the campaign: evaluation.limits.seconds",
  "timeouts.grader_seconds": "graders are limited by the campaign: gate.graderSeconds",
  "limits.max_turns": "agents are limited by the campaign: evaluation.limits.turns",
  skill_assets_needed: "left out; an arm that has the skill has all its files",
  validation: "left out; `skillproof validate` proves it again",
  authoring: "left out; how the original was made",
};

/** Reads benchmark.yaml, or says every reason why it cannot. */
export function readFields(
  id: string,
  text: string,
): OriginalFields | { readonly reasons: readonly string[] } {
  const fields = parsed(text);
  if (typeof fields === "string") return { reasons: [fields] };
  const reasons: string[] = [];
  const version = fields["schema_version"] ?? 1;
  if (version !== 1) {
    reasons.push(`${file}: schema_version is ${shown(version)}; only version 1 can be read`);
  }
  const grader = isObject(fields["grader"]) ? fields["grader"] : {};
  const named = grader["entrypoint"] ?? "grader/grade.sh";
  const entrypoint = typeof named === "string" ? belowGrader(named) : null;
  if (entrypoint === null) {
    reasons.push(`${file}: grader.entrypoint is ${shown(named)}; it must be a file below grader/`);
  }
  if (reasons.length > 0 || entrypoint === null) return { reasons };
  const title = fields["title"];
  const hasTitle = typeof title === "string" && title.trim() !== "";
  const losses = lossesOf(fields, "");
  if (fields["id"] !== undefined && fields["id"] !== id) {
    losses.push({ part: `${file} id`, words: `${shown(fields["id"])} there; here the folder's name counts` });
  }
  if (!hasTitle) losses.push({ part: `${file} title`, words: "missing; the folder's name stands in for it" });
  return { title: hasTitle ? title.trim() : null, entrypoint, losses };
}

function parsed(text: string): Fields | string {
  try {
    const value: unknown = load(text);
    return isObject(value) ? value : `${file}: holds ${shown(value)}; it must hold fields such as title`;
  } catch (error) {
    // A document of thousands of brackets ends the parser's stack.
    if (error instanceof RangeError) return `${file}: nested too deeply to be read`;
    if (!(error instanceof YAMLException)) throw error;
    return `${file}: not valid YAML: ${printed(error.message.split("\n")[0] ?? "")}`;
  }
}

function lossesOf(fields: Fields, prefix: string): Loss[] {
  return Object.entries(fields).flatMap(([key, value]): Loss[] => {
    const path = `${prefix}${key}`;
    const part = `${file} ${printed(path)}`;
    if (taken.has(path)) return [];
    if (Object.hasOwn(known, path)) return [{ part, words: `${shown(value)}: ${known[path] ?? ""}` }];
    const isGroup = [...taken, ...Object.keys(known)].some((other) => other.startsWith(`${path}.`));
    if (isGroup && isObject(value)) return lossesOf(value, `${path}.`);
    return [{ part, words: `${shown(value)}: no such field is known here; left out` }];
  });
}

function belowGrader(entrypoint: string): string | null {
  const path = entrypoint.replace(/^(\.\/)+/, "");
  const whole = path.startsWith("grader/") ? path : `grader/${path}`;
  const parts = whole.split("/");
  return entrypoint.startsWith("/") || parts.some((part) => part === "" || part === "..") ? null : whole;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Never follows into a value: YAML's aliases make trees that have no end. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "a date" : value.toISOString();
  if (isObject(value)) return `{${printed(Object.keys(value).join(", "))}}`;
  return typeof value === "string" ? printed(JSON.stringify(value)) : String(value);
}
