import { dollars } from "../../artefacts/nano-usd.ts";
import { knownNanoUsd } from "../../artefacts/ledger.ts";
import { printable } from "../progress.ts";
import { exactly, roughly, timeLeft } from "./durations.ts";
import { modelRows, waitingRow } from "./model-rows.ts";
import type { ScreenState, Stage, StageMark } from "./screen-state.ts";
import { asciiGlyphs, flow, type Glyphs, lineOfSpans, type Span, type Tone, unicodeGlyphs } from "./spans.ts";

export type Canvas = {
  /** Of the terminal. Lines are kept shorter than `columns`, the picture lower than `rows`. */
  readonly columns: number;
  readonly rows: number;
  /** Milliseconds, of the clock that the events were told by. */
  readonly now: number;
  readonly colour: boolean;
  readonly unicode: boolean;
};

/** Wider lines are harder to read than they are worth. */
const widest = 110;
const most = 14;
const label = 9;

/** The lines at the foot of the terminal. What matters least stands last, where a low terminal cuts. */
export function render(state: ScreenState, canvas: Canvas): readonly string[] {
  const columns = Math.min(canvas.columns - 1, widest);
  const glyphs = canvas.unicode ? unicodeGlyphs : asciiGlyphs;
  const goesOn = state.ended === null;
  const rows: readonly (readonly Span[])[] = [
    [],
    titleRow(state),
    ...stageRows(state.stages, columns, glyphs),
    ...(goesOn ? authoringRows(state) : []),
    ...trialRows(state, columns, glyphs),
    timeRow(state, canvas.now),
    ...passedRows(state, columns),
    ...evidenceRow(state),
    ...spentRows(state, columns),
    ...(goesOn ? modelRows(state.reading?.lanes ?? [], glyphs).map((row) => labelled("model", row)) : []),
    ...(goesOn ? waitingRows(state) : []),
  ];
  const height = Math.max(1, Math.min(most, canvas.rows - 1));
  return rows.slice(0, height).map((spans) => lineOfSpans(spans, { columns, colour: canvas.colour, glyphs }));
}

function labelled(name: string, spans: readonly Span[]): readonly Span[] {
  return [{ text: name.padEnd(label), tone: "quiet" }, ...spans];
}

function plain(text: string): Span {
  return { text, tone: "plain" };
}

function titleRow({ title, part }: ScreenState): readonly Span[] {
  return [
    { text: "skillproof".padEnd(label), tone: "quiet" },
    { text: ` ${printable(title)}`, tone: "strong" },
    ...(part === null ? [] : [plain(`, ${printable(part)}`)]),
  ];
}

function stageRows(stages: readonly Stage[], columns: number, glyphs: Glyphs): readonly (readonly Span[])[] {
  const groups = stages.map(({ name, mark, count }): readonly Span[] => {
    const [glyph, tone] = markOf(mark, glyphs);
    const of = count === null || count.of === 0 ? "" : ` ${padded(count.done, count.of)}/${count.of}`;
    return [
      { text: glyph, tone },
      { text: ` ${name}${of}`, tone: mark === "under_way" ? "strong" : mark === "open" ? "quiet" : "plain" },
    ];
  });
  return flow(groups, columns);
}

function markOf(mark: StageMark, glyphs: Glyphs): readonly [string, Tone] {
  switch (mark) {
    case "open":
      return [glyphs.open, "quiet"];
    case "under_way":
      return [glyphs.underWay, "strong"];
    case "done":
      return [glyphs.done, "good"];
    case "stopped":
      return [glyphs.stopped, "bad"];
  }
}

/** While benchmarks are written: which one, and what the gate said last. */
function authoringRows(state: ScreenState): readonly (readonly Span[])[] {
  const { stages, attempt, kept, givenUp } = state;
  const author = stages.find(({ name }) => name === "author");
  if (author === undefined || author.mark === "open" || author.mark === "done") return [];
  const now =
    attempt === null
      ? "nothing is being written"
      : `${printable(attempt.benchmark)}, attempt ${attempt.attempt} of ${attempt.of}`;
  const of = author.count === null ? "" : ` of ${author.count.of}`;
  return [
    labelled("author", [plain(now)]),
    labelled("gate", [gateWords(state)]),
    labelled("kept", [plain(`${kept}${of}`), { text: `, ${givenUp} given up`, tone: "quiet" }]),
  ];
}

function gateWords({ atGate, gated }: ScreenState): Span {
  if (atGate) return plain("at work on it");
  if (gated === null) return { text: "not asked yet", tone: "quiet" };
  if (gated.passed) return { text: "passed", tone: "good" };
  return { text: printable(`refused: ${gated.words}`), tone: "warn" };
}

