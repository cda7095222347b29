import { countTokens } from "../tokens.ts";

export interface TextPart {
  readonly text: string;
  readonly tokens: number;
}

/** Where a text may be cut, best first: between paragraphs, lines, words. */
const borders: readonly { readonly at: RegExp; readonly glue: string }[] = [
  { at: /\n[^\S\n]*\n+/, glue: "\n\n" },
  { at: /\n/, glue: "\n" },
  { at: /\s+/, glue: " " },
];

/**
 * The text in parts of at most `mostTokens`, in order: whole if it fits, else as many paragraphs to a part as fit.
 * A paragraph that is too long by itself is cut at its lines, a line at its words, a word in halves.
 */
export function splitText(text: string, mostTokens: number): readonly TextPart[] {
  return pieces(text, mostTokens, 0);
}

function pieces(text: string, mostTokens: number, level: number): readonly TextPart[] {
  const tokens = countTokens(text);
  if (tokens <= mostTokens) return text.trim() === "" ? [] : [{ text, tokens }];
  const border = borders[level];
  if (border === undefined) return halves(text).flatMap((half) => pieces(half, mostTokens, level));
  const small = text.split(border.at).flatMap((piece) => pieces(piece, mostTokens, level + 1));
  return joined(small, border.glue, mostTokens);
}

/** Neighbours put together while they fit. Text put together has at most the tokens of its parts and its glue. */
function joined(small: readonly TextPart[], glue: string, mostTokens: number): readonly TextPart[] {
  const groups: TextPart[][] = [];
  let room = 0;
  for (const piece of small) {
    const group = groups.at(-1);
    if (group !== undefined && piece.tokens + 1 <= room) {
      group.push(piece);
      room -= piece.tokens + 1;
    } else {
      groups.push([piece]);
      room = mostTokens - piece.tokens;
    }
  }
  return groups.map((group) => {
    const text = group.map((piece) => piece.text).join(glue);
    return { text, tokens: countTokens(text) };
  });
}

function halves(word: string): readonly string[] {
  const characters = Array.from(word);
  const middle = Math.ceil(characters.length / 2);
  return [characters.slice(0, middle).join(""), characters.slice(middle).join("")];
}
