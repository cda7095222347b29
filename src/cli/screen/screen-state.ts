import type { PipelineEvent, StageName } from "../../events.ts";
import type { Reading } from "./port.ts";

/** `under_way` becomes `stopped` when the command ends before the stage does. */
export type StageMark = "open" | "under_way" | "done" | "stopped";

export type Stage = {
  readonly name: StageName;
  readonly mark: StageMark;
  readonly count: { readonly done: number; readonly of: number } | null;
};

export type ArmTally = { readonly passed: number; readonly graded: number };

/** All that a screen shows. Times are milliseconds of one clock. */
export type ScreenState = {
  readonly title: string;
  readonly part: string | null;
  readonly beganAt: number | null;
  readonly stages: readonly Stage[];
  readonly trials: { readonly planned: number; readonly done: number } | null;
  readonly voids: number;
  readonly leftUngraded: number;
  readonly arms: ReadonlyMap<string, ArmTally>;
  /** Keys of trials whose judges or grader gave no verdict so far. */
  readonly ungraded: ReadonlySet<string>;
  readonly evidence: Omit<Extract<PipelineEvent, { kind: "evidence" }>, "kind"> | null;
  /** When trials could first begin, and when the latest ones ended: for the rate of this process. */
  readonly pace: { readonly from: number; readonly ended: readonly number[]; readonly count: number } | null;
  /** Of the benchmark that is being written. */
  readonly attempt: { readonly benchmark: string; readonly attempt: number; readonly of: number } | null;
  readonly kept: number;
  readonly givenUp: number;
  /** Whether the gate is at work on that attempt. */
  readonly atGate: boolean;
  readonly gated: { readonly passed: boolean; readonly words: string } | null;
  readonly reading: Reading | null;
  readonly ended: "done" | "stopped" | null;
};

export type ScreenEvent =
  | PipelineEvent
  | { readonly kind: "read"; readonly reading: Reading | null }
  /** Somebody was asked and has answered: the time this took is no trial's. */
  | { readonly kind: "answered" }
  | { readonly kind: "ended"; readonly how: "done" | "stopped" };

export const emptyScreen: ScreenState = {
  ...{ title: "", part: null, beganAt: null, stages: [], trials: null, voids: 0, leftUngraded: 0 },
  ...{ arms: new Map(), ungraded: new Set(), evidence: null, pace: null, attempt: null, kept: 0, givenUp: 0 },
  ...{ atGate: false, gated: null, reading: null, ended: null },
};

/** The rate is that of the latest trials; earlier ones may have been asked under another window. */
export const latestTrials = 40;

/** What the screen shows after `event`, which came at `now`. */
export function reduce(before: ScreenState, event: ScreenEvent, now: number): ScreenState {
  const state = before.beganAt === null ? { ...before, beganAt: now } : before;
  switch (event.kind) {
    case "began":
      return began(state, event, now);
    case "stage":
      return afterStage(state, event.stage, now);
    case "counted":
      return withCount(advanced(state, event.stage), event.stage, event);
    case "attempt":
      // What the gate said of another benchmark is no news of this one.
      return {
        ...advanced(state, "author"),
        attempt: event,
        gated: event.attempt === 1 ? null : state.gated,
        atGate: false,
      };
    case "gating":
      return { ...advanced(state, "gate"), atGate: true };
    case "gated":
      return { ...advanced(state, "gate"), atGate: false, gated: event };
    case "kept":
    case "given_up":
      return benchmarkEnded(state, event.kind);
    case "trials":
      return trialsPlanned(state, event, now);
    case "trial_done":
      return trialDone(state, event.left, now);
    case "trial_void":
      return {
        ...advanced(state, "trials"),
        voids: state.voids + 1,
        leftUngraded: state.leftUngraded + (event.again ? 0 : 1),
      };
    case "verdict":
      return withVerdict(state, event);
    case "evidence":
      return { ...state, evidence: event };
    case "read":
      return { ...state, reading: event.reading };
    case "answered":
      return { ...state, pace: state.pace === null ? null : { ...state.pace, from: now } };
    case "ended":
      return ended(state, event.how);
    // Lines of their own, above.
    case "warning":
    case "lane":
    case "model_stopped":
      return state;
  }
}

/** The same title goes on with further stages, or again with those it had; another title begins anew. */
function began(
  state: ScreenState,
  { title, part, stages }: Extract<PipelineEvent, { kind: "began" }>,
  now: number,
): ScreenState {
  const fresh = stages.map((name): Stage => ({ name, mark: "open", count: null }));
  if (title !== state.title || state.ended !== null) {
    return { ...emptyScreen, title, part, stages: fresh, beganAt: now, reading: state.reading };
  }
  const again = state.stages.some(({ name }) => stages.includes(name));
  const kept = again ? state.stages.filter(({ name }) => !stages.includes(name)) : allDone(state.stages);
  return {
    ...{ ...state, part, stages: [...kept, ...fresh], kept: 0, givenUp: 0, attempt: null },
    ...{ atGate: false, gated: null },
    ...(stages.includes("trials") ? noTrials : {}),
  };
}

const noTrials: Partial<ScreenState> = {
  ...{
    trials: null,
    voids: 0,
    leftUngraded: 0,
    arms: new Map<string, ArmTally>(),
    ungraded: new Set<string>(),
  },
  ...{ evidence: null, pace: null },
};

