import { readFile } from "node:fs/promises";
import type { z } from "zod";
import { messageOf, UserError } from "../errors.ts";
import { textIfThere } from "./regular-file.ts";

/** Text of a file, or undefined when there is none. Every other failure is thrown. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Reads one artefact and checks its shape and format. Throws `UserError` naming the file and `remedy`, the
 * command that makes it anew.
 */
export async function readArtefact<T>(path: string, schema: z.ZodType<T>, remedy: string): Promise<T> {
  const text = await textIfThere(path);
  if (text === undefined) throw new UserError(`${path}: not there. ${remedy}`);
  return parseArtefact(text, path, schema, remedy);
}

/** As `readArtefact`, but null when the file is not there. */
export async function readArtefactIfThere<T>(
  path: string,
  schema: z.ZodType<T>,
  remedy: string,
): Promise<T | null> {
  const text = await textIfThere(path);
  return text === undefined ? null : parseArtefact(text, path, schema, remedy);
}

function parseArtefact<T>(text: string, path: string, schema: z.ZodType<T>, remedy: string): T {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    throw new UserError(`${path}: not valid JSON (${messageOf(error)}). ${remedy}`, { cause: error });
  }
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined ? "" : `${issue.path.map(String).join(".")}: ${issue.message}`;
  throw new UserError(`${path}: not an artefact this version reads (${where}). ${remedy}`);
}
