import type { FileTree } from "../../artefacts/tree.ts";

/** A question for the judges as the grader's files have it written down. */
export type WrittenQuestion = {
  readonly id: string;
  /** What stands around the id, the question's own words among it. */
  readonly about: string;
};

const idPattern = /\\?["']id\\?["']\s*:\s*\\?["']([^"'\\\n]{1,100})\\?["']/g;
/** Between an id and the words of its question. */
const mostCharactersBetween = 2000;

/** Whether a grader of the original may end with exit code 3. */
export function asksJudges(grader: FileTree): boolean {
  return texts(grader).some((text) => text.includes("questions.json"));
}

/**
 * Questions whose ids stand in the grader's files as they are. Those that a program puts together only exist while it
 * grades, and are not found.
 */
export function writtenQuestions(grader: FileTree): readonly WrittenQuestion[] {
  const found = new Map<string, WrittenQuestion>();
  for (const text of texts(grader)) {
    const ids = [...text.matchAll(idPattern)];
    for (const [at, match] of ids.entries()) {
      // An object begins with a brace, and may name its question before its id.
      const from = Math.max(text.lastIndexOf("{", match.index), match.index - mostCharactersBetween, 0);
      const until = Math.min(ids[at + 1]?.index ?? text.length, match.index + mostCharactersBetween);
      const about = text.slice(from, until);
      const id = match[1] ?? "";
      if (/\bquestion\\?["']\s*:/.test(about) && !found.has(id)) found.set(id, { id, about });
    }
  }
  return [...found.values()];
}

function texts(grader: FileTree): readonly string[] {
  return grader.flatMap((entry) =>
    entry.kind === "file" && !entry.bytes.includes(0) ? [new TextDecoder().decode(entry.bytes)] : [],
  );
}
