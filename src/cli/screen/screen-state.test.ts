import { describe, expect, test } from "vitest";
import type { PlannedTrial } from "../../artefacts/trial.ts";
import { buildStages, campaignStages, gradeStages } from "./reading.ts";
import { timeLeft } from "./durations.ts";
import { emptyScreen, latestTrials, reduce, type ScreenEvent, type ScreenState } from "./screen-state.ts";

function trialOf(n: number, arm = "with_skill"): PlannedTrial {
  return { ...{ skill: "s", benchmark: "b", model: "v/m", arm, n, block: n, seed: 1 }, key: `${arm}-${n}` };
}

const began = (title: string, stages = campaignStages, part: string | null = null): ScreenEvent => ({
  ...{ kind: "began", title, part, stages },
});
const done = (n: number, left: number): ScreenEvent => ({
  ...{ kind: "trial_done", trial: trialOf(n), words: "", left },
});

/** The state after events that come a second apart, from 0. */
function after(...events: readonly ScreenEvent[]): ScreenState {
  return events.reduce((state, event, at) => reduce(state, event, at * 1000), emptyScreen);
}

function stagesOf({ stages }: ScreenState): string {
  return stages
    .map(({ name, mark, count }) => `${name} ${count === null ? "" : `${count.done}/${count.of} `}${mark}`)
    .join(", ");
}

const build = began("c", buildStages, "s");
const chunked: ScreenEvent = { kind: "stage", stage: "chunk", words: "" };
const clustered: ScreenEvent = { kind: "stage", stage: "cluster", words: "" };
const chosen: ScreenEvent = { kind: "counted", stage: "author", done: 0, of: 2 };
const attempt: ScreenEvent = { kind: "attempt", benchmark: "s/b", attempt: 1, of: 3 };
const refused: ScreenEvent = { kind: "gated", benchmark: "s/b", passed: false, words: "no" };
const kept: ScreenEvent = { kind: "kept", benchmark: "s/b", unchanged: false };
const givenUp: ScreenEvent = { kind: "given_up", benchmark: "s/b", words: "" };
const planned: ScreenEvent = { kind: "trials", planned: 2, finished: 0 };
const canary: ScreenEvent = { kind: "stage", stage: "canary", words: "" };
const passed = (n: number): ScreenEvent => ({ kind: "verdict", trial: trialOf(n), verdict: "passed" });

describe("the stages", () => {
  test.each<[string, readonly ScreenEvent[], string]>([
    ["a build", [build], "chunk open, embed open, cluster open, author open, gate open"],
    [
      "chunks are made",
      [build, chunked],
      "chunk done, embed under_way, cluster open, author open, gate open",
    ],
    [
      "clusters are chosen",
      [build, chunked, clustered, chosen],
      "chunk done, embed done, cluster done, author 0/2 under_way, gate open",
    ],
    [
      "authors and gates by turns",
      [build, chunked, clustered, chosen, attempt, refused, attempt],
      "chunk done, embed done, cluster done, author 0/2 under_way, gate under_way",
    ],
    [
      "all benchmarks are kept or given up",
      [build, chunked, clustered, chosen, attempt, refused, givenUp, kept],
      "chunk done, embed done, cluster done, author 2/2 done, gate done",
    ],
    [
      "nothing was chosen",
      [build, chunked, clustered, { kind: "counted", stage: "author", done: 0, of: 0 }],
      "chunk done, embed done, cluster done, author 0/0 done, gate open",
    ],
    [
      "canaries are out",
      [began("c"), planned, canary],
      "isolation under_way, trials 0/2 open, verdicts 0/2 open, report open",
    ],
    [
      "one trial of two",
      [began("c"), planned, canary, passed(1), done(1, 1)],
      "isolation done, trials 1/2 under_way, verdicts 1/2 under_way, report open",
    ],
    [
      "no trial is left",
      [began("c"), planned, passed(1), done(1, 1), passed(2), done(2, 0)],
      "isolation done, trials 2/2 done, verdicts 2/2 done, report under_way",
    ],
    [
      "all were finished by an earlier start",
      [began("c"), passed(1), passed(2), { kind: "trials", planned: 2, finished: 2 }],
      "isolation done, trials 2/2 done, verdicts 2/2 done, report under_way",
    ],
    [
      "looks may leave trials undone",
      [began("c"), planned, passed(1), done(1, 0), { kind: "ended", how: "done" }],
      "isolation done, trials 1/2 done, verdicts 1/2 done, report done",
    ],
    [
      "a stop in the middle",
      [began("c"), planned, passed(1), done(1, 1), { kind: "ended", how: "stopped" }],
      "isolation done, trials 1/2 stopped, verdicts 1/2 stopped, report open",
    ],
    [
      "a demo goes on from its build",
      [build, chunked, clustered, chosen, kept, kept, began("c"), planned],
      "chunk done, embed done, cluster done, author 2/2 done, gate done, isolation under_way, trials 0/2 open, verdicts 0/2 open, report open",
    ],
    [
      "a second skill begins anew",
      [build, chunked, clustered, chosen, kept, kept, build],
      "chunk open, embed open, cluster open, author open, gate open",
    ],
    [
      "grading again passes over what has no workspace",
      [began("c", gradeStages), done(1, 3), done(4, 0)],
      "verdicts 4/4 done, report under_way",
    ],
  ])("%s", (_name, events, expected) => {
    expect(stagesOf(after(...events))).toBe(expected);
  });
});

