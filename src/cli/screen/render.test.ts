import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import type { LaneReading, PipelineEvent } from "../../events.ts";
import type { Reading } from "./port.ts";
import { buildStages, campaignStages } from "./reading.ts";
import { type Canvas, render } from "./render.ts";
import { emptyScreen, reduce, type ScreenEvent, type ScreenState } from "./screen-state.ts";

const plainCanvas: Canvas = { columns: 80, rows: 24, now: 200_000, colour: false, unicode: true };

function after(events: readonly ScreenEvent[], from: ScreenState = emptyScreen): ScreenState {
  return events.reduce((state, event, at) => reduce(state, event, at * 1000), from);
}

const lane = (over: Partial<LaneReading> = {}): LaneReading => ({
  ...{ lane: "acme/coder at alpha/fp8", underWay: 3, window: 8, waiting: 0, closedMs: 0, health: "well" },
  ...over,
});

function readingWith(lanes: readonly LaneReading[], over: Partial<Reading> = {}): Reading {
  const unknown = { attempts: 2, upToNanoUsd: 30_000_000, unpriced: 0 };
  const spending = {
    ...{ attempts: 9, reportedNanoUsd: 400_000_000, generationNanoUsd: 0, estimatedNanoUsd: 20_000_000 },
    ...{ notCharged: 0, unknown },
  };
  return { spent: { spending, limitNanoUsd: 5_000_000_000 }, lanes, containersAwaited: 2, ...over };
}

function verdicts(arm: string, passed: number, failed: number): PipelineEvent[] {
  return Array.from({ length: passed + failed }, (_, n) => ({
    kind: "verdict",
    trial: { ...{ skill: "s", benchmark: "b", model: "m", arm, n, block: n, seed: 1 }, key: `${arm}${n}` },
    verdict: n < passed ? "passed" : "failed",
  }));
}

const done = (left: number): PipelineEvent => {
  const trial = {
    ...{ skill: "s", benchmark: "b", model: "m", arm: "a", n: 0, block: 0, seed: 1 },
    key: "k",
  };
  return { kind: "trial_done", trial, words: "", left };
};

const lanes = [
  lane({ waiting: 3 }),
  lane({ lane: "qwen/qwen3-coder", underWay: 12, window: 16, closedMs: 12_000 }),
  lane({ lane: "z/slow", health: "paused", closedMs: 250_000 }),
];

const campaign: readonly ScreenEvent[] = [
  { kind: "began", title: "house style", part: null, stages: campaignStages },
  { kind: "trials", planned: 120, finished: 30 },
  ...verdicts("with_skill", 14, 2),
  ...verdicts("without_skill", 5, 11),
  ...Array.from({ length: 6 }, (_, at) => done(89 - at)),
  { kind: "evidence", better: 9, worse: 0, pairs: 16, e: 31.75 },
  { kind: "read", reading: readingWith(lanes) },
];

