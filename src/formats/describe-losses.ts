import type { Loss } from "./losses.ts";

/** IMPORTED.md: what stands beside an imported bundle's files and says what did not come along. */
export function describeLosses(id: string, format: string, losses: readonly Loss[]): string {
  const lines = losses.map(({ part, words }) => `- **${inMarkdown(part)}**: ${inMarkdown(words)}`);
  return [
    `# ${inMarkdown(id)}: imported from the format "${format}"`,
    "",
    "Not a benchmark before it has passed the gate (`skillproof validate`). This page is not part of the bundle.",
    "",
    losses.length === 0
      ? "Everything of the original has a place here."
      : `What the original has and a bundle has no place for, or has otherwise (${losses.length}):`,
    "",
    ...lines,
    ...(lines.length === 0 ? [] : [""]),
  ].join("\n");
}

/** Names and values are another's: they write no markup of their own. */
function inMarkdown(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").replace(/[\\*_`<>[\]#|~]/g, "\\$&");
}
