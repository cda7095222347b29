const mostCharacters = 200;

/** Another's text inside a message of ours: short, on one line, unable to write lines or colours of its own. */
export function printed(text: string): string {
  const short = text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(short) ? JSON.stringify(short) : short;
}
