import type { PipelineEvent } from "../../events.ts";
import { lineOf } from "../progress.ts";
import { keptLine } from "./kept-line.ts";
import type { Reading, Screen } from "./port.ts";
import { render } from "./render.ts";
import { repaint, rowsAt } from "./repaint.ts";
import { emptyScreen, reduce, type ScreenEvent, type ScreenState } from "./screen-state.ts";

/** What is used of a terminal's stream. */
export type TerminalStream = {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
};

export type Look = { readonly colour: boolean; readonly unicode: boolean };

/** At most ten drawings a second, and one each second for what only time changes. */
const betweenMs = 100;
const tickMs = 1000;

/** The screen's effects: it writes to `stream` and keeps timers that do not keep the process alive. */
export class TerminalScreen implements Screen {
  private readonly stream: TerminalStream;
  private readonly look: Look;
  private readonly now: () => number;
  private state: ScreenState = emptyScreen;
  /** The picture that stands in the terminal. */
  private drawn: readonly string[] = [];
  /** Whole lines that are to be kept over the next picture. */
  private above: string[] = [];
  private reading: (() => Reading) | null = null;
  private tick: NodeJS.Timeout | null = null;
  private soon: NodeJS.Timeout | null = null;
  private drawnAt = -Infinity;
  private hidden = false;
  private drawnColumns = 0;

  constructor(stream: TerminalStream, look: Look, now: () => number) {
    this.stream = stream;
    this.look = look;
    this.now = now;
  }

  show(event: PipelineEvent): void {
    if (this.tick === null && event.kind !== "began") {
      // Of a command that has no picture, or after the last one.
      const line = lineOf(event);
      if (line !== null) this.write(`${line}\n`);
      return;
    }
    this.change(event);
    const line = keptLine(event);
    if (line !== null) this.above.push(line);
    this.tick ??= setInterval(() => {
      this.draw();
    }, tickMs).unref();
    this.drawSoon();
  }

  watch(read: () => Reading): void {
    this.reading = read;
  }

  rest(how: "done" | "stopped"): void {
    if (this.tick === null) return;
    this.change({ kind: "ended", how });
    this.draw();
    this.stopTimers();
    this.drawn = [];
  }

  /** Foreign lines: over the picture while there is one. */
  write(text: string): void {
    if (text === "") return;
    if (this.tick === null || this.hidden) {
      this.stream.write(text);
      return;
    }
    // A tab leaves what stood under it.
    this.above.push(...text.replace(/\n$/, "").replaceAll("\t", "  ").split("\n"));
    this.drawSoon();
  }

  /** Takes the picture away while `act` has the terminal. */
  async without<T>(act: () => Promise<T>): Promise<T> {
    this.paint([]);
    this.hidden = true;
    try {
      return await act();
    } finally {
      this.hidden = false;
      this.change({ kind: "answered" });
      if (this.tick !== null) this.drawSoon();
    }
  }

  /** After a stop the shell's words stand where the picture was: it is drawn anew under them. */
  again(): void {
    this.drawn = [];
    if (this.tick !== null) this.draw();
  }

  /** The terminal has another size. */
  resized(): void {
    if (this.tick !== null) this.draw();
  }

  /** What nobody has seen yet, for an end that lets nothing be drawn. Moves no cursor. */
  flush(): void {
    for (const line of this.above.splice(0)) this.stream.write(`${line}\n`);
  }

  private change(event: ScreenEvent): void {
    this.state = reduce(this.state, event, this.now());
  }

  private read(): void {
    if (this.reading !== null) this.change({ kind: "read", reading: this.reading() });
  }

  private drawSoon(): void {
    const waitMs = Math.max(0, this.drawnAt + betweenMs - this.now());
    this.soon ??= setTimeout(() => {
      this.draw();
    }, waitMs).unref();
  }

  private draw(): void {
    if (this.soon !== null) clearTimeout(this.soon);
    this.soon = null;
    if (this.hidden) return;
    this.read();
    const { columns = 80, rows = 24 } = this.stream;
    this.paint(render(this.state, { columns, rows, now: this.now(), ...this.look }));
  }

  private paint(lines: readonly string[]): void {
    const { columns = 80 } = this.stream;
    this.drawnAt = this.now();
    const same = this.above.length === 0 && lines.join("\n") === this.drawn.join("\n");
    if (same && columns === this.drawnColumns) return;
    this.drawnColumns = columns;
    const standing = { rows: rowsAt(this.drawn, columns), columns };
    this.stream.write(repaint(standing, this.above.splice(0), lines));
    this.drawn = lines;
  }

  private stopTimers(): void {
    if (this.tick !== null) clearInterval(this.tick);
    if (this.soon !== null) clearTimeout(this.soon);
    this.tick = null;
    this.soon = null;
  }
}
