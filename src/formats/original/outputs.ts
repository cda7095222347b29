/** From this many changed files of a folder on, the whole folder is named. */
const manyFiles = 20;

/** Globs for benchmark.yaml's `outputs` that cover the paths and little else. */
export function outputsFor(paths: readonly string[]): readonly string[] {
  const topFolder = (path: string): string => path.split("/").slice(0, -1)[0] ?? "";
  const counts = new Map<string, number>();
  for (const path of paths) counts.set(topFolder(path), (counts.get(topFolder(path)) ?? 0) + 1);
  const globs = paths.map((path) => {
    const folder = topFolder(path);
    return folder !== "" && (counts.get(folder) ?? 0) > manyFiles ? `${literal(folder)}/**` : literal(path);
  });
  return [...new Set(globs)].sort();
}

/** Globs have no escape: what would have a meaning becomes "any one character". */
function literal(path: string): string {
  return path.replace(/[*?[\]{}]/g, "?");
}
