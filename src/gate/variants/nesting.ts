/**
 * Parsers that call themselves for each level can take the whole process down on hostile nesting (the regular
 * expressions of V8 do not survive a full stack), so it is measured before.
 */
export const deepest = 64;

/** Most brackets that are open at once. `tokens` holds them one by one, outside of anything quoted. */
export function openAtOnce(tokens: Iterable<string>): number {
  let open = 0;
  let most = 0;
  for (const token of tokens) {
    if (token === "[" || token === "{") most = Math.max(most, ++open);
    else if (token === "]" || token === "}") open = Math.max(0, open - 1);
  }
  return most;
}