describe("verdicts", () => {
  test("are counted per arm, with those of an earlier start", () => {
    const failed: ScreenEvent = { kind: "verdict", trial: trialOf(1, "without_skill"), verdict: "failed" };
    const { arms, trials } = after(began("c"), passed(1), failed, planned, passed(2));
    expect(Object.fromEntries(arms)).toEqual({
      with_skill: { passed: 2, graded: 2 },
      without_skill: { passed: 0, graded: 1 },
    });
    expect(trials).toEqual({ planned: 2, done: 0 });
  });

  test("one that judges gave later is no longer missing", () => {
    const missing: ScreenEvent = { kind: "verdict", trial: trialOf(1), verdict: "ungraded" };
    expect(after(began("c"), missing, planned).ungraded.size).toBe(1);
    const { ungraded, arms } = after(began("c"), missing, planned, passed(1));
    expect([ungraded.size, arms.get("with_skill")]).toEqual([0, { passed: 1, graded: 1 }]);
  });

  test("another campaign begins without those of the one before", () => {
    const { arms, evidence, title } = after(
      ...[began("c"), planned, passed(1), began("d")],
      ...([{ kind: "lane", change: "grow", words: "" }] as const),
    );
    expect([arms.size, evidence, title]).toEqual([0, null, "d"]);
  });
});

describe("the time left", () => {
  const plan = (count: number): readonly ScreenEvent[] => [
    began("c"),
    { kind: "trials", planned: count, finished: 0 },
  ];
  const ends = (count: number, of: number): ScreenEvent[] =>
    Array.from({ length: count }, (_, at) => done(at, of - at - 1));

  test.each([0, 1, 4])("is unknown after %d trials", (count) => {
    const state = after(...plan(20), ...ends(count, 20));
    expect(timeLeft(state, 60_000)).toBeNull();
  });

  test("goes by the rate since trials could begin, and grows while none ends", () => {
    const state = after(...plan(20), ...ends(5, 20));
    // Five trials from second 1 to second 6, fifteen are left.
    expect(timeLeft(state, 6000)).toBe(15_000);
    expect(timeLeft(state, 11_000)).toBe(30_000);
  });

  test("goes by the latest trials once there are many", () => {
    const slow = after(...plan(1000), ...ends(100, 1000));
    const fast = Array.from({ length: latestTrials }, (_, at) => done(at, 860 - at)).reduce(
      (state, event, at) => reduce(state, event, 102_000 + at * 100),
      slow,
    );
    const now = 102_000 + (latestTrials - 1) * 100;
    expect(timeLeft(fast, now)).toBe(100 * (1000 - 100 - latestTrials));
  });

  test("leaves out the time in which somebody was asked, and trials that are left ungraded", () => {
    const void_: ScreenEvent = { kind: "trial_void", trial: trialOf(9), reason: "", again: false };
    const asked = reduce(after(...plan(20)), { kind: "answered" }, 600_000);
    const state = [void_, ...ends(5, 20)].reduce(
      (one, event, at) => reduce(one, event, 600_000 + at * 1000),
      asked,
    );
    expect(timeLeft(state, 605_000)).toBe(14_000);
  });

  test("earlier starts tell nothing about this one's rate", () => {
    const state = after(began("c"), { kind: "trials", planned: 20, finished: 15 });
    expect(timeLeft(state, 60_000)).toBeNull();
  });
});
