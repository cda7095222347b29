import type { ChangedPath } from "../../artefacts/honesty.ts";

/**
 * What ordinary programs leave behind wherever they work, or change while they only look: counted apart from what was
 * changed outside of the outputs. A name with `/` at its end takes everything below such a folder, however deep it lies.
 * What makes these removes them as well.
 */
export const byProducts: readonly string[] = [
  // Any git command may pack objects.
  ".git/objects/",
  // Interpreters, test programs, package programs.
  "__pycache__/",
  ".pytest_cache/",
  ".mypy_cache/",
  ".ruff_cache/",
  ".coverage",
  "node_modules/.cache/",
  ".npm/",
  ".cache/",
  // What shells keep.
  ".bash_history",
  ".python_history",
  ".node_repl_history",
  ".sqlite_history",
];

/** The same, but a repository without its HEAD or its branches is broken. */
export const lastingByProducts: readonly string[] = [".git/"];

const [vanishing, lasting] = [ruleOf(byProducts), ruleOf(lastingByProducts)];

export function isByProduct({ change, path }: ChangedPath): boolean {
  return vanishing.test(path) || (change !== "removed" && lasting.test(path));
}

/** One expression without repetitions: agents choose the paths, and there may be many and long ones. */
function ruleOf(names: readonly string[]): RegExp {
  const parts = names.map((name) => name.replaceAll(".", "\\.") + (name.endsWith("/") ? "" : "$"));
  return new RegExp(`(?:^|/)(?:${parts.join("|")})`);
}
