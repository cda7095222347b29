/** What a row of the table expects, as read from its outcome column. */
export type ExpectedOutcome = {
  /** Any of these is right. */
  readonly alternatives: readonly Course[];
};

export type Outcome =
  "ok" | "void" | "model" | "blocked" | "config" | "stop" | "stop all" | "split" | "treat as {}";

/** A course of events: perhaps retries, then how it ends when the fault does not pass. */
export type Course = {
  readonly retry: boolean;
  /** Retries after the first try; null when the column does not say how many. */
  readonly retries: number | null;
  /** When the fault stays. Null after plain RETRY: as the schedule has it. */
  readonly then: Outcome | null;
  /** The course is that of a first turn, or of a later one; null for both. */
  readonly turn: "first" | "later" | null;
  /** Other words in parentheses, lower case: what is to be seen besides (`estimate`, `refused`, `log repair`). */
  readonly remarks: readonly string[];
};

export type FaultRow = {
  readonly id: string;
  readonly name: string;
  /** Heading of its section. */
  readonly section: string;
  /** The `do` of a rule, or settings of the model (`embedding`). */
  readonly play:
    | { readonly kind: "do"; readonly value: Readonly<Record<string, unknown>> }
    | { readonly kind: "settings"; readonly value: Readonly<Record<string, unknown>> };
  readonly outcome: ExpectedOutcome;
};

/** Reads the rows of a table of faults (Markdown). Throws for a row or an outcome that it does not understand. */
export function readFaultTable(markdown: string): FaultRow[] {
  const rows: FaultRow[] = [];
  let section = "";
  for (const line of markdown.split("\n")) {
    if (line.startsWith("#")) section = line.replace(/^#+\s*/, "");
    const cells = cellsOf(line);
    const [id, name, play, , outcome] = cells;
    if (cells.length < 6 || id === "#" || /^-+$/.test(id ?? "")) continue;
    if (id === undefined || name === undefined || play === undefined || outcome === undefined) continue;
    rows.push({ id, name, section, play: playOf(id, play), outcome: readOutcome(outcome) });
  }
  if (rows.length === 0) throw new Error("the table of faults holds no row");
  return rows;
}

/** A bar inside a cell is written `\|`. */
function cellsOf(line: string): string[] {
  if (!line.startsWith("|")) return [];
  return line
    .slice(1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"))
    .slice(0, -1);
}

function playOf(id: string, cell: string): FaultRow["play"] {
  const text = /`([^`]+)`/.exec(cell)?.[1]?.trim() ?? cell.trim();
  const isDo = text.startsWith("{");
  let value: unknown;
  try {
    value = JSON.parse(isDo ? text : `{${text}}`);
  } catch (error) {
    throw new Error(`row ${id}: not playable: ${cell}`, { cause: error });
  }
  return { kind: isDo ? "do" : "settings", value: value as Record<string, unknown> };
}

const words: Readonly<Record<string, Outcome>> = {
  ok: "ok",
  void: "void",
  model: "model",
  blocked: "blocked",
  config: "config",
  stop: "stop",
  // A limit that is lifted only in hours: the model's trials are left for the same command later.
  pause: "stop",
  "stop all": "stop all",
  split: "split",
  "treat as {}": "treat as {}",
};

/** What an outcome may be said of, without changing it: `RETRY the turn`. */
const objects = / (?:the |this )?(?:turn|trial|model|campaign|request)$/;

/** `RETRY ×2 then STOP ALL`, `MODEL (turn > 1) / CONFIG (turn 1)`, …: alternatives joined by `/`. */
export function readOutcome(column: string): ExpectedOutcome {
  const text = column.replaceAll("*", "").trim();
  const alternatives = text.split("/").map((part) => readCourse(part.trim(), text));
  // Without turns of their own, two ends of which one is CONFIG are those of a later and of a first turn.
  const [a, b] = alternatives;
  if (alternatives.length === 2 && a?.turn === null && b?.turn === null && b.then === "config") {
    return {
      alternatives: [
        { ...a, turn: "later" },
        { ...b, turn: "first" },
      ],
    };
  }
  return { alternatives };
}

function readCourse(part: string, whole: string): Course {
  const notes = [...part.matchAll(/\(([^)]*)\)/g)].map(([, note = ""]) => note.trim().toLowerCase());
  const bare = part
    .replace(/\([^)]*\)/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
  const [first = "", ...later] = bare.split(" then ").map((word) => word.trim().replace(objects, ""));
  const retrying = /^retry(?: ×(\d+))?$/.exec(first);
  const end = (word: string): Outcome => {
    const known = words[word];
    if (known === undefined) throw new Error(`unknown outcome "${word}" in "${whole}"`);
    return known;
  };
  if (later.length > 1) throw new Error(`more than one "then" in "${whole}"`);
  const read = notes.map((note) => readNote(note));
  const most = read.flatMap((note) => (note.kind === "retries" ? [note.retries] : [])).at(0);
  const turn = read.flatMap((note) => (note.kind === "turn" ? [note.turn] : [])).at(0) ?? null;
  const said = read.flatMap((note) => (note.kind === "remark" ? [note.remark] : []));
  if (retrying === null) {
    if (later.length > 0) throw new Error(`only RETRY can be followed by "then": "${whole}"`);
    return { retry: false, retries: null, then: end(first), turn, remarks: said };
  }
  const times = retrying[1];
  const retries = times === undefined ? (most ?? null) : Number(times);
  return { retry: true, retries, then: later[0] === undefined ? null : end(later[0]), turn, remarks: said };
}

type Note =
  | { readonly kind: "retries"; readonly retries: number }
  | { readonly kind: "turn"; readonly turn: "first" | "later" }
  | { readonly kind: "remark"; readonly remark: string };

/** A number of retries, a turn, or a remark in words. */
function readNote(note: string): Note {
  const most = /^max (\d+)$/.exec(note)?.[1];
  if (most !== undefined) return { kind: "retries", retries: Number(most) };
  if (note === "turn 1") return { kind: "turn", turn: "first" };
  if (note === "turn > 1") return { kind: "turn", turn: "later" };
  return { kind: "remark", remark: note };
}
