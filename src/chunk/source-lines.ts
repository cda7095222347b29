import { isUtf8 } from "node:buffer";
import type { Diagnostic } from "../artefacts/chunks.ts";
import { diagnose } from "./diagnostics.ts";

/** A Markdown file as lines without their ends; line n of the file on disk is `lines[n - 1]`. */
export type SourceLines = {
  readonly lines: readonly string[];
  /** 1-based line of a code fence that held the whole file; it is blank in `lines`. */
  readonly wrapperLine: number | null;
  readonly diagnostics: readonly Diagnostic[];
};

/** As CommonMark has it: nothing but spaces and tabs. */
export function isBlank(line: string): boolean {
  return /^[ \t]*$/.test(line);
}

/** `---`, alone on its line, at column 1. */
export function isFrontmatterFence(line: string): boolean {
  return /^---[ \t]*$/.test(line);
}

/** Decodes a file leniently and takes off a code fence around the whole of it. No line moves. */
export function readSourceLines(bytes: Uint8Array): SourceLines {
  const diagnostics: Diagnostic[] = [];
  let text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  if (!isUtf8(bytes)) {
    diagnostics.push(
      diagnose("encoding-invalid-utf8", null, "not valid UTF-8; the bad bytes were replaced by U+FFFD"),
    );
  }
  if (text.startsWith("\uFEFF")) {
    text = text.slice(1);
    diagnostics.push(diagnose("encoding-bom", 1, "starts with a byte order mark; save it without"));
  }
  const written = text.split(/\r\n|\r|\n/);
  const unwrapped = withoutWrapper(written);
  if (unwrapped === null) return { lines: written, wrapperLine: null, diagnostics };
  const { lines, wrapperLine } = unwrapped;
  diagnostics.push(
    diagnose(
      "wrapped-in-fence",
      wrapperLine,
      "the whole file stands in a code fence; remove the fence's two lines",
    ),
  );
  return { lines, wrapperLine, diagnostics };
}

/** Generators save their answer with the fence they were asked to put around it. */
function withoutWrapper(
  written: readonly string[],
): { lines: readonly string[]; wrapperLine: number } | null {
  const opening = written.findIndex((line) => !isBlank(line));
  const fence = /^ {0,3}(`{3,}|~{3,})[ \t]*(?:markdown|md|skill|yaml)?[ \t]*$/.exec(
    written[opening] ?? "",
  )?.[1];
  if (fence === undefined || !isFrontmatterFence(written[opening + 1] ?? "")) return null;
  const lines = [...written];
  lines[opening] = "";
  const last = lines.findLastIndex((line) => !isBlank(line));
  if (closesFence(lines[last] ?? "", fence)) lines[last] = "";
  return { lines, wrapperLine: opening + 1 };
}

/** Whether the line closes a code fence that was opened with `fence` (its backticks or tildes). */
export function closesFence(line: string, fence: string): boolean {
  const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return closing !== undefined && closing[0] === fence[0] && closing.length >= fence.length;
}
