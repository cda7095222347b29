import type { Io } from "../io.ts";
import { harmless } from "../progress.ts";
import { type Look, TerminalScreen, type TerminalStream } from "./terminal-screen.ts";

export type TerminalParts = {
  readonly stdout: TerminalStream;
  readonly stderr: TerminalStream & { on(name: "resize", listener: () => void): unknown };
  /** The process, for its end and for its return from a stop. */
  readonly source: { on(name: "exit" | "SIGCONT", listener: () => void): unknown };
  readonly env: Io["env"];
  readonly ask: Io["ask"];
  /** Milliseconds. */
  readonly now: () => number;
};

/**
 * What a command writes to and asks with: a screen where stderr is a terminal that can show one, else plain streams.
 * What goes to a terminal holds nothing that a terminal obeys; what goes to a file or a pipe stays as it is.
 */
export function openTerminal(parts: TerminalParts): Pick<Io, "out" | "err" | "ask" | "screen"> {
  const { stdout, stderr, source, env, ask, now } = parts;
  const forOut = stdout.isTTY === true ? harmless : unchanged;
  const forErr = stderr.isTTY === true ? harmless : unchanged;
  if (!canShow(stderr, env)) {
    return { out: (text) => stdout.write(forOut(text)), err: (text) => stderr.write(forErr(text)), ask };
  }
  const screen = new TerminalScreen(stderr, lookOf(env), now);
  stderr.on("resize", () => {
    screen.resized();
  });
  source.on("SIGCONT", () => {
    screen.again();
  });
  source.on("exit", () => {
    screen.flush();
  });
  return {
    screen,
    // Whatever is said there is what the command was for, and comes at its end.
    out: (text) => {
      screen.rest("done");
      stdout.write(forOut(text));
    },
    err: (text) => {
      screen.write(forErr(text));
    },
    ask: ask === null ? null : (question) => screen.without(() => ask(question)),
  };
}

function unchanged(text: string): string {
  return text;
}

/** Fewer columns hold no row; some terminals say 0 when they do not know. */
const fewestColumns = 20;

function canShow({ isTTY, columns = 0 }: TerminalStream, env: Io["env"]): boolean {
  return isTTY === true && columns >= fewestColumns && env["TERM"] !== "dumb" && !isSet(env["CI"]);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false"].includes(value);
}

function lookOf(env: Io["env"]): Look {
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find(
    (name) => name !== undefined && name !== "",
  );
  return { colour: (env["NO_COLOR"] ?? "") === "", unicode: /utf-?8/i.test(locale ?? "") };
}
