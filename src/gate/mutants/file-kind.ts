/** A format that has changes of its own. What has none is broken line by line, or as a whole. */
export type FileKind = "json" | "json-lines" | "yaml" | "csv" | "xml" | "html" | "other";

export type Text = {
  /** The byte order mark, where there is one. */
  readonly mark: string;
  readonly body: string;
};

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const byteOrderMark = "\uFEFF";

/** A file as text that gives the same bytes when it is encoded again; null for what is not UTF-8 or has NULs. */
export function decodeText(bytes: Uint8Array): Text | null {
  if (bytes.includes(0)) return null;
  try {
    const text = decoder.decode(bytes);
    return text.startsWith(byteOrderMark)
      ? { mark: byteOrderMark, body: text.slice(1) }
      : { mark: "", body: text };
  } catch {
    // The decoder has no other way to say that it is not UTF-8.
    return null;
  }
}

const kinds: Readonly<Record<string, FileKind>> = {
  json: "json",
  jsonc: "json",
  geojson: "json",
  ipynb: "json",
  webmanifest: "json",
  jsonl: "json-lines",
  ndjson: "json-lines",
  yaml: "yaml",
  yml: "yaml",
  csv: "csv",
  tsv: "csv",
  tab: "csv",
  psv: "csv",
  xml: "xml",
  svg: "xml",
  xsd: "xml",
  xsl: "xml",
  xslt: "xml",
  rss: "xml",
  atom: "xml",
  plist: "xml",
  gpx: "xml",
  kml: "xml",
  xhtml: "xml",
  html: "html",
  htm: "html",
};

/** By the name, or by how the text begins where the name says nothing. Whether it parses is for the format's own file. */
export function fileKindOf(path: string, body: string): FileKind {
  const named = kinds[extensionOf(path)];
  if (named !== undefined) return named;
  const opening = body.slice(0, 200).trimStart().toLowerCase();
  if (opening.startsWith("{") || opening.startsWith("[")) return "json";
  if (opening.startsWith("<?xml")) return "xml";
  if (opening.startsWith("<!doctype html") || opening.startsWith("<html")) return "html";
  return "other";
}

/** Without the dot, in lower case; "" where there is none. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase();
}

const hash = /^\s*#/;
const slashes = /^\s*(?:\/\/|\/\*|\*)/;
const dashes = /^\s*--/;
const semicolon = /^\s*[;#]/;
const percent = /^\s*%/;

const comments: Readonly<Record<string, RegExp>> = {
  ...forEach("py pyi sh bash zsh fish rb pl pm r jl toml yaml yml mk cmake tf nix ps1 awk tcl conf", hash),
  ...forEach(
    "js mjs cjs jsx ts mts cts tsx c h cc cpp hpp cs java kt go rs swift scala php dart css scss",
    slashes,
  ),
  ...forEach("sql lua hs elm ada vhd", dashes),
  ...forEach("ini cfg properties asm lisp clj el", semicolon),
  ...forEach("tex sty erl", percent),
};

const commentedNames = new Set(["makefile", "dockerfile", "gemfile", "rakefile", ".gitignore", ".env"]);

/** What a line that is only a comment looks like; null where there are no comments, as in prose. */
export function commentOf(path: string, body: string): RegExp | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (commentedNames.has(name) || body.startsWith("#!")) return comments[extensionOf(path)] ?? hash;
  return comments[extensionOf(path)] ?? null;
}

function forEach(extensions: string, pattern: RegExp): Record<string, RegExp> {
  return Object.fromEntries(extensions.split(" ").map((extension) => [extension, pattern]));
}
