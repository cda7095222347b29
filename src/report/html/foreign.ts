import { visibleLine } from "../trial-page/foreign.ts";

const longest = 300;
const loneSurrogate = /[\ud800-\udfff]/gu;

/**
 * Text of models, agents, authors and containers as it may stand in a line of a page: what is longer than `most`
 * characters is cut with words that say so. Markup in it needs no care here: whatever is rendered is escaped.
 */
export function foreign(text: string, most = longest): string {
  // Cut first: a line of 20 MB must not be searched.
  const shown = visibleLine(text.slice(0, most), 8 * most).replace(loneSurrogate, "\ufffd");
  return text.length > most ? `${shown} … (${most} of ${text.length} characters shown)` : shown;
}

/** The same for a place that takes few characters and has no room for words. */
export function shortened(text: string, most: number): string {
  return visibleLine(text.slice(0, 4 * most), most).replace(loneSurrogate, "\ufffd");
}
