import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { PipelineEvent } from "../../events.ts";
import { FakeTerminal } from "../../testing/fake-terminal.ts";
import type { Io } from "../io.ts";
import { openTerminal } from "./open-terminal.ts";
import { campaignStages } from "./reading.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function opened({
  env = {},
  columns = 80,
  isTTY = true,
  ask = null,
}: { env?: Io["env"]; columns?: number; isTTY?: boolean; ask?: Io["ask"] } = {}) {
  const terminal = new FakeTerminal(columns);
  const source = new EventEmitter();
  const io = openTerminal({
    stdout: terminal,
    stderr: isTTY
      ? terminal
      : Object.assign(new FakeTerminal(), { write: terminal.write.bind(terminal), isTTY }),
    ...{ source, env: { LANG: "C.UTF-8", NO_COLOR: "1", ...env }, ask, now: Date.now },
  });
  const show = (...events: readonly PipelineEvent[]): void => {
    for (const event of events) io.screen?.show(event);
  };
  return { io, terminal, source, show };
}

const began: PipelineEvent = { kind: "began", title: "c", part: null, stages: campaignStages };
const planned: PipelineEvent = { kind: "trials", planned: 4, finished: 1 };
const warning = (words: string): PipelineEvent => ({ kind: "warning", words });

const picture = (done: number, seconds: number): string =>
  [
    "skillproof c",
    `▸ isolation   · trials ${done}/4   · verdicts 0/4   · report`,
    "trials   ━━━━━━━───────────────────────  1 of 4 done",
    `time     ${seconds} s, how much is left is unknown yet`,
  ].join("\n");

describe("a terminal that cannot show a screen gets plain lines", () => {
  test.each<[string, Parameters<typeof opened>[0]]>([
    ["stderr is a file", { isTTY: false }],
    ["the terminal is dumb", { env: { TERM: "dumb" } }],
    ["continuous integration", { env: { CI: "true" } }],
    ["no columns", { columns: 0 }],
    ["few columns", { columns: 19 }],
  ])("%s", (_name, parts) => {
    const { io, terminal } = opened(parts);
    expect(io.screen).toBeUndefined();
    io.err("words\n");
    expect(terminal.writes).toEqual(["words\n"]);
  });

  test.each([{ NO_COLOR: "1" }, { CI: "" }, { CI: "false" }])("but not for %o", (env) => {
    expect(opened({ env }).io.screen).toBeDefined();
  });
});

describe("the picture", () => {
  test("stands in one place, and time goes on in it", () => {
    const { terminal, show } = opened();
    show(began, planned);
    vi.advanceTimersByTime(100);
    expect(terminal.text()).toBe(`\n${picture(1, 0)}`);
    vi.advanceTimersByTime(3000);
    expect(terminal.text()).toBe(`\n${picture(1, 3)}`);
    expect(terminal.isAtEase()).toBe(true);
  });

  test("is drawn at most ten times a second however many events come", () => {
    const { terminal, show } = opened();
    show(began, planned);
    for (let ms = 0; ms < 2000; ms += 5) {
      show({ kind: "evidence", better: ms, worse: 0, pairs: ms, e: 1 });
      vi.advanceTimersByTime(5);
    }
    expect(terminal.writes.length).toBeGreaterThan(10);
    expect(terminal.writes.length).toBeLessThanOrEqual(22);
  });

  test("is not written again while it stays the same", () => {
    const { terminal, show } = opened();
    show(began);
    vi.advanceTimersByTime(100);
    const before = terminal.writes.length;
    for (let at = 0; at < 5; at++) {
      show(began);
      vi.advanceTimersByTime(100);
    }
    expect(terminal.writes).toHaveLength(before);
  });

  test("never hides the cursor, so that no end can leave it hidden", () => {
    const { terminal, show, io } = opened();
    show(began, planned, warning("w"));
    vi.advanceTimersByTime(5000);
    io.screen?.rest("stopped");
    expect(terminal.writes.join("")).not.toContain("\u001b[?25l");
  });

  test("has lines kept over it in their order: those of events, and those of others", () => {
    const { terminal, show, io } = opened();
    show(began, planned, warning("first"));
    vi.advanceTimersByTime(1000);
    io.err("second, without an end");
    io.err("third\nand fourth\n");
    show(warning("fifth"));
    vi.advanceTimersByTime(100);
    expect(terminal.text()).toBe(
      `warning  first\nsecond, without an end\nthird\nand fourth\nwarning  fifth\n\n${picture(1, 1)}`,
    );
  });

  test("keeps long lines whole, over several rows", () => {
    const { terminal, show } = opened({ columns: 40 });
    show(began, warning("x".repeat(100)));
    vi.advanceTimersByTime(100);
    expect(terminal.text().replaceAll("\n", "")).toContain("x".repeat(100));
    show(warning("y"));
    vi.advanceTimersByTime(100);
    expect(terminal.text().match(/skillproof c/g)).toHaveLength(1);
  });

  test("is drawn anew when the terminal has another size, and after a stop under what the shell said", () => {
    const { terminal, show, source } = opened();
    show(began, planned);
    vi.advanceTimersByTime(100);
    terminal.resize(100);
    expect(terminal.text()).toBe(`\n${picture(1, 0)}`);
    terminal.write("[1]+ Stopped\n");
    source.emit("SIGCONT");
    expect(terminal.text()).toBe(`\n${picture(1, 0)}\n[1]+ Stopped\n\n${picture(1, 0)}`);
  });
});

