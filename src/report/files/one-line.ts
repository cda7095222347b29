const longest = 2000;
const controls = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;
const unwritable = /[\p{Cs}\p{Noncharacter_Code_Point}]/gu;

/**
 * Foreign text as one line that XML 1.0 can hold and that a terminal obeys in nothing: controls, directional marks and
 * ends of lines become spaces, what is half a character becomes U+FFFD, and the rest is cut.
 */
export function oneLine(text: string, most = longest): string {
  // Cut first: a line of 20 MB must not be searched.
  const line = text.slice(0, most).replace(controls, " ").replace(unwritable, "\ufffd").trim();
  return text.length > most ? `${line} … (${most} of ${text.length} characters)` : line;
}
