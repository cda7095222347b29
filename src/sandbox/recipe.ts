import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type FileTree, hashTree, type TreeEntry } from "../artefacts/tree.ts";
import { hashJson } from "../hash.ts";

/** docker/ of this project, beside both src/ and dist/. */
export const dockerFolder = fileURLToPath(new URL("../../docker/", import.meta.url));

/** The build contexts of the images, each with its Dockerfile. Equal contents are equal contexts, whatever the clock. */
export type Contexts = { readonly packages: FileTree; readonly server: FileTree };

export async function readContexts(folder = dockerFolder): Promise<Contexts> {
  const file = async (path: string, as = path, mode = 0o644): Promise<TreeEntry> => ({
    kind: "file",
    path: as,
    mode,
    bytes: await readFile(folder + path),
  });
  const serverFiles = (await readdir(`${folder}server`, { withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => `server/${name}`)
    .sort();
  return {
    packages: [await file("packages.Dockerfile", "Dockerfile"), await file("packages.txt")],
    server: [
      await file("server.Dockerfile", "Dockerfile"),
      ...(await Promise.all(serverFiles.map((path) => file(path, path, 0o755)))),
    ],
  };
}

/** The context of an image with further Debian packages. */
export function extraContext(packages: readonly string[]): FileTree {
  const dockerfile = [
    "ARG BASE",
    "FROM ${BASE}",
    "USER 0:0",
    "RUN set -eu; export DEBIAN_FRONTEND=noninteractive; apt-get update -qq; \\",
    `    apt-get install -qqy --no-install-recommends ${packages.join(" ")} > /dev/null; \\`,
    "    rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/*",
    "",
  ].join("\n");
  return [{ kind: "file", path: "Dockerfile", mode: 0o644, bytes: new TextEncoder().encode(dockerfile) }];
}

/** Hash of all an image is made from; `from` is the id of the user's own image, or null. */
export function recipeOf(contexts: Contexts, packages: readonly string[], from: string | null): string {
  return hashJson({
    packages: from ?? hashTree(contexts.packages),
    extra: [...new Set(packages)].sort(),
    server: hashTree(contexts.server),
  });
}
