const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Null for what is not text: no UTF-8, control characters, or a format with places counted in bytes. */
export function textIn(bytes: Uint8Array): string | null {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
  // Control characters tell binary files.
  return text === "" || text.startsWith("%PDF-") || /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/.test(text)
    ? null
    : text;
}

/** Takes the final line break away, or adds one like the others. Null where nothing but it would be left. */
export function varyFinalNewline(_path: string, text: string): string | null {
  const without = text.replace(/\r?\n$/, "");
  if (without === "") return null;
  return without === text ? text + lineBreakOf(text) : without;
}

/** Formats in which a line may end either way. Programs are none: a script's first line with CRLF starts nothing. */
const eitherLineEnd = /\.(csv|json|ya?ml|md|html?|xml|txt|ini)$/i;

/** LF becomes CRLF, or CRLF becomes LF. Null for other formats, and where both occur or there is no line break. */
export function varyLineEnds(path: string, text: string): string | null {
  if (!eitherLineEnd.test(path)) return null;
  const pairs = text.split("\r\n").length - 1;
  const breaks = text.split("\n").length - 1;
  const returns = text.split("\r").length - 1;
  const toCrlf = returns === 0 && breaks > 0;
  if (!toCrlf && (pairs !== breaks || pairs !== returns || pairs === 0)) return null;
  const turn = (part: string): string =>
    toCrlf ? part.replaceAll("\n", "\r\n") : part.replaceAll("\r\n", "\n");
  const turned = /\.csv$/i.test(path) ? outsideQuotes(text, turn) : turn(text);
  return turned === text ? null : turned;
}

/** A line break inside quotes is part of a CSV value. */
function outsideQuotes(text: string, turn: (part: string) => string): string {
  return text
    .split('"')
    .map((part, at) => (at % 2 === 0 ? turn(part) : part))
    .join('"');
}

function lineBreakOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}
