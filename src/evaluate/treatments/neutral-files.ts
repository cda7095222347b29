import { isUtf8 } from "node:buffer";
import { posix } from "node:path";
import type { TreeEntry } from "../../artefacts/tree.ts";
import { isExecutable } from "../../artefacts/tree.ts";

type FileEntry = Extract<TreeEntry, { readonly kind: "file" }>;

/** How a format takes text that does nothing: lines behind a sign, or one text between two. */
type Form =
  | { readonly kind: "lines"; readonly first: string; readonly sign: string }
  | { readonly kind: "between"; readonly open: string; readonly close: string };

const signs: readonly (readonly [sign: string, extensions: string])[] = [
  ["# ", "sh bash zsh ksh fish py rb pl pm r R jl toml ini cfg conf env mk make awk tcl ps1 gitignore"],
  ["// ", "js mjs cjs ts mts cts jsx tsx go rs java kt scala swift c h cc cpp hpp cs dart"],
  ["-- ", "sql lua hs"],
  ["% ", "tex sty m"],
  ["; ", "el clj lisp scm"],
  ["rem ", "bat cmd"],
];
const signOf = new Map(
  signs.flatMap(([sign, extensions]) => extensions.split(" ").map((one) => [one, sign])),
);

const betweens: Readonly<Record<string, readonly [open: string, close: string]>> = {
  json: ['{"notes":"', '"}'],
  jsonl: ['{"notes":"', '"}'],
  ipynb: ['{"notes":"', '"}'],
  yaml: ['notes: "', '"'],
  yml: ['notes: "', '"'],
  xml: ["<notes>", "</notes>"],
  svg: ["<notes>", "</notes>"],
  html: ["<p>", "</p>"],
  htm: ["<p>", "</p>"],
  css: ["/* ", " */"],
};

/** Which of these a program is for says its first line, where it has no ending that does. */
const shebang =
  /^#! ?\/(?:usr\/)?(?:local\/)?bin\/(?:env )?(sh|bash|dash|zsh|python[0-9.]*|node|ruby|perl|Rscript|php)(?=\s|$)/;

/** A script's text without the words that name its program. */
export function withoutShebang(text: string): string {
  return text.replace(shebang, "");
}

/**
 * A file of the same path, mode and size that says nothing: neutral text in the form of its kind, so that a script
 * prints nothing and succeeds; zeroes for what is no text. `text` gives neutral sentences without an end.
 */
export function neutralFile(entry: FileEntry, text: () => string): FileEntry {
  const { bytes } = entry;
  if (bytes.includes(0) || !isUtf8(bytes)) return { ...entry, bytes: new Uint8Array(bytes.length) };
  const written = neutralText(formOf(entry), bytes.length, text);
  return { ...entry, bytes: new TextEncoder().encode(written) };
}

function formOf({ path, mode, bytes }: FileEntry): Form {
  const beginning = new TextDecoder().decode(bytes.subarray(0, 128));
  const [first = "", program = ""] = shebang.exec(beginning) ?? [];
  const extension = posix.extname(path).slice(1) || posix.basename(path).replace(/^\./, "").toLowerCase();
  const between = betweens[extension];
  if (between !== undefined) return { kind: "between", open: between[0], close: between[1] };
  if (extension === "php" || program === "php")
    return lines(`${first === "" ? "" : `${first}\n`}<?php`, "// ");
  const sign = signOf.get(extension) ?? (program === "" ? undefined : program === "node" ? "// " : "# ");
  if (sign !== undefined) return lines(first, sign);
  if (["makefile", "dockerfile"].includes(extension) || isExecutable(mode)) return lines(first, "# ");
  return lines("", "");
}

function lines(first: string, sign: string): Form {
  return { kind: "lines", first, sign };
}

/** Exactly `size` bytes; all of it is ASCII. What is too short for the form is blank. */
function neutralText(form: Form, size: number, text: () => string): string {
  switch (form.kind) {
    case "between": {
      const room = size - form.open.length - form.close.length - 1;
      if (room < 0) return form.open.startsWith("{") ? tinyJson(size) : "\n".repeat(size);
      let inside = "";
      for (let next = text(); inside.length + next.length + 1 <= room; next = text()) inside += `${next} `;
      return `${form.open}${inside.padEnd(room)}${form.close}\n`;
    }
    case "lines": {
      let written = form.first === "" || form.first.length >= size ? "" : `${form.first}\n`;
      for (;;) {
        const line = `${form.sign}${text()}\n`;
        if (written.length + line.length > size) break;
        written += line;
      }
      return `${written}${"\n".repeat(size - written.length)}`;
    }
  }
}

function tinyJson(size: number): string {
  return size < 2 ? "0".repeat(size) : `${"{}".padEnd(size - 1)}\n`.slice(0, size);
}
