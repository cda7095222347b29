const markup = /<tool_call\b|<\|tool_call|<function=|<invoke name=|<\|python_tag\|>/i;

/**
 * Whether a message that calls nothing holds a call written out as text: the endpoint's parser failed on it
 * (openrouter.md §6). It is never executed. `names` are the tools on offer.
 */
export function holdsCallAsText(text: string, names: readonly string[]): boolean {
  if (markup.test(text)) return true;
  const anyName = names.join("|");
  if (new RegExp(`functions\\.(${anyName}):\\d+\\s*[{<]`).test(text)) return true;
  const json = /^\s*(?:```(?:json)?\s*)?(\{.*\})\s*(?:```)?\s*$/s.exec(text)?.[1];
  return (
    json !== undefined &&
    new RegExp(`"name"\\s*:\\s*"(${anyName})"`).test(json) &&
    /"(arguments|parameters)"\s*:/.test(json)
  );
}
