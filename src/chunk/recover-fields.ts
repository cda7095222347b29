/** What a line-wise look finds when the YAML does not parse; `line` is 0-based in the YAML text. */
export type RecoveredField = { readonly value: string; readonly line: number };

/** A key at column 1; `https://…` at the start of a continued line is none. */
const keyLine = /^[a-z][a-z0-9_-]*:(?!\/\/)/;

/**
 * Takes a field's text by lines: what stands after the first `key:` at column 1, up to the next line that begins
 * with a key. Undefined when there is none or it is empty.
 */
export function recoverField(lines: readonly string[], key: string): RecoveredField | undefined {
  const line = lines.findIndex((candidate) => candidate.startsWith(`${key}:`));
  if (line === -1) return undefined;
  const end = lines.findIndex((candidate, index) => index > line && keyLine.test(candidate));
  const [first = "", ...rest] = lines.slice(line, end === -1 ? undefined : end);
  const joined = [first.slice(key.length + 1), ...rest].join(" ").replace(/\s+/g, " ").trim();
  const value = withoutQuotes(joined.replace(/^[|>][-+0-9]{0,2}(?: |$)/, ""));
  return value === "" ? undefined : { value, line };
}

/** An opening quote goes even when the closing one is missing: a quote that never closes is why we are here. */
function withoutQuotes(text: string): string {
  const quote = text[0];
  if (quote !== '"' && quote !== "'") return text;
  return text.slice(1, text.length > 1 && text.endsWith(quote) ? -1 : undefined).trim();
}