describe("a campaign", () => {
  test("at 80 columns", () => {
    expect(render(after(campaign), plainCanvas)).toEqual([
      "",
      "skillproof house style",
      "✓ isolation   ▸ trials  36/120   ▸ verdicts  32/120   · report",
      "trials   ━━━━━━━━━─────────────────────   36 of 120 done",
      "time     3 min 20 s, about 47 min left",
      "passed   with_skill 14 of 16   without_skill  5 of 16",
      "so far   9 better, 0 worse of 16 pairs, e-value 31.8 (20 is strong)",
      "spent    $0.4200 of $5.00   $0.0200 of it estimated",
      "         cost unknown of 2 of 9 requests: up to $0.0300 more",
      "model    acme/coder at alpha/fp8  3 of 8 requests",
      "model    qwen/qwen3-coder         12 of 16 requests, waits 12 s for server",
      "model    z/slow                   paused: one request in 4 min 10 s",
      "waits    2 for a container, 3 for acme/coder at alpha/fp8",
    ]);
  });

  test("at 140 columns lines end at 110", () => {
    const lines = render(after(campaign), { ...plainCanvas, columns: 140 });
    expect(lines[7]).toBe(
      "spent    $0.4200 of $5.00   $0.0200 of it estimated   cost unknown of 2 of 9 requests: up to $0.0300 more",
    );
    expect(lines[9]).toBe("model    qwen/qwen3-coder         12 of 16 requests, waits 12 s for server");
  });

  test("at 40 columns the stages take more lines, and nothing is wider", () => {
    const lines = render(after(campaign), { ...plainCanvas, columns: 40 });
    expect(lines.slice(0, 6)).toEqual([
      "",
      "skillproof house style",
      "✓ isolation   ▸ trials  36/120",
      "▸ verdicts  32/120   · report",
      "trials   ━━━───────   36 of 120 done",
      "time     3 min 20 s, about 47 min left",
    ]);
  });

  test("without Unicode it is ASCII alone", () => {
    const text = render(after(campaign), { ...plainCanvas, unicode: false }).join("\n");
    expect(text).toMatch(/^[\n\x20-\x7e]*$/);
    expect(text).toContain("+ isolation   > trials");
  });

  test("its last picture says what it came to, and no longer who waits", () => {
    const lines = render(reduce(after(campaign), { kind: "ended", how: "stopped" }, 1), plainCanvas);
    expect(lines).toContain("time     3 min 20 s, stopped before the end");
    expect(lines.filter((line) => /^(model|waits)/.test(line))).toEqual([]);
    expect(lines).toContain("passed   with_skill 14 of 16   without_skill  5 of 16");
  });

  test("without a budget, a price or a finished trial, that is said", () => {
    const spending = {
      ...{ attempts: 0, reportedNanoUsd: 0, generationNanoUsd: 0, estimatedNanoUsd: 0 },
      ...{ notCharged: 0, unknown: { attempts: 0, upToNanoUsd: 0, unpriced: 0 } },
    };
    const reading = readingWith([], { spent: { spending, limitNanoUsd: null }, containersAwaited: 0 });
    const lines = render(after([...campaign.slice(0, 2), { kind: "read", reading }]), plainCanvas);
    expect(lines).toContain("spent    $0.00, no limit set");
    expect(lines).toContain("time     3 min 20 s, how much is left is unknown yet");
    expect(lines).toContain("waits    nothing");
    expect(lines.filter((line) => /^(passed|so far)/.test(line))).toEqual([]);
  });
});

test("a build says which benchmark is written and what the gate said", () => {
  const state = after([
    { kind: "began", title: "c", part: "sheets", stages: buildStages },
    { kind: "stage", stage: "chunk", words: "" },
    { kind: "stage", stage: "cluster", words: "" },
    { kind: "counted", stage: "author", done: 0, of: 7 },
    { kind: "kept", benchmark: "sheets/a", unchanged: false },
    { kind: "attempt", benchmark: "sheets/formulas", attempt: 2, of: 3 },
    { kind: "gated", benchmark: "sheets/formulas", passed: false, words: "the untouched workspace passes" },
  ]);
  expect(render(state, plainCanvas)).toEqual([
    "",
    "skillproof c, sheets",
    "✓ chunk   ✓ embed   ✓ cluster   ▸ author 1/7   ▸ gate",
    "author   sheets/formulas, attempt 2 of 3",
    "gate     refused: the untouched workspace passes",
    "kept     1 of 7, 0 given up",
    "time     3 min 20 s",
  ]);
});

test.each([
  [1, "1.0"],
  [99.94, "99.9"],
  [3876.2, "3876"],
  [1e300, "over 10000"],
  [Infinity, "over 10000"],
])("an e-value of %d is shown as %s", (e, words) => {
  const state = after([...campaign.slice(0, 2), { kind: "evidence", better: 1, worse: 0, pairs: 1, e }]);
  expect(render(state, plainCanvas)).toContain(
    `so far   1 better, 0 worse of 1 pair, e-value ${words} (20 is strong)`,
  );
});

test("what the gate said of one benchmark is not shown with the next", () => {
  const state = after([
    { kind: "began", title: "c", part: "sheets", stages: buildStages },
    { kind: "counted", stage: "author", done: 0, of: 7 },
    { kind: "gated", benchmark: "sheets/a", passed: false, words: "no" },
    { kind: "given_up", benchmark: "sheets/a", words: "" },
    { kind: "attempt", benchmark: "sheets/b", attempt: 1, of: 3 },
  ]);
  expect(render(state, plainCanvas)).toContain("gate     not asked yet");
});

