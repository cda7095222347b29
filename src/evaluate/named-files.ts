import { posix } from "node:path";

/** Programs that tell of files without showing what is in them. */
const listing = new Set([
  ...["ls", "dir", "tree", "find", "stat", "file", "du", "wc", "test", "[", "[["],
  ...["echo", "printf", "cd", "pushd", "realpath", "readlink", "basename", "dirname", "chmod", "touch", "rm"],
  ...["md5sum", "sha1sum", "sha256sum", "cmp", "which", "command", "type"],
]);

/**
 * Which of `paths` (absolute) a shell command reads by name: written out, relative to /workspace or to a folder that
 * the command went to, or by a pattern. Reads the command as text, so it is neither fooled by a quote nor sure of one.
 */
export function namedFiles(command: string, paths: readonly string[]): readonly string[] {
  const found = new Set<string>();
  let folder = "/workspace";
  // Lines that are continued belong together; a here-document's lines stand for themselves.
  for (const part of command.replace(/\\\n/g, " ").split(/\|\||&&|\$\(|[;|&\n`({]/)) {
    const words = wordsOf(part);
    const program = words.find(
      (word) => !/^(?:[A-Za-z_]\w*=.*|sudo|env|time|then|do|else|if|while|!|[({])$/.test(word),
    );
    const [, target] = words.slice(words.indexOf(program ?? ""));
    if ((program === "cd" || program === "pushd") && target !== undefined)
      folder = posix.resolve(folder, target);
    if (program === undefined || (listing.has(program) && !/\s-exec(?:dir)?\s/.test(part))) continue;
    for (const path of paths) {
      if (namesPath(words, part, path, folder)) found.add(path);
    }
  }
  return [...found];
}

/** Words of a piece of shell, without quotes; a backslash before a space keeps the word together. */
function wordsOf(part: string): readonly string[] {
  const raw = part.match(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/gs) ?? [];
  return raw.map((word) => word.replace(/\\(.)/gs, "$1").replace(/["']/g, ""));
}

function namesPath(words: readonly string[], part: string, path: string, folder: string): boolean {
  if (standsIn(path, part)) return true;
  return words.some((word) => {
    // `<file`, `--file=path`, `2>/dev/null` and the like.
    const bare = word.replace(/^(?:\d*[<>]+|-[\w-]+=)/, "");
    if (bare === "" || bare.startsWith("-")) return false;
    return [bare, bare.replace(/[,)}\]]+$/, "")].some((name) => {
      const at = posix.resolve(folder, name);
      return at === path || (/[*?[]/.test(name) && matchesPattern(at, path));
    });
  });
}

/** Written out in a program's text, say in `open("/skill/a.md")`, not as the beginning of a longer path. */
function standsIn(path: string, part: string): boolean {
  for (let at = part.indexOf(path); at !== -1; at = part.indexOf(path, at + 1)) {
    const before = part[at - 1] ?? " ";
    const after = part.slice(at + path.length);
    if (!/[\w./-]/.test(before) && /^(?:$|[^\w/.-]|[.](?:$|[\s"')]))/.test(after)) return true;
  }
  return false;
}

/** `*`, `?` and `[…]` as the shell has them: within one folder's names. */
function matchesPattern(pattern: string, path: string): boolean {
  const names = path.split("/");
  const parts = pattern.split("/");
  return parts.length === names.length && parts.every((part, index) => matchesName(part, names[index] ?? ""));
}

/** By backtracking to the last star only, so that no pattern takes more than |pattern| · |name| steps. */
function matchesName(pattern: string, name: string): boolean {
  const marks = pattern.match(/\[[!^]?\]?[^\]]*\]|./gsu) ?? [];
  const letters = Array.from(name);
  if (letters[0] === "." && marks[0] !== ".") return false;
  let mark = 0;
  let letter = 0;
  let star = -1;
  let resume = 0;
  while (letter < letters.length) {
    if (marks[mark] === "*") {
      star = mark++;
      resume = letter;
    } else if (mark < marks.length && matchesLetter(marks[mark] ?? "", letters[letter] ?? "")) {
      mark++;
      letter++;
    } else if (star !== -1) {
      mark = star + 1;
      letter = ++resume;
    } else return false;
  }
  return marks.slice(mark).every((left) => left === "*");
}

function matchesLetter(mark: string, letter: string): boolean {
  if (mark === "?" || mark === letter) return true;
  const set = /^\[([!^]?)(\]?[^\]]*)\]$/su.exec(mark);
  if (set === null) return false;
  const [, negated = "", members = ""] = set;
  const inside = [...members.matchAll(/(.)-(.)|./gsu)].some(([one, from, to]) =>
    from === undefined || to === undefined ? one === letter : from <= letter && letter <= to,
  );
  return inside !== (negated !== "");
}
