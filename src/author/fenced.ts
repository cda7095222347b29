/**
 * Text of unknown origin as a Markdown code block: the fence is longer than any run of backticks inside, and control
 * characters and text-direction marks are replaced, so that it stays text wherever it is shown.
 */
export function fenced(text: string, language = ""): string {
  const clean = text
    .replaceAll("\r\n", "\n")
    .replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd")
    .trimEnd();
  const longest = Math.max(2, ...[...clean.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${clean}\n${fence}`;
}
