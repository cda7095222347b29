import { expect, test } from "vitest";
import type { CommandOutcome } from "../sandbox/port.ts";
import { captureOf } from "../testing/fake-container.ts";
import { readOutcome } from "./read-outcome.ts";

const ok = '{"assertion":"a","passed":true}\n';
const bad = '{"assertion":"b","passed":false}\n';
const question = (over: Record<string, unknown> = {}): string =>
  `${JSON.stringify({ id: "q", question: "Is it?", artefacts: ["a.md"], expect: true, ...over })}\n`;

type Ending = Partial<Omit<CommandOutcome, "stdout" | "descriptor3">> & {
  readonly stdout?: string | Uint8Array;
  readonly descriptor3?: string | Uint8Array;
};

function ended({ stdout = "", descriptor3 = "", ...rest }: Ending): CommandOutcome {
  return {
    exitCode: 0,
    signal: null,
    timedOut: false,
    outOfMemory: false,
    leftProcesses: false,
    stderr: captureOf(""),
    seconds: 1,
    ...rest,
    stdout: captureOf(stdout),
    descriptor3: captureOf(descriptor3),
  };
}

test.each<[string, Ending, "passed" | "failed" | "asks"]>([
  ["exit 0, all passed", { descriptor3: ok }, "passed"],
  [
    "exit 0, several, blank lines between, no last newline",
    { descriptor3: `${ok}\n\n${ok.trim()}` },
    "passed",
  ],
  ["exit 0, anything on stdout", { descriptor3: ok, stdout: "PASS? FAIL? \xff" }, "passed"],
  ["exit 0, background processes left", { descriptor3: ok, leftProcesses: true }, "passed"],
  ["exit 1, one failed", { exitCode: 1, descriptor3: bad }, "failed"],
  ["exit 1, some passed", { exitCode: 1, descriptor3: ok + bad }, "failed"],
  ["exit 1, candidate out of memory", { exitCode: 1, descriptor3: bad, outOfMemory: true }, "failed"],
  ["exit 3, assertions passed", { exitCode: 3, descriptor3: ok, stdout: question() }, "asks"],
  ["exit 3, no assertions", { exitCode: 3, stdout: question() }, "asks"],
])("%s: %s", (_what, ending, kind) => {
  expect(readOutcome(ended(ending)).kind).toBe(kind);
});

