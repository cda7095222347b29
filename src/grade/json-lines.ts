import type { z } from "zod";

/**
 * Every non-blank line of `text` as one JSON value of `schema`. `values` holds what came before the first line that
 * does not fit; `fault` says what was expected and quotes that line, null when all fit.
 */
export function jsonLines<T>(
  text: string,
  schema: z.ZodType<T>,
  expected: string,
): { readonly values: readonly T[]; readonly fault: string | null } {
  const values: T[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const parsed = schema.safeParse(jsonOrUndefined(line));
    if (!parsed.success) return { values, fault: `${expected}; line ${at + 1} is: ${quoted(line)}` };
    values.push(parsed.data);
  }
  return { values, fault: null };
}

function jsonOrUndefined(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function quoted(line: string): string {
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
