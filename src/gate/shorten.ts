/** Cuts what a bundle or its grader wrote: words for an author go into a prompt. */
export function shorten(text: string, mostCharacters: number): string {
  if (text.length <= mostCharacters) return text;
  return `${text.slice(0, mostCharacters).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** The first `most`, with a comma between, and how many more there are. */
export function enumerated(names: readonly string[], most: number): string {
  const first = names.slice(0, most).join(", ");
  return names.length > most ? `${first} and ${names.length - most} more` : first;
}
