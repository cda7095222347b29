/** One instruction of a Dockerfile. */
export type Instruction = {
  /** Where it begins, from 1. */
  readonly line: number;
  /** In capitals. */
  readonly name: string;
  /** Everything after the name on one line, flags included. */
  readonly rest: string;
};

/** The instructions in their order; comments, blank lines and continuations are taken out. */
export function instructionsOf(text: string): readonly Instruction[] {
  const found: Instruction[] = [];
  let open: { readonly line: number; readonly parts: string[] } | null = null;
  const rows = text.replace(/^\ufeff/, "").split(/\r?\n/);
  for (const [at, row] of rows.entries()) {
    if (/^\s*(#|$)/.test(row)) continue;
    const goesOn = /\\\s*$/.test(row);
    open ??= { line: at + 1, parts: [] };
    open.parts.push(goesOn ? row.replace(/\\\s*$/, "") : row);
    if (goesOn && at < rows.length - 1) continue;
    found.push(instructionOf(open.line, open.parts.join(" ").trim()));
    open = null;
  }
  if (open !== null) found.push(instructionOf(open.line, open.parts.join(" ").trim()));
  return found;
}

function instructionOf(line: number, whole: string): Instruction {
  const [name = ""] = whole.split(/\s/, 1);
  return { line, name: name.toUpperCase(), rest: whole.slice(name.length).trim() };
}

/** What COPY and ADD say: flags by name (`""` without a value), sources and the destination; null when it is malformed. */
export function copyOf(rest: string): {
  readonly flags: ReadonlyMap<string, string>;
  readonly sources: readonly string[];
  readonly destination: string;
} | null {
  const flags = new Map<string, string>();
  let left = rest;
  for (;;) {
    const [whole, name, value = ""] = /^--([\w-]+)(?:=(\S*))?\s*/.exec(left) ?? [];
    if (whole === undefined || name === undefined) break;
    flags.set(name, value);
    left = left.slice(whole.length);
  }
  const operands = left.startsWith("[") ? jsonWords(left) : left.split(/\s+/).filter((word) => word !== "");
  const destination = operands?.at(-1);
  if (operands === null || operands.length < 2 || destination === undefined) return null;
  return { flags, sources: operands.slice(0, -1), destination };
}

function jsonWords(text: string): readonly string[] | null {
  try {
    const words: unknown = JSON.parse(text);
    return Array.isArray(words) && words.every((word) => typeof word === "string") ? words : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