function allDone(stages: readonly Stage[]): readonly Stage[] {
  return stages.map((stage) => ({ ...stage, mark: "done" }));
}

/** Stages come one after the other: what stands before `name` is over. Nothing changes where it is not shown. */
function advanced(state: ScreenState, name: StageName): ScreenState {
  const at = state.stages.findIndex((stage) => stage.name === name);
  if (at === -1 || state.stages[at]?.mark === "done") return state;
  const stages = state.stages.map((stage, index): Stage => {
    if (index < at && !together(stage.name, name)) return { ...stage, mark: "done" };
    return index === at ? { ...stage, mark: "under_way" } : stage;
  });
  return { ...state, stages };
}

/** Benchmarks are written and gated by turns, and trials are graded while others run. */
function together(one: StageName, other: StageName): boolean {
  return (one === "author" && other === "gate") || (one === "trials" && other === "verdicts");
}

function marked(state: ScreenState, names: readonly StageName[], mark: StageMark): ScreenState {
  const stages = state.stages.map((stage) => (names.includes(stage.name) ? { ...stage, mark } : stage));
  return { ...state, stages };
}

function withCount(
  state: ScreenState,
  name: StageName,
  { done, of }: { readonly done: number; readonly of: number },
): ScreenState {
  const stages = state.stages.map((stage): Stage => {
    if (stage.name !== name) return stage;
    return { ...stage, count: { done, of }, mark: done >= of ? "done" : stage.mark };
  });
  return { ...state, stages };
}

/** Which stages the words of a stage end and begin. Words about other things change nothing. */
function afterStage(state: ScreenState, stage: string, now: number): ScreenState {
  switch (stage) {
    case "chunk":
      return advanced(marked(state, ["chunk"], "done"), "embed");
    case "cluster":
      return marked(advanced(state, "cluster"), ["cluster"], "done");
    case "canary":
      return { ...advanced(state, "isolation"), pace: { from: now, ended: [], count: 0 } };
    default:
      return state;
  }
}

function benchmarkEnded(state: ScreenState, how: "kept" | "given_up"): ScreenState {
  const kept = state.kept + (how === "kept" ? 1 : 0);
  const givenUp = state.givenUp + (how === "given_up" ? 1 : 0);
  const next = { ...advanced(state, "author"), kept, givenUp, attempt: null };
  const author = next.stages.find(({ name }) => name === "author");
  if (author?.count == null) return next;
  const counted = withCount(next, "author", { done: kept + givenUp, of: author.count.of });
  return kept + givenUp >= author.count.of ? marked(counted, ["gate"], "done") : counted;
}

function trialsPlanned(
  state: ScreenState,
  { planned, finished }: Extract<PipelineEvent, { kind: "trials" }>,
  now: number,
): ScreenState {
  const trials = { planned, done: finished };
  return counted({ ...advanced(state, "isolation"), trials, pace: { from: now, ended: [], count: 0 } });
}

/**
 * `left` is of the part of the plan that is worked on, so each is counted. A command that grades again tells no plan:
 * it has as many trials as are left with the first, and passes over those without a workspace.
 */
function trialDone(state: ScreenState, left: number, now: number): ScreenState {
  const { planned, done } = state.trials ?? { planned: left + 1, done: 0 };
  const pace = state.pace ?? { from: state.beganAt ?? now, ended: [], count: 0 };
  return counted({
    ...advanced(advanced(state, "trials"), "verdicts"),
    trials: { planned, done: isGradingOnly(state) ? planned - left : Math.min(planned, done + 1) },
    pace: { ...pace, ended: [...pace.ended, now].slice(-latestTrials), count: pace.count + 1 },
  });
}

function withVerdict(
  state: ScreenState,
  { trial: { key, arm }, verdict }: Extract<PipelineEvent, { kind: "verdict" }>,
): ScreenState {
  if (verdict === "ungraded") return { ...state, ungraded: new Set(state.ungraded).add(key) };
  const ungraded = new Set(state.ungraded);
  ungraded.delete(key);
  const { passed, graded } = state.arms.get(arm) ?? { passed: 0, graded: 0 };
  const tally = { passed: passed + (verdict === "passed" ? 1 : 0), graded: graded + 1 };
  return counted({ ...state, ungraded, arms: new Map(state.arms).set(arm, tally) });
}

function isGradingOnly({ stages }: ScreenState): boolean {
  return !stages.some(({ name }) => name === "trials");
}

/** Trials and verdicts with their counts; the report is made when no trial is left. */
function counted(state: ScreenState): ScreenState {
  if (state.trials === null) return state;
  const { planned, done } = state.trials;
  const tallied = [...state.arms.values()].reduce((sum, arm) => sum + arm.graded, 0);
  const graded = isGradingOnly(state) ? done : tallied;
  const next = withCount(state, "trials", { done, of: planned });
  const both = withCount(next, "verdicts", { done: graded, of: planned });
  return done < planned ? both : advanced(marked(both, ["verdicts"], "done"), "report");
}

function ended(state: ScreenState, how: "done" | "stopped"): ScreenState {
  const stages = state.stages.map((stage): Stage => {
    if (how === "done") return { ...stage, mark: "done" };
    return stage.mark === "under_way" ? { ...stage, mark: "stopped" } : stage;
  });
  return { ...state, stages, ended: how, pace: how === "done" ? null : state.pace };
}
