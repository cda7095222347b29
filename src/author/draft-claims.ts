import { type Claims, claimsPath, claimsSchema } from "../artefacts/claims.ts";
import { type FileTree, textOf } from "../artefacts/tree.ts";
import { messageOf } from "../errors.ts";

/** `grader/claims.json` of a delivered folder; null when there is none, which is no fault of form. */
export function readClaims(tree: FileTree): {
  readonly claims: Claims | null;
  readonly faults: readonly string[];
} {
  const text = textOf(tree, claimsPath);
  if (text === undefined) return { claims: null, faults: [] };
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    return { claims: null, faults: [`${claimsPath}: not valid JSON: ${messageOf(error)}`] };
  }
  const parsed = claimsSchema.safeParse(raw);
  if (parsed.success) return { claims: parsed.data, faults: [] };
  const faults = parsed.error.issues.map(
    ({ path, message }) =>
      `${claimsPath}: ${path.length === 0 ? "" : `${path.map(String).join(".")}: `}${message}`,
  );
  return { claims: null, faults };
}
