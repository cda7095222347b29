import stringWidth from "string-width";

/**
 * A terminal that understands what a screen may write to one, and throws at anything else. Without reflow: rows stay as
 * they were written.
 */
export class FakeTerminal {
  readonly isTTY = true;
  columns: number;
  rows = 24;
  /** Every call of `write`. */
  readonly writes: string[] = [];
  private lines: string[] = [""];
  private row = 0;
  private column = 0;
  private wraps = true;
  private readonly resizing: (() => void)[] = [];

  constructor(columns = 80) {
    this.columns = columns;
  }

  write(text: string): boolean {
    this.writes.push(text);
    for (const [piece] of text.matchAll(/\u001b\[[?]?[0-9;]*[A-Za-z]|[\s\S]/gu)) this.obey(piece);
    return true;
  }

  on(_name: "resize", listener: () => void): this {
    this.resizing.push(listener);
    return this;
  }

  resize(columns: number): void {
    this.columns = columns;
    for (const listener of this.resizing) listener();
  }

  /** All that can be read, scrolled out or not, without empty lines at the end. */
  text(): string {
    return this.lines
      .map((line) => line.trimEnd())
      .join("\n")
      .trimEnd();
  }

  /** As a shell wants to find it: the cursor at the left, and long lines wrapped. */
  isAtEase(): boolean {
    return this.wraps && this.column === 0;
  }

  private obey(piece: string): void {
    const up = /^\u001b\[(\d+)A$/.exec(piece)?.[1];
    if (up !== undefined) this.row = Math.max(0, this.row - Number(up));
    else if (piece === "\r") this.column = 0;
    else if (piece === "\n") this.newLine();
    else if (piece === "\t") this.put(" ");
    else if (piece === "\u001b[K") this.lines[this.row] = this.current().slice(0, this.column);
    else if (piece === "\u001b[J") {
      // As tmux does: what is cleared from the first row on goes into the scroll-back.
      if (this.row === 0 && this.column === 0) throw new Error("cleared from the first row on");
      this.lines[this.row] = this.current().slice(0, this.column);
      this.lines.length = this.row + 1;
    } else if (piece === "\u001b[?7l") this.wraps = false;
    else if (piece === "\u001b[?7h") this.wraps = true;
    else if (/^\u001b\[\?2026[hl]$/.test(piece) || /^\u001b\[\d*m$/.test(piece)) return;
    else if (/^\p{Cc}/u.test(piece)) throw new Error(`a terminal obeys ${JSON.stringify(piece)}`);
    else this.put(piece);
  }

  private put(piece: string): void {
    const width = stringWidth(piece);
    if (this.column + width > this.columns) {
      if (!this.wraps) return;
      this.newLine();
    }
    const line = this.current().padEnd(this.column);
    this.lines[this.row] = line.slice(0, this.column) + piece + line.slice(this.column + piece.length);
    this.column += width;
  }

  private newLine(): void {
    this.row++;
    this.column = 0;
    this.lines[this.row] ??= "";
  }

  private current(): string {
    return this.lines[this.row] ?? "";
  }
}