test("while the gate is at work the screen says so, and no longer what it said before", () => {
  const state = after([
    { kind: "began", title: "c", part: "sheets", stages: buildStages },
    { kind: "counted", stage: "author", done: 0, of: 7 },
    { kind: "attempt", benchmark: "sheets/b", attempt: 1, of: 3 },
    { kind: "gating", benchmark: "sheets/b" },
    { kind: "gated", benchmark: "sheets/b", passed: false, words: "no" },
    { kind: "attempt", benchmark: "sheets/b", attempt: 2, of: 3 },
  ]);
  expect(render(state, plainCanvas)).toContain("gate     refused: no");
  const again = reduce(state, { kind: "gating", benchmark: "sheets/b" }, 0);
  expect(render(again, plainCanvas)).toContain("gate     at work on it");
});

test("of many models the first are shown and the others counted", () => {
  const many = Array.from({ length: 7 }, (_, at) =>
    lane({ lane: `m/${at}`, health: at === 5 ? "stopped" : "well" }),
  );
  const state = after([...campaign.slice(0, 2), { kind: "read", reading: readingWith(many) }]);
  expect(render(state, plainCanvas).filter((line) => line.startsWith("model"))).toEqual([
    "model    m/0  3 of 8 requests",
    "model    m/1  3 of 8 requests",
    "model    and 5 more: 15 of 40 requests, 1 of 5 paused or stopped",
  ]);
});

describe("hostile text", () => {
  const hostile: readonly (readonly [string, string])[] = [
    ["escape codes", "\u001b[2J\u001b]0;owned\u0007\u001b[31mred\u009b5A"],
    ["ends of lines", "a\nb\r\nc\u2028d\u2029e\u0085f"],
    ["bidi marks", "abc\u202edef\u2066ghi\u200f"],
    ["wide characters", "漢字".repeat(200)],
    ["emoji", "👩‍👩‍👧‍👦🏳️‍🌈".repeat(100)],
    ["marks on one letter", `e${"\u0301".repeat(5000)}`],
    ["half a character", "\ud83d".repeat(300)],
    ["ten megabytes", "x\u001b[1A".repeat(2_000_000)],
    ["nothing visible", "\u200b".repeat(10_000)],
  ];

  function hostileState(text: string): ScreenState {
    const reading = readingWith([lane({ lane: text, waiting: 1 }), lane({ lane: text, health: "paused" })]);
    return after([
      { kind: "began", title: text, part: text, stages: [...buildStages, ...campaignStages] },
      { kind: "counted", stage: "author", done: 0, of: 2 },
      { kind: "attempt", benchmark: text, attempt: 1, of: 3 },
      { kind: "gated", benchmark: text, passed: false, words: text },
      { kind: "trials", planned: 3000, finished: 0 },
      ...["a", "b", "c"].flatMap((arm) => verdicts(`${arm}${text}`, 1, 1)),
      { kind: "read", reading },
    ]);
  }

  test.each(hostile)("%s: no line wraps, none obeys, the picture stays low", (_name, text) => {
    const state = hostileState(text);
    for (const columns of [20, 40, 80, 140]) {
      for (const colour of [false, true]) {
        const lines = render(state, { ...plainCanvas, columns, colour });
        expect(lines.length).toBeLessThanOrEqual(14);
        for (const line of lines) {
          expect(stringWidth(line)).toBeLessThan(columns);
          // Nothing but our own colours.
          const bare = colour ? line.replace(/\u001b\[(?:0|1|2|31|32|33)m/g, "") : line;
          expect(bare).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        }
      }
    }
  });
});

test.each([
  [24, 13],
  [8, 7],
  [2, 1],
  [1, 1],
  [0, 1],
])("in %d rows there are %d lines", (rows, expected) => {
  expect(render(after(campaign), { ...plainCanvas, rows })).toHaveLength(expected);
});
