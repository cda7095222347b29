/**
 * A word of a command that is printed to be copied: whatever is in it, a POSIX shell takes it as that one word, and a
 * terminal shows it on its line. (A line break at its very end is lost.)
 */
export function shellWord(text: string): string {
  if (/^[A-Za-z0-9_./:@%+=,][A-Za-z0-9_./:@%+=,-]*$/.test(text)) return text;
  if (!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const bytes = [...new TextEncoder().encode(text)].map((byte) => {
    const letter = String.fromCharCode(byte);
    return /^[A-Za-z0-9_./ -]$/.test(letter) ? letter : `\\${byte.toString(8).padStart(3, "0")}`;
  });
  return `"$(printf -- '${bytes.join("")}')"`;
}
