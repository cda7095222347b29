/** What the gate asks of a sentence in `grader/claims.json`. */
const fewestWords = 3;
const fewestCharacters = 12;

/**
 * The sentences of a Markdown text that an assertion may be traced to, in order, with white space as single spaces.
 * Headings, fenced code and what is too short to say anything are left out. Each stands in the text word for word.
 */
export function sentencesOf(markdown: string): readonly string[] {
  return paragraphsOf(markdown)
    .flatMap((paragraph) => paragraph.split(/(?<=[.!?])\s+|(?<=[。！？])\s*/u))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length >= fewestCharacters && sentence.split(/\s+/).length >= fewestWords);
}

/** The sentence that shares most words with `about`, the first of equals; null when there is none at all. */
export function closestSentence(sentences: readonly string[], about: string): string | null {
  const wanted = new Set(wordsOf(about));
  let best: { readonly sentence: string; readonly shared: number } | null = null;
  for (const sentence of sentences) {
    const shared = new Set(wordsOf(sentence).filter((word) => wanted.has(word))).size;
    if (best === null || shared > best.shared) best = { sentence, shared };
  }
  return best?.sentence ?? null;
}

/** Runs of lines that belong together; a list's member is a paragraph of its own, without its mark. */
function paragraphsOf(markdown: string): readonly string[] {
  const paragraphs: string[] = [];
  let open: string[] = [];
  let fence: string | null = null;
  const close = (): void => {
    if (open.length > 0) paragraphs.push(open.join(" ").replace(/\s+/g, " "));
    open = [];
  };
  for (const line of markdown.split(/\r\n|\n|\r/)) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && (fence === null || mark.startsWith(fence))) {
      close();
      fence = fence === null ? mark : null;
      continue;
    }
    if (fence !== null) continue;
    const isHeading = /^\s{0,3}#{1,6}(\s|$)/.test(line);
    const member = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/.exec(line)?.[0];
    if (line.trim() === "" || isHeading || member !== undefined) close();
    if (!isHeading && line.trim() !== "") open.push(line.slice(member?.length ?? 0));
  }
  close();
  return paragraphs;
}

function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length > 2);
}
