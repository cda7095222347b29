import { describe, expect, test } from "vitest";
import { SandboxError } from "../sandbox/port.ts";
import { fakeContainer, type FakeOutcome } from "../testing/fake-container.ts";
import { agentTools, type ToolAnswer } from "./tools.ts";

function execute(name: string, args: unknown, container = fakeContainer()): Promise<ToolAnswer> {
  const text = typeof args === "string" ? args : JSON.stringify(args);
  return agentTools.execute({ id: "a", name, arguments: text }, { container, timeoutMs: 5000 });
}

test("an agent has exactly bash, read_file and write_file", () => {
  expect(agentTools.specs.map(({ name }) => name)).toEqual(["bash", "read_file", "write_file"]);
});

describe("bash says everything in words", () => {
  test.each<{ name: string; left: FakeOutcome; text: string }>([
    { name: "output", left: { stdout: "hi\n" }, text: "hi\n[exit code 0]" },
    { name: "nothing", left: {}, text: "(no output)\n[exit code 0]" },
    {
      name: "both streams",
      left: { stdout: "a\n", stderr: "b\n", exitCode: 2 },
      text: "a\n[stderr]\nb\n[exit code 2]",
    },
    {
      name: "a signal",
      left: { exitCode: null, signal: "SIGSEGV" },
      text: "(no output)\n[ended by signal SIGSEGV]",
    },
    {
      name: "a timeout",
      left: { stdout: "part", exitCode: null, signal: "SIGKILL", timedOut: true, seconds: 30.2 },
      text: "part\n[stopped after 30 s: the time limit of a command]",
    },
    {
      name: "out of memory",
      left: { exitCode: 137, outOfMemory: true },
      text: "(no output)\n[the container's memory limit was reached: a process was killed]\n[exit code 137]",
    },
    {
      name: "background processes",
      left: { leftProcesses: true },
      text: "(no output)\n[it left processes running in the background]\n[exit code 0]",
    },
  ])("$name", async ({ left, text }) => {
    const answer = await execute("bash", { command: "x" }, fakeContainer({ run: () => left }));
    expect(answer).toEqual({ kind: "done", tool: "bash", text });
  });

  test("long output stays within its limit, both streams together", async () => {
    const container = fakeContainer({
      run: () => ({ stdout: "o".repeat(50_000), stderr: "e".repeat(50_000) }),
    });
    const { text } = await execute("bash", { command: "x" }, container);
    expect(text.length).toBeLessThan(16 * 1024 + 200);
    expect(text).toMatch(
      /^o+\n\[… 41808 bytes left out …\]\no+\n\[stderr\]\ne+\n\[… 41808 bytes left out …\]\ne+\n/,
    );
  });

  test("the time of the call is what the loop leaves it", async () => {
    const container = fakeContainer();
    await execute("bash", { command: "sleep 9" }, container);
    expect(container.commands).toMatchObject([{ command: "sleep 9", timeoutMs: 5000 }]);
  });
});

test("paths are relative to the workspace", async () => {
  const container = fakeContainer();
  expect((await execute("write_file", { path: "a/b.txt", content: "ü" }, container)).text).toBe(
    "Wrote 2 bytes to /workspace/a/b.txt.",
  );
  expect((await execute("read_file", { path: "./a/b.txt" }, container)).text).toBe("ü");
  expect((await execute("read_file", { path: "/workspace/a/b.txt" }, container)).text).toBe("ü");
  expect([...container.files.keys()]).toEqual(["/workspace/a/b.txt"]);
});

test("what the container refuses is an answer, not an invalid call", async () => {
  expect(await execute("read_file", { path: "none" })).toEqual({
    kind: "done",
    tool: "read_file",
    text: "Cannot read: /workspace/none: no such file",
  });
  expect(await execute("write_file", { path: "/skill/x", content: "" })).toMatchObject({
    kind: "done",
    text: "Cannot write: /skill/x: read-only",
  });
});

test.each([
  { name: "an unknown tool", tool: "search_web", args: {}, says: /no tool "search_web"/ },
  { name: "no tool at all", tool: "", args: {}, says: /no tool ""/ },
  { name: "cut JSON", tool: "bash", args: '{"command":"ls', says: /not valid JSON \(were they cut off\?\)/ },
  { name: "an array", tool: "bash", args: '["ls"]', says: /expected object/ },
  { name: "a missing field", tool: "bash", args: {}, says: /command: .*The schema: \{"type":"object"/ },
  { name: "another type", tool: "bash", args: { command: ["ls"] }, says: /command: .*expected string/ },
  { name: "another key", tool: "bash", args: { cmd: "ls" }, says: /cmd/ },
  { name: "a NUL in a path", tool: "read_file", args: { path: "a\0" }, says: /NUL/ },
])("$name is invalid, and nothing is done", async ({ tool, args, says }) => {
  const container = fakeContainer();
  const answer = await execute(tool, args, container);
  expect(answer.kind).toBe("invalid");
  expect(answer.text).toMatch(says);
  expect(container.commands).toEqual([]);
  expect(container.files.size).toBe(0);
});

test("a container that is gone is not an answer", async () => {
  const container = fakeContainer({
    run: () => {
      throw new SandboxError("stream closed");
    },
  });
  await expect(execute("bash", { command: "x" }, container)).rejects.toThrow(SandboxError);
});
