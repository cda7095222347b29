import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { load } from "js-yaml";
import type { z } from "zod";
import type { ArmSpec } from "./artefacts/arm.ts";
import { type Config, type ConfigOverrides, configSchema } from "./config.ts";
import { messageOf, UserError } from "./errors.ts";
import { nearest } from "./nearest.ts";

/** Reads one campaign's YAML. Every problem is named at once, each with its YAML path. Throws `UserError`. */
export async function loadConfig(file: string, overrides: ConfigOverrides = {}): Promise<Config> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new UserError(`${file}: cannot be read (${messageOf(error)}). Name it with --config FILE.`, {
      cause: error,
    });
  }
  return parseConfig(text, file, overrides);
}

/** Paths in the file are relative to the file; those of `overrides` are used as given. */
export function parseConfig(text: string, file: string, overrides: ConfigOverrides = {}): Config {
  let raw: unknown;
  try {
    raw = load(text);
  } catch (error) {
    throw new UserError(`${file}: not valid YAML: ${messageOf(error)}`, { cause: error });
  }
  const parsed = configSchema.safeParse(raw ?? {});
  if (!parsed.success) {
    const problems = parsed.error.issues.flatMap((issue) => describeIssue(issue));
    throw new UserError(
      `${file}: ${problems.length} problem(s)\n${problems.map((words) => `  ${words}`).join("\n")}`,
    );
  }
  return resolvePaths(parsed.data, dirname(resolve(file)), overrides);
}

function describeIssue(issue: z.core.$ZodIssue): string[] {
  const meant = issue.code === "invalid_union" ? branchMeant(issue) : undefined;
  if (meant !== undefined) {
    return meant.flatMap((inner) => describeIssue({ ...inner, path: [...issue.path, ...inner.path] }));
  }
  const path = issue.path.map(String).join(".");
  if (issue.code !== "unrecognized_keys") return [`${path === "" ? "(top level)" : path}: ${issue.message}`];
  const known = keysAt(issue.path);
  return issue.keys.map((key) => {
    const [meant] = nearest(key, known);
    const hint = meant === undefined ? `known here: ${known.join(", ")}` : `did you mean ${meant}?`;
    return `${path === "" ? key : `${path}.${key}`}: unknown key; ${hint}`;
  });
}

/** Of several shapes an entry can have the object's, where only a key in it is unknown. */
function branchMeant(issue: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | undefined {
  return issue.errors.find((branch) => branch.some(({ code }) => code === "unrecognized_keys"));
}

/** The keys that the schema knows below a path of object keys and places in lists. */
function keysAt(path: readonly PropertyKey[]): string[] {
  let schema: unknown = configSchema;
  for (const key of path) {
    schema = shapeOf(schema)?.[String(key)] ?? valueOf(schema) ?? elementOf(schema);
  }
  return Object.keys(shapeOf(schema) ?? {}).filter((key) => key !== "$schema");
}

function shapeOf(schema: unknown): Record<string, unknown> | undefined {
  return insideOf(schema, (current) => {
    if ("shape" in current) return current.shape as Record<string, unknown>;
    // One of several shapes: only one of them is an object's.
    if (!("options" in current) || !Array.isArray(current.options)) return undefined;
    return current.options.map(shapeOf).find((shape) => shape !== undefined);
  });
}

/** What every value of a record must be. */
function valueOf(schema: unknown): unknown {
  return insideOf(schema, (current) => ("valueType" in current ? current.valueType : undefined));
}

/** What every entry of a list must be. */
function elementOf(schema: unknown): unknown {
  return insideOf(schema, (current) => ("element" in current ? current.element : undefined));
}

/** Looks through defaults, optionals and what is done to a value afterwards. */
function insideOf<T>(schema: unknown, look: (current: object) => T | undefined): T | undefined {
  let current = schema;
  while (current !== null && typeof current === "object") {
    const found = look(current);
    if (found !== undefined) return found;
    const def: unknown = "def" in current ? current.def : undefined;
    current = def === null || typeof def !== "object" ? undefined : withinOf(def);
  }
  return undefined;
}

function withinOf(def: object): unknown {
  if ("innerType" in def) return def.innerType;
  return "in" in def ? def.in : undefined;
}

function resolvePaths(
  parsed: z.output<typeof configSchema>,
  base: string,
  overrides: ConfigOverrides,
): Config {
  const absolute = (path: string): string => resolve(base, path);
  const { skills, models, authoring, evaluation, ...rest } = parsed;
  return {
    ...rest,
    folder: base,
    benchmarks: overrides.benchmarks ?? absolute(parsed.benchmarks),
    out: overrides.out ?? absolute(parsed.out),
    skills:
      overrides.skills?.map((folder) => ({ folder: resolve(folder), benchmarks: null })) ??
      skills.map((entry) =>
        typeof entry === "string"
          ? { folder: absolute(entry), benchmarks: null }
          : {
              folder: absolute(entry.folder),
              benchmarks: entry.benchmarks === undefined ? null : absolute(entry.benchmarks),
            },
      ),
    models: {
      ...models,
      ...(models.standIn === undefined ? {} : { standIn: absolute(models.standIn) }),
      ...(models.record === undefined ? {} : { record: absolute(models.record) }),
      ...(models.replay === undefined ? {} : { replay: absolute(models.replay) }),
    },
    authoring: {
      ...authoring,
      ...(authoring.recording === undefined ? {} : { recording: absolute(authoring.recording) }),
    },
    evaluation: {
      ...evaluation,
      arms: evaluation.arms.map((arm) => withFolders(arm, absolute)),
      models: overrides.models === undefined ? evaluation.models : [...overrides.models],
      trials: overrides.trials ?? evaluation.trials,
    },
  };
}

function withFolders(arm: ArmSpec, absolute: (path: string) => string): ArmSpec {
  const { treatment } = arm;
  if (treatment.kind !== "pack") return arm;
  return { ...arm, treatment: { ...treatment, folders: treatment.folders.map(absolute) } };
}
