import { readdir } from "node:fs/promises";
import type { z } from "zod";
import { messageOf, UserError } from "../errors.ts";
import { hashJson } from "../hash.ts";
import { textIfThere } from "./regular-file.ts";

/**
 * A file as somebody who trusts nothing reads it. `hash` is of the canonical JSON of all that it holds, so that what this
 * version does not know counts as well.
 */
export type Recorded<T> =
  | { readonly kind: "there"; readonly value: T; readonly hash: string }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly words: string };

/** Reads one artefact; what is wrong with it is an answer. */
export async function readRecord<T>(path: string, schema: z.ZodType<T>): Promise<Recorded<T>> {
  try {
    const text = await textIfThere(path);
    return text === undefined ? { kind: "absent" } : recordIn(text, schema);
  } catch (error) {
    return { kind: "unreadable", words: inOneLine(error) };
  }
}

/** The same of a text that was read already. */
export function recordIn<T>(text: string, schema: z.ZodType<T>): Recorded<T> {
  try {
    const raw: unknown = JSON.parse(text);
    return { kind: "there", value: schema.parse(raw), hash: hashJson(raw) };
  } catch (error) {
    return { kind: "unreadable", words: inOneLine(error) };
  }
}

/** Text of a file; null where there is none, or where something else lies in its place. */
export async function readText(path: string): Promise<string | null> {
  try {
    return (await textIfThere(path)) ?? null;
  } catch (error) {
    if (error instanceof UserError) return null;
    if (error instanceof Error && "code" in error && error.code === "EISDIR") return null;
    throw error;
  }
}

/** A record that several files make up; `hash` is empty. Only a `UserError` says that they are not readable. */
export async function readRecords<T>(read: () => Promise<T>): Promise<Recorded<T>> {
  try {
    return { kind: "there", value: await read(), hash: "" };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { kind: "unreadable", words: inOneLine(error) };
  }
}

/** Names in a folder, sorted; none where there is no folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return [];
    throw error;
  }
}

function inOneLine(error: unknown): string {
  const words = messageOf(error).replace(/\s+/g, " ").trim();
  return words.length > 300 ? `${words.slice(0, 300)}…` : words;
}
