import stripAnsi from "strip-ansi";
import { html, type Markup } from "../html/markup.ts";
import { type CutText, shownOfWhole, sizeWords } from "./cut-text.ts";

/**
 * Characters that nobody sees or that turn the direction of what follows: bidi marks, zero-width characters, line and
 * paragraph separators, tags. Joiners inside emoji (U+200D) stay.
 */
const unseen =
  /([\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}])/u;

/** Text of agents, models and graders as it can be read: escapes of a terminal gone, what is unseen by its name. */
export function visible(text: string): readonly (string | Markup)[] {
  const parts = stripAnsi(text).replace(controls, picture).split(unseen);
  return parts.map((part, at) => (at % 2 === 1 ? named(part) : part));
}

/** The same for a title or an attribute, where there is no markup. */
export function visibleLine(text: string, mostCharacters = 200): string {
  // Cut first: a text of 20 MB must not be searched.
  const line = stripAnsi(text.slice(0, 8 * mostCharacters))
    .replace(/[\n\t]+/g, " ")
    .replace(controls, picture)
    .replace(new RegExp(unseen, "gu"), nameOf);
  const characters = Array.from(line);
  const isWhole = characters.length <= mostCharacters && text.length <= 8 * mostCharacters;
  return isWhole ? line : `${characters.slice(0, mostCharacters - 1).join("")}…`;
}

/** A piece of a sentence that somebody else wrote. */
export function foreign(text: string): Markup {
  return html`<bdi class="foreign" dir="ltr">${visible(text)}</bdi>`;
}

/** A block of foreign text; `whole` is the file that has all of it. */
export function foreignBlock(cut: CutText, whole: string): Markup {
  const { head, tail, shownBytes, wholeBytes } = cut;
  if (wholeBytes === 0) return html`<p class="muted">(empty)</p>`;
  const words = `cut: ${shownOfWhole(shownBytes, wholeBytes)} shown; whole in ${whole}`;
  return html`
    <pre class="foreign" dir="ltr">${block(head)}</pre>
    ${
      tail === null
        ? null
        : html`<p class="muted small">… ${sizeWords(wholeBytes - shownBytes)} left out …</p>
            <pre class="foreign" dir="ltr">${block(tail)}</pre>
            <p class="muted small">${words}</p>`
    }
  `;
}

/** The first line break inside of a `pre` is not shown. */
function block(text: string): readonly (string | Markup)[] {
  return text.startsWith("\n") ? ["\n", ...visible(text)] : visible(text);
}

/** All of C0 but tab and newline, DEL, and C1. */
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Unicode's pictures of control characters; C1 has none. */
function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}

function named(character: string): Markup {
  return html`<span class="tag open">${nameOf(character)}</span>`;
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
