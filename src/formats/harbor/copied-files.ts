import { posix } from "node:path";
import type { FileTree, TreeEntry } from "../../artefacts/tree.ts";
import { copyOf, type Instruction } from "./dockerfile.ts";
import { printed } from "../printed.ts";

/** A file of the build's folder and its absolute path in the image. */
export type Copied = { readonly line: number; readonly path: string; readonly entry: TreeEntry };

type Place = { readonly workdir: string; readonly isFolder: (path: string) => boolean };

type CopiedFiles = {
  readonly files: readonly Copied[];
  readonly losses: readonly string[];
  /** Why the instruction cannot be carried out here; without a full stop. */
  readonly reasons: readonly string[];
};

const mostStars = 3;

/** What a COPY or ADD of local files puts where. */
export function copiedFiles({ line, name, rest }: Instruction, context: FileTree, place: Place): CopiedFiles {
  const copy = copyOf(rest);
  const refused = (words: string): CopiedFiles => ({ files: [], losses: [], reasons: [words] });
  if (copy === null || /[$\\]|<</.test(rest))
    return refused(`${name} ${printed(rest)}: not a plain list of sources and a destination`);
  const { flags, sources, destination } = copy;
  const unread = [...flags.keys()].find((flag) => !["chmod", "chown", "link"].includes(flag));
  if (unread !== undefined) return refused(`${name} --${unread} is not read. Copy files of this folder`);
  const chmod = flags.get("chmod");
  if (chmod !== undefined && !/^0?[0-7]{3}$/.test(chmod))
    return refused(`${name} --chmod=${printed(chmod)}: three octal digits are read`);
  const fetched = sources.find((source) => /^(https?|git|ssh):|^git@/.test(source));
  if (fetched !== undefined)
    return refused(`${name} ${printed(fetched)}: needs a network. Put the file into the folder`);
  const packed =
    name === "ADD" ? sources.find((source) => /\.(tar|tgz|tbz2?|txz|tar\.\w+)$/.test(source)) : undefined;
  if (packed !== undefined)
    return refused(`ADD ${printed(packed)}: archives are not unpacked. Put their files into the folder`);
  const files: Copied[] = [];
  for (const source of sources) {
    const found = filesAt(source, context);
    if (typeof found === "string") return refused(`${name} ${printed(source)}: ${found}`);
    const target = posix.resolve(place.workdir, destination);
    const intoFolder = /(^|\/)\.{0,2}$/.test(destination) || sources.length > 1 || place.isFolder(target);
    for (const { entry, below } of found) {
      const relative = below ?? (intoFolder ? (entry.path.split("/").at(-1) ?? "") : "");
      const executable =
        chmod === undefined || entry.kind === "link" ? entry : { ...entry, mode: Number.parseInt(chmod, 8) };
      files.push({ line, path: posix.resolve(target, relative), entry: executable });
    }
  }
  const losses = flags.has("chown")
    ? ["--chown: everything in the workspace belongs to the agent's user"]
    : [];
  return { files, losses, reasons: [] };
}

type Found = readonly {
  readonly entry: TreeEntry;
  /** Path below the folder that was named; null when the file itself was. */
  readonly below: string | null;
}[];

/** Files that a source names: a file, a folder's contents, or all that match a pattern; or what is wrong. */
function filesAt(source: string, context: FileTree): Found | string {
  const name = posix.normalize(source).replace(/^\/+/, "").replace(/\/$/, "");
  if (name.startsWith("../") || name === "..") return "leads out of the folder";
  const matching = /[*?[]/.test(name) ? matcherOf(name) : (path: string) => path === name;
  if (matching === null) return `a pattern with [ or more than ${mostStars} stars is not read`;
  const found = context.flatMap((entry): Found => {
    if (name === "." || name === "") return [{ entry, below: entry.path }];
    const parts = entry.path.split("/");
    const at = parts.findIndex((_part, last) => matching(parts.slice(0, last + 1).join("/")));
    if (at === -1) return [];
    return [{ entry, below: at === parts.length - 1 ? null : parts.slice(at + 1).join("/") }];
  });
  if (found.length === 0) return "there is no such file";
  const link = found.find(({ entry }) => entry.kind === "link");
  return link === undefined ? found : `${printed(link.entry.path)} is a symbolic link. Put a file there`;
}

/** `*` and `?` within one part of a path. */
function matcherOf(pattern: string): ((path: string) => boolean) | null {
  if (pattern.includes("[") || pattern.split("*").length - 1 > mostStars) return null;
  const source = pattern
    .replace(/[^\w/*?]/g, "\\$&")
    .replaceAll("*", "[^/]*")
    .replaceAll("?", "[^/]");
  const expression = new RegExp(`^${source}$`);
  return (path) => expression.test(path);
}