function trialRows(
  { trials, voids, leftUngraded }: ScreenState,
  columns: number,
  glyphs: Glyphs,
): readonly (readonly Span[])[] {
  if (trials === null) return [];
  const { planned, done } = trials;
  const length = columns >= 70 ? 30 : 10;
  const filled = planned === 0 ? length : Math.floor((done / planned) * length);
  return [
    labelled("trials", [
      { text: glyphs.full.repeat(filled), tone: "good" },
      { text: glyphs.empty.repeat(length - filled), tone: "quiet" },
      { text: `  ${padded(done, planned)} of ${planned} done`, tone: "strong" },
      ...(voids === 0 ? [] : [{ text: `, ${voids} void`, tone: "warn" } as const]),
      ...(leftUngraded === 0 ? [] : [{ text: `, ${leftUngraded} left ungraded`, tone: "bad" } as const]),
    ]),
  ];
}

function timeRow(state: ScreenState, now: number): readonly Span[] {
  const elapsed = exactly(now - (state.beganAt ?? now));
  if (state.trials === null || state.ended === "done") return labelled("time", [plain(elapsed)]);
  if (state.ended === "stopped") return labelled("time", [plain(`${elapsed}, stopped before the end`)]);
  const left = timeLeft(state, now);
  const guess = left === null ? "how much is left is unknown yet" : `${roughly(left)} left`;
  return labelled("time", [
    plain(elapsed),
    { text: `, ${state.trials.done >= state.trials.planned ? "no trial left" : guess}`, tone: "quiet" },
  ]);
}

function passedRows({ arms, ungraded, trials }: ScreenState, columns: number): readonly (readonly Span[])[] {
  if (trials === null || (arms.size === 0 && ungraded.size === 0)) return [];
  const tallies = [...arms].sort(([a], [b]) => (a < b ? -1 : 1));
  const digits = Math.max(0, ...tallies.map(([, { graded }]) => graded));
  const groups = tallies.map(([arm, { passed, graded }]) => [
    plain(`${printable(arm)} `),
    plain(`${padded(passed, digits)} of ${padded(graded, digits)}`),
  ]);
  const missing: readonly Span[] = [{ text: `${ungraded.size} of ${trials.done} ungraded`, tone: "warn" }];
  return continued("passed", flow(ungraded.size === 0 ? groups : [...groups, missing], columns - label));
}

/** An e-value may be looked at whenever one likes; no p-value is shown, since that may not. */
function evidenceRow({ evidence }: ScreenState): readonly (readonly Span[])[] {
  if (evidence === null || evidence.pairs === 0) return [];
  const { better, worse, pairs, e } = evidence;
  const value = e > 10_000 ? "over 10000" : e >= 100 ? String(Math.round(e)) : e.toFixed(1);
  const words = `${better} better, ${worse} worse of ${pairs} pair${pairs === 1 ? "" : "s"}, e-value ${value}`;
  return [labelled("so far", [plain(words), { text: " (20 is strong)", tone: "quiet" }])];
}

/** A build without paid models has nothing to wait for but itself. */
function waitingRows({ reading, trials }: ScreenState): readonly (readonly Span[])[] {
  if (reading === null || (trials === null && reading.lanes.length === 0)) return [];
  return [labelled("waits", waitingRow(reading))];
}

/** What is estimated and what nobody told stands beside what is known. */
function spentRows({ reading }: ScreenState, columns: number): readonly (readonly Span[])[] {
  if (reading === null) return [];
  const { spending, limitNanoUsd } = reading.spent;
  const { attempts, estimatedNanoUsd, unknown } = spending;
  const limit = limitNanoUsd === null ? ", no limit set" : ` of ${dollars(limitNanoUsd)}`;
  const priced = unknown.attempts - unknown.unpriced;
  const notes = [
    ...(estimatedNanoUsd === 0 ? [] : [`${dollars(estimatedNanoUsd)} of it estimated`]),
    ...(priced === 0
      ? []
      : [`cost unknown of ${priced} of ${attempts} requests: up to ${dollars(unknown.upToNanoUsd)} more`]),
    ...(unknown.unpriced === 0 ? [] : [`no price for ${unknown.unpriced} of ${attempts} requests`]),
  ];
  const groups = notes.map((text): readonly Span[] => [{ text, tone: "warn" }]);
  const known = plain(`${dollars(knownNanoUsd(spending))}${limit}`);
  return continued("spent", flow([[known], ...groups], columns - label));
}

/** A row that goes on in further lines. */
function continued(name: string, lines: readonly (readonly Span[])[]): readonly (readonly Span[])[] {
  return lines.slice(0, 2).map((line, at) => labelled(at === 0 ? name : "", line));
}

function padded(value: number, upTo: number): string {
  return String(value).padStart(String(upTo).length);
}
