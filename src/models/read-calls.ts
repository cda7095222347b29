import { z } from "zod";
import type { ToolCall } from "./port.ts";

const functionSchema = z
  .object({ name: z.string().nullish().catch(null), arguments: z.unknown().optional() })
  .catch({});

export const rawCallSchema = z
  .object({ id: z.string().nullish().catch(null), function: functionSchema.nullish() })
  .catch({ id: null });

export type RawCall = z.infer<typeof rawCallSchema>;

export type ReadCalls = {
  readonly calls: readonly ToolCall[];
  /** Lossless repairs of names and arguments. */
  readonly repairs: number;
};

/**
 * Reads a turn's calls with the lossless repairs of openrouter.md §6, each counted: an object for a string, nothing
 * for `{}`, JSON inside a JSON string, `functions.` before a name or a `<|…` tail after it. Anything that would need
 * a guess stays as the model wrote it. Ids are kept unless missing or used twice; `turn` makes new ones unique.
 */
export function readCalls(raw: readonly RawCall[], turn: number): ReadCalls {
  const taken = new Set<string>();
  let repairs = 0;
  const calls = raw.map((call, index): ToolCall => {
    const given = call.id ?? "";
    const id = given === "" || taken.has(given) ? `call_t${turn}_${index}` : given;
    taken.add(id);
    const name = readName(call.function?.name ?? "");
    const args = readArguments(call.function?.arguments);
    repairs += Number(name.repaired) + Number(args.repaired);
    return { id, name: name.text, arguments: args.text };
  });
  return { calls, repairs };
}

type Read = { readonly text: string; readonly repaired: boolean };

function readName(name: string): Read {
  const text = name.replace(/^functions\./, "").replace(/<\|.*$/s, "");
  return { text, repaired: text !== name };
}

function readArguments(value: unknown): Read {
  if (typeof value !== "string") {
    return { text: value == null ? "{}" : JSON.stringify(value), repaired: true };
  }
  if (value.trim() === "") return { text: "{}", repaired: true };
  const once = parsed(value);
  return typeof once === "string" && isObject(parsed(once))
    ? { text: once, repaired: true }
    : { text: value, repaired: false };
}

/** Whether `text` is a JSON object: what a history must hold. */
export function isJsonObject(text: string): boolean {
  return isObject(parsed(text));
}

function isObject(value: unknown): boolean {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** The value, or undefined for what is not JSON (JSON itself has no undefined). */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
