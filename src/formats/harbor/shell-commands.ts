/** One simple command of a shell script: where it begins and its words, with quotes taken off. */
export type ShellCommand = { readonly line: number; readonly words: readonly string[] };

/** Words before the program's name. */
const before = new Set(
  [
    "if",
    "then",
    "else",
    "elif",
    "do",
    "while",
    "until",
    "!",
    "time",
    "exec",
    "command",
    "nohup",
    "sudo",
  ].concat(["env", "builtin", "eval"]),
);
const shells = new Set(["bash", "sh", "dash", "zsh"]);
const deepest = 3;

/**
 * The simple commands of a script, those in `$(…)`, in backticks and after `bash -c` included. Text of here-documents,
 * comments and quotes is no command. A reading good enough to find what needs a network, not a shell's grammar.
 */
export function commandsOf(script: string, depth = 0): readonly ShellCommand[] {
  const plain = new Scanner(script).commands();
  return plain.flatMap((command) => {
    const inner = depth < deepest ? innerScript(command.words) : undefined;
    const within = inner === undefined ? [] : commandsOf(inner, depth + 1);
    return [command, ...within.map(({ words }) => ({ line: command.line, words }))];
  });
}

function innerScript(words: readonly string[]): string | undefined {
  const [program = "", ...rest] = words;
  if (!shells.has(program)) return undefined;
  const at = rest.findIndex((word) => /^-[a-z]*c$/.test(word));
  return at === -1 ? undefined : rest[at + 1];
}

class Scanner {
  private readonly found: ShellCommand[] = [];
  private readonly heredocs: { readonly end: string; readonly tabs: boolean }[] = [];
  /** What is open: `"`, `(` of `$(`, or `` ` ``. */
  private readonly open: string[] = [];
  /** Commands that a `$(` or a backtick interrupts. */
  private readonly interrupted: { words: string[]; word: string | null; begun: number }[] = [];
  private words: string[] = [];
  private word: string | null = null;
  private at = 0;
  private line = 1;
  private begun = 1;
  private readonly text: string;

  constructor(text: string) {
    this.text = text.replaceAll("\r\n", "\n");
  }

  commands(): readonly ShellCommand[] {
    while (this.at < this.text.length) this.step(this.text[this.at] ?? "");
    for (let left = this.interrupted.length; left >= 0; left--) this.leave();
    return this.found.sort((a, b) => a.line - b.line);
  }

  private step(character: string): void {
    const next = this.text[this.at + 1] ?? "";
    if (character === "\\") this.escape(next);
    else if (character === "$" && next === "(") this.enter("(", 2);
    else if (character === "`") {
      if (this.open.at(-1) === "`") this.leave();
      else this.enter("`", 1);
    } else if (this.open.at(-1) === '"') this.inQuotes(character);
    else this.unquoted(character, next);
  }

  private escape(next: string): void {
    this.at += 2;
    if (next === "\n") {
      this.line++;
      if (this.open.at(-1) !== '"') this.endWord();
    } else this.add(next);
  }

  private inQuotes(character: string): void {
    this.at++;
    if (character === "\n") this.line++;
    if (character === '"') this.open.pop();
    else this.add(character);
  }

  private unquoted(character: string, next: string): void {
    const last = this.text[this.at - 1] ?? "";
    if (character === "'") {
      const end = this.text.indexOf("'", this.at + 1);
      const quoted = this.text.slice(this.at + 1, end === -1 ? this.text.length : end);
      this.add(quoted);
      this.line += quoted.split("\n").length - 1;
      this.at += quoted.length + 2;
    } else if (character === '"') {
      this.at++;
      this.add("");
      this.open.push('"');
    } else if (character === "#" && this.word === null) {
      const end = this.text.indexOf("\n", this.at);
      this.at = end === -1 ? this.text.length : end;
    } else if (character === "\n") this.newline();
    else if (character === "<" && next === "<") this.heredoc();
    else if (character === "&" && (last === ">" || next === ">")) this.take(character);
    else if (character === ")" && this.open.at(-1) === "(") this.leave();
    else if (";&|(){}".includes(character) && !(character === "{" && last === "$")) this.separate(character);
    else if (character === " " || character === "\t") {
      this.at++;
      this.endWord();
    } else this.take(character);
  }

  /** A brace inside a word (`${x}`, `a{b,c}`) is part of it. */
  private separate(character: string): void {
    if ("{}".includes(character) && this.word !== null) {
      this.take(character);
      return;
    }
    this.at++;
    this.endCommand();
  }

  private take(character: string): void {
    this.at++;
    this.add(character);
  }

  private enter(kind: string, length: number): void {
    this.at += length;
    this.open.push(kind);
    this.interrupted.push({ words: this.words, word: this.word, begun: this.begun });
    this.words = [];
    this.word = null;
  }

  private leave(): void {
    this.at++;
    this.endCommand();
    this.open.pop();
    const outer = this.interrupted.pop();
    if (outer === undefined) return;
    this.words = outer.words;
    this.word = outer.word ?? "";
    this.begun = outer.words.length === 0 && outer.word === null ? this.line : outer.begun;
  }

  private heredoc(): void {
    const [whole = "<<", dash, , name] =
      /^<<(-?)[ \t]*(["'\\]?)([\w.-]+)/.exec(this.text.slice(this.at, this.at + 200)) ?? [];
    if (name !== undefined) this.heredocs.push({ end: name, tabs: dash === "-" });
    this.at += this.text.startsWith("<<<", this.at) ? 3 : whole.length;
    if (name !== undefined && /["']/.test(this.text[this.at] ?? "")) this.at++;
    this.endWord();
  }

  private newline(): void {
    this.at++;
    this.line++;
    this.endCommand();
    for (const { end, tabs } of this.heredocs.splice(0)) {
      while (this.at < this.text.length) {
        const close = this.text.indexOf("\n", this.at);
        const stop = close === -1 ? this.text.length : close;
        const row = this.text.slice(this.at, stop);
        this.at = stop + 1;
        this.line++;
        if ((tabs ? row.replace(/^\t+/, "") : row) === end) break;
      }
    }
  }

  private add(text: string): void {
    if (this.word === null && this.words.length === 0) this.begun = this.line;
    this.word = (this.word ?? "") + text;
  }

  private endWord(): void {
    if (this.word !== null) this.words.push(this.word);
    this.word = null;
  }

  private endCommand(): void {
    this.endWord();
    const words = programFirst(this.words);
    this.words = [];
    if (words.length > 0) this.found.push({ line: this.begun, words });
  }
}

/** Without keywords, assignments and wrappers before the program, and the program by its last name. */
function programFirst(words: readonly string[]): readonly string[] {
  let rest = words;
  for (;;) {
    const [first, ...more] = rest;
    if (first === undefined) return [];
    if (before.has(first)) rest = more.slice(leadingWords(more, /^-/));
    else if (/^\w+=/.test(first)) rest = more;
    else if (first === "timeout") rest = more.slice(leadingWords(more, /^(-|\d)/));
    else return [first.split("/").at(-1) ?? first, ...more];
  }
}

function leadingWords(words: readonly string[], like: RegExp): number {
  const at = words.findIndex((word) => !like.test(word));
  return at === -1 ? words.length : at;
}