describe("the end", () => {
  test("what a command was for stands under its last picture, which is drawn no more", () => {
    const { terminal, show, io } = opened();
    show(began, { ...planned, finished: 4 });
    io.out("Uplift\n");
    io.out("report: here\n");
    vi.advanceTimersByTime(10_000);
    expect(terminal.text().split("\n").slice(1)).toEqual([
      "skillproof c",
      "✓ isolation   ✓ trials 4/4   ✓ verdicts 0/4   ✓ report",
      "trials   ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  4 of 4 done",
      "time     0 s",
      "Uplift",
      "report: here",
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("events after it, and of a command without a picture, are plain lines", () => {
    const { terminal, show, io } = opened();
    show(warning("before"));
    show(began);
    io.screen?.rest("stopped");
    io.screen?.rest("stopped");
    show({ kind: "stage", stage: "money", words: "$1" });
    io.err("error: no\n");
    const lines = terminal.text().split("\n");
    expect([lines[0], ...lines.slice(-2)]).toEqual(["warning  before", "money    $1", "error: no"]);
    expect(lines.filter((line) => line.startsWith("skillproof"))).toHaveLength(1);
  });

  test("a process that leaves at once still says what nobody has seen, and draws nothing", () => {
    const { terminal, show, source } = opened();
    show(began);
    vi.advanceTimersByTime(100);
    const before = terminal.text();
    show(warning("last words"));
    source.emit("exit");
    expect(terminal.text()).toBe(`${before}\nwarning  last words`);
  });
});

test("a question has the terminal to itself", async () => {
  let answer: (yes: boolean) => void = () => undefined;
  const asked: string[] = [];
  const { terminal, show, io } = opened({
    ask: (question) => {
      terminal.write(`${question} `);
      asked.push(question);
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
  });
  show(began, planned);
  vi.advanceTimersByTime(100);
  io.err("it may cost $3\n");
  const answered = io.ask?.("Begin?");
  vi.advanceTimersByTime(50_000);
  expect(terminal.text()).toBe("it may cost $3\nBegin?");
  terminal.write("y\n");
  answer(true);
  expect(await answered).toBe(true);
  vi.advanceTimersByTime(100);
  expect(terminal.text()).toBe(`it may cost $3\nBegin? y\n\n${picture(1, 50)}`);
});

test("what goes to a terminal is never obeyed; what goes to a file stays as it is", () => {
  const text = "a\u001b[2Jb\u009b5Ac\u202ed\te\n";
  const shown = opened();
  shown.io.out(text);
  shown.io.err(text);
  expect(shown.terminal.writes).toEqual(["a [2Jb 5Ac d\te\n", "a [2Jb 5Ac d\te\n"]);
  const filed = opened({ isTTY: false });
  filed.io.err(text.replace(/\u001b|\u009b/g, "\u202e"));
  expect(filed.terminal.writes).toEqual([text.replace(/\u001b|\u009b/g, "\u202e")]);
});
