import { type Header, pack } from "tar-stream";
import type { FileTree } from "../artefacts/tree.ts";
import { collect } from "./sandbox-containers.ts";

/** A tree of small files: a name ending in `!` is executable, contents are text. */
export function treeOf(files: Readonly<Record<string, string>>): FileTree {
  return Object.entries(files).map(([name, text]) => ({
    kind: "file",
    path: name.replace(/!$/, ""),
    mode: name.endsWith("!") ? 0o755 : 0o644,
    bytes: new TextEncoder().encode(text),
  }));
}

/** A tar of members exactly as given, sane or not. */
export async function tarOf(
  members: readonly (Partial<Header> & { readonly name: string; readonly text?: string })[],
): Promise<Buffer> {
  const archive = pack();
  for (const { text, ...header } of members) archive.entry(header, text ?? "");
  archive.finalize();
  return collect(archive as AsyncIterable<Uint8Array>);
}

/** Every way out of the folder it is unpacked into that a tar knows; each would write `pwned` to a path in `escapes`. */
export function hostileTar(): Promise<Buffer> {
  return tarOf([
    { name: "good.txt", text: "good" },
    { name: "/tmp/absolute", text: "pwned" },
    { name: "../tmp/dotdot", text: "pwned" },
    { name: "folder/../../tmp/inner", text: "pwned" },
    { name: "link", type: "symlink", linkname: "/tmp" },
    { name: "link/through", text: "pwned" },
    { name: "up", type: "symlink", linkname: "../tmp" },
    { name: "up/through-up", text: "pwned" },
    { name: "hard", type: "link", linkname: "/etc/passwd" },
    { name: "null", type: "character-device", devmajor: 1, devminor: 3 },
    { name: "disk", type: "block-device", devmajor: 8, devminor: 0 },
    { name: "root-shell", mode: 0o4755, uid: 0, text: "#!/bin/sh" },
  ]);
}

export const escapes = ["/tmp/absolute", "/tmp/dotdot", "/tmp/inner", "/tmp/through", "/tmp/through-up"];
