import type { TranscriptLine } from "../../artefacts/transcript.ts";
import { unreachable } from "../../errors.ts";
import { type CutText, cutText } from "./cut-text.ts";

/** One line of a transcript as it was read. `unreadable`: damaged, or longer than anything that is read. */
export type LineRead =
  | { readonly kind: "line"; readonly line: TranscriptLine }
  | { readonly kind: "unreadable"; readonly words: string };

/** A tool call with what came back; null where nothing did. */
export type Call = {
  readonly name: string;
  /** What the call was about: a command, a path; or all arguments where they cannot be read. */
  readonly input: CutText;
  /** Text that was to be written. */
  readonly content: CutText | null;
  readonly answer: Answer | null;
};

export type Answer = {
  readonly text: CutText;
  readonly seconds: number;
  /** `exit code 2` and the like, in our own words; null where a tool has none. */
  readonly end: string | null;
};

export type Turn =
  | { readonly kind: "system" | "user" | "note"; readonly text: CutText }
  | {
      readonly kind: "assistant";
      readonly text: CutText | null;
      readonly calls: readonly Call[];
      readonly finish: string;
    }
  /** An answer to no call that was read. */
  | { readonly kind: "answer"; readonly name: string; readonly answer: Answer }
  | { readonly kind: "unreadable"; readonly words: string };

export type Turns = {
  readonly turns: readonly Turn[];
  /** Lines of the transcript behind the last one that is shown. */
  readonly linesLeftOut: number;
};

/** Of all texts of one page; beyond it lines are counted only, so that a page never grows without bound. */
const mostPageBytes = 1_500_000;

/** A transcript as readable turns, read once and line by line. */
export async function readTurns(lines: AsyncIterable<LineRead>, mostBytes = mostPageBytes): Promise<Turns> {
  const turns: OpenTurn[] = [];
  const calls = new Map<string, OpenCall>();
  let bytes = 0;
  let linesLeftOut = 0;
  for await (const read of lines) {
    if (bytes >= mostBytes) {
      linesLeftOut++;
      continue;
    }
    bytes += read.kind === "unreadable" ? add(turns, read) : addLine(turns, calls, read.line);
  }
  return { turns, linesLeftOut };
}

type OpenCall = { -readonly [Name in keyof Call]: Call[Name] };
type OpenTurn = Turn;

/** Answers with the bytes that a page shows of it. */
function addLine(turns: OpenTurn[], calls: Map<string, OpenCall>, line: TranscriptLine): number {
  switch (line.kind) {
    case "system":
    case "user":
    case "note": {
      const text = cutText(line.text);
      turns.push({ kind: line.kind, text });
      return text.shownBytes;
    }
    case "assistant": {
      const text = line.text === null ? null : cutText(line.text);
      const opened = line.toolCalls.map(({ id, name, arguments: given }) => {
        const call = openCall(name, given);
        calls.set(id, call);
        return call;
      });
      turns.push({ kind: "assistant", text, calls: opened, finish: line.finish });
      return opened.reduce((sum, call) => sum + bytesOf(call), text?.shownBytes ?? 0);
    }
    case "tool": {
      const answer = answerOf(line);
      const call = calls.get(line.toolCallId);
      // A model may give two calls one id: the second answer then stands alone instead of taking the first one's place.
      if (call?.answer === null) call.answer = answer;
      else turns.push({ kind: "answer", name: line.name, answer });
      return answer.text.shownBytes;
    }
    default:
      return unreachable(line);
  }
}

function add(turns: OpenTurn[], turn: Extract<Turn, { kind: "unreadable" }>): number {
  turns.push(turn);
  return turn.words.length;
}

function bytesOf({ input, content }: Call): number {
  return input.shownBytes + (content?.shownBytes ?? 0);
}

/** The parts of a call that people read; what does not have the tools' shape is shown as it came. */
function openCall(name: string, given: string): OpenCall {
  const args = argumentsOf(given);
  const text = (key: string): string | null => {
    const value = args?.[key];
    return typeof value === "string" ? value : null;
  };
  const subject = name === "bash" ? text("command") : text("path");
  const content = name === "write_file" ? text("content") : null;
  const isKnown = subject !== null && Object.keys(args ?? {}).length === (content === null ? 1 : 2);
  return {
    name,
    input: cutText(isKnown ? subject : given),
    content: isKnown && content !== null ? cutText(content) : null,
    answer: null,
  };
}

function argumentsOf(given: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(given);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The last line of what bash answers is ours (agents/tools.ts); what the command printed stands before it. */
function answerOf({ name, text, seconds }: Extract<TranscriptLine, { kind: "tool" }>): Answer {
  const last = text.slice(text.lastIndexOf("\n") + 1);
  const [, end] = name === "bash" && last.length < 200 ? (/^\[(.+)\]$/.exec(last) ?? []) : [];
  return { text: cutText(text), seconds, end: end ?? null };
}
