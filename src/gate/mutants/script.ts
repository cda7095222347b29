import { isExecutable } from "../../artefacts/tree.ts";
import { longestSource } from "./code.ts";
import { decodeText } from "./file-kind.ts";
import type { Change, Mutator, Subject } from "./mutant.ts";
import { type CodeLanguage, codeLanguageOf, parseCode, type Syntax } from "./parse-code.ts";

/** A script as a whole: one that fails, and one that prints nothing, before it does anything. */
export const mutateScript: Mutator = async (subject) => {
  const ends = (await inOwnLanguage(subject)) ?? asProgram(subject);
  return ends === null
    ? []
    : [
        { kind: "script-fails", words: "the script ends with status 1 at once", bytes: encoded(ends(1)) },
        { kind: "script-silent", words: "the script ends with status 0 at once", bytes: encoded(ends(0)) },
      ].filter(({ kind }) => kind === "script-fails" || !doesNothing(subject));
};

/** The script that ends with a status instead. */
type Ending = (status: 0 | 1) => string;

async function inOwnLanguage(subject: Subject): Promise<Ending | null> {
  const text = decodeText(subject.bytes);
  const language = text === null ? null : codeLanguageOf(subject.path, text.body);
  if (text === null || language === null || !isScript(subject, text.body, language)) return null;
  const at = await placeOfFirstStatement(text.body, language);
  const before = text.mark + text.body.slice(0, at);
  const line = before === text.mark || before.endsWith("\n") ? "" : "\n";
  return (status) => `${before}${line}${statement(language, status)}\n${text.body.slice(at)}`;
}

/** A file that is only imported is none: its parts are broken one by one. */
function isScript({ mode }: Subject, body: string, language: CodeLanguage): boolean {
  if (language === "bash" || isExecutable(mode) || body.startsWith("#!")) return true;
  if (language === "python") return /^if\s+__name__\s*==/m.test(body);
  return /\brequire\.main\b|\bprocess\.argv\b|\bimport\.meta\.(?:main|filename|url)\b/.test(body);
}

function statement(language: CodeLanguage, status: 0 | 1): string {
  if (language === "python") return `raise SystemExit(${status})`;
  return language === "bash" ? `exit ${status}` : `process.exit(${status});`;
}

/** After the `#!` line and, in Python, the line of the encoding and imports from the future, which have to be first. */
async function placeOfFirstStatement(body: string, language: CodeLanguage): Promise<number> {
  const coding =
    language === "python"
      ? /^(?:#![^\n]*(?:\n|$))?(?:#[^\n]*coding[:=][^\n]*(?:\n|$))?/
      : /^#![^\n]*(?:\n|$)/;
  const head = coding.exec(body)?.[0].length ?? 0;
  if (language !== "python" || !body.includes("__future__") || body.length > longestSource) return head;
  const parsed = await parseCode(body, language);
  const last = parsed?.root.children.findLast(({ type }) => type === "future_import_statement");
  parsed?.dispose();
  return last === undefined ? head : endOfLine(last);
}

function endOfLine({ source, to }: Syntax): number {
  const end = source.indexOf("\n", to);
  return end < 0 ? source.length : end + 1;
}

const elf = "\u007fELF";

/** A program of another kind that is called by its name can be any other program. */
function asProgram({ mode, bytes }: Subject): Ending | null {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, elf.length));
  if (!isExecutable(mode) || !(start.startsWith("#!") || start === elf)) return null;
  return (status) => `#!/bin/sh\nexit ${status}\n`;
}

/** Nothing but comments: a script that prints nothing already. */
function doesNothing({ bytes }: Subject): boolean {
  return new TextDecoder()
    .decode(bytes)
    .split("\n")
    .every((line) => /^\s*(?:(?:#|\/\/)[^\n]*)?$/.test(line));
}

function encoded(text: string): Change["bytes"] {
  return new TextEncoder().encode(text);
}