test.each<[string, Ending, string]>([
  ["exit 0 without assertions", {}, "exit code 0 (passed) without any assertion"],
  [
    "exit 0 with a failed one",
    { descriptor3: ok + bad },
    "exit code 0 (passed), but 1 of 2 assertions failed",
  ],
  ["a crash: exit 1 without assertions", { exitCode: 1 }, "exit code 1 (failed), but none of 0 assertions"],
  [
    "exit 1 with passed ones only",
    { exitCode: 1, descriptor3: ok },
    "none of 1 assertions on descriptor 3 failed",
  ],
  ["exit 2", { exitCode: 2, descriptor3: bad }, "exit code 2; only 0, 1 and 3 have a meaning"],
  ["exit 126", { exitCode: 126 }, "cannot be executed"],
  ["exit 127", { exitCode: 127 }, "a program was not found"],
  ["exit 139", { exitCode: 139 }, "128 + signal 11"],
  ["exit 137 out of memory", { exitCode: 137, outOfMemory: true }, "memory limit killed a process"],
  ["a signal", { exitCode: null, signal: "SIGKILL" }, "ended by SIGKILL"],
  [
    "a timeout",
    { exitCode: null, timedOut: true, seconds: 120, descriptor3: ok },
    "did not end within its 120 seconds",
  ],
  ["a timeout caught by a trap", { exitCode: 0, timedOut: true, descriptor3: ok }, "did not end within"],
  ["words on descriptor 3", { descriptor3: `${ok}all good\n` }, "line 2 is: all good"],
  ["passed as text", { descriptor3: '{"assertion":"a","passed":"true"}\n' }, "line 1 is:"],
  ["a field too many", { descriptor3: '{"assertion":"a","passed":true,"x":1}\n' }, "line 1 is:"],
  ["an array", { descriptor3: "[]\n" }, "line 1 is: []"],
  ["a line cut off", { descriptor3: `${ok}{"assertion":"b","pas` }, "line 2 is:"],
  ["descriptor 3 not UTF-8", { descriptor3: Uint8Array.from([0xff, 0x0a]) }, "descriptor 3 is not UTF-8"],
  ["exit 3 without questions", { exitCode: 3, descriptor3: ok }, "without any question on stdout"],
  [
    "exit 3 after a failed one",
    { exitCode: 3, descriptor3: bad, stdout: question() },
    "1 of 1 assertions failed",
  ],
  ["exit 3 with other words", { exitCode: 3, stdout: `Hello\n${question()}` }, "line 1 is: Hello"],
  ["an id twice", { exitCode: 3, stdout: question() + question() }, 'two questions have the id "q"'],
  ["no artefact", { exitCode: 3, stdout: question({ artefacts: [] }) }, "line 1 is:"],
  ["expect as text", { exitCode: 3, stdout: question({ expect: "yes" }) }, "line 1 is:"],
  [
    "an artefact outside",
    { exitCode: 3, stdout: question({ artefacts: ["/grader/key"] }) },
    '"/grader/key", which is not a path below',
  ],
  [
    "an artefact that climbs",
    { exitCode: 3, stdout: question({ artefacts: ["a/../../x"] }) },
    "not a path below /workspace",
  ],
  [
    "the workspace itself",
    { exitCode: 3, stdout: question({ artefacts: ["/workspace/"] }) },
    "not a path below /workspace",
  ],
  [
    "too many questions",
    { exitCode: 3, stdout: Array.from({ length: 21 }, (_, at) => question({ id: `q${at}` })).join("") },
    "21 questions; at most 20",
  ],
  [
    "too many artefacts",
    { exitCode: 3, stdout: question({ artefacts: Array.from({ length: 11 }, (_, at) => `f${at}`) }) },
    "11 artefacts; at most 10",
  ],
])("%s is a grader's error", (_what, ending, reason) => {
  const outcome = readOutcome(ended(ending));
  expect(outcome.kind).toBe("error");
  expect(outcome.kind === "error" && outcome.reason).toContain(reason);
});

test("a truncated descriptor 3 is an error, whatever the exit code", () => {
  const bytes = new TextEncoder().encode(ok);
  const capture = { head: bytes, tail: bytes, totalBytes: 3 * bytes.length };
  for (const exitCode of [0, 1, 3]) {
    expect(readOutcome({ ...ended({ exitCode }), descriptor3: capture })).toMatchObject({
      kind: "error",
      reason: expect.stringContaining("more than the") as unknown,
    });
  }
  const parts = { head: bytes.subarray(0, 7), tail: bytes.subarray(7), totalBytes: bytes.length };
  expect(readOutcome({ ...ended({}), descriptor3: parts }).kind).toBe("passed");
});

test("a truncated stdout counts only where questions stand in it", () => {
  const stdout = { head: new Uint8Array(10), tail: new Uint8Array(10), totalBytes: 100 };
  expect(readOutcome({ ...ended({ descriptor3: ok }), stdout }).kind).toBe("passed");
  expect(readOutcome({ ...ended({ exitCode: 3 }), stdout }).kind).toBe("error");
});

test("artefacts are named relative to the workspace", () => {
  const stdout = question({ artefacts: ["./a.md", "/workspace/b//c.png", "d"] });
  const outcome = readOutcome(ended({ exitCode: 3, stdout }));
  expect(outcome.kind === "asks" && outcome.questions[0]?.artefacts).toEqual(["a.md", "b/c.png", "d"]);
});

test("an error keeps the assertions it could read", () => {
  expect(readOutcome(ended({ exitCode: 2, descriptor3: ok + bad })).assertions).toEqual([
    { assertion: "a", passed: true },
    { assertion: "b", passed: false },
  ]);
});
