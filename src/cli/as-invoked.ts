import type { Io } from "./io.ts";

/**
 * Commands of this program as they can be given again: where npx has found it, the shell does not. `words` is a command,
 * or a message with one behind a colon.
 */
export function asInvoked(words: string, env: Io["env"]): string {
  if (env["npm_lifecycle_event"] !== "npx") return words;
  return words.replaceAll(/(^|: )skillproof (?=[a-z])/g, "$1npx skillproof ");
}
