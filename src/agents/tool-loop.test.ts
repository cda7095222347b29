import { describe, expect, test } from "vitest";
import { stopReasonSchema } from "../artefacts/trial.ts";
import { SandboxError } from "../sandbox/port.ts";
import { fakeContainer } from "../testing/fake-container.ts";
import { playLoop } from "../testing/play-loop.ts";
import type { ScriptedStep } from "../testing/scripted-model.ts";
import type { AgentEnd, AgentLimits } from "./port.ts";

const ls: ScriptedStep = { calls: [{ name: "bash", arguments: { command: "ls" } }] };
const bad: ScriptedStep = { calls: [{ name: "bash", arguments: "{" }] };
const blank: ScriptedStep = { say: " \n" };
const done: ScriptedStep = { say: "Done." };

const callAsText: ScriptedStep = { say: '<tool_call>{"name":"bash"}</tool_call>' };
const stop = (name: string): AgentEnd => ({ kind: "ended", stop: stopReasonSchema.parse(name) });

describe("how the work ends", () => {
  const rows: readonly {
    name: string;
    steps: readonly [ScriptedStep, ...ScriptedStep[]];
    limits?: Partial<AgentLimits>;
    end: AgentEnd;
    turns: number;
  }[] = [
    { name: "words end it", steps: [ls, done], end: stop("finished"), turns: 2 },
    { name: "the turn limit", steps: [ls], limits: { turns: 3 }, end: stop("turn_limit"), turns: 3 },
    { name: "the token limit", steps: [ls], limits: { outputTokens: 5 }, end: stop("token_limit"), turns: 3 },
    { name: "the time limit", steps: [ls], limits: { seconds: 4 }, end: stop("time_limit"), turns: 4 },
    {
      name: "waiting is not the agent's time",
      steps: [{ ...ls, waitedSeconds: 999 }, done],
      end: stop("finished"),
      turns: 2,
    },
    { name: "a refusal", steps: [{ say: "No.", finish: "content_filter" }], end: stop("refused"), turns: 1 },
    { name: "one blank turn is nudged", steps: [blank, done], end: stop("finished"), turns: 2 },
    { name: "two blank turns", steps: [blank], end: stop("blank_turns"), turns: 2 },
    {
      name: "a nudge for every blank after work",
      steps: [blank, ls, blank, done],
      end: stop("finished"),
      turns: 4,
    },
    {
      name: "a turn cut off is nudged",
      steps: [{ say: "First", finish: "length" }, done],
      end: stop("finished"),
      turns: 2,
    },
    {
      name: "announced calls that are not there",
      steps: [{ say: "I look.", finish: "tool_calls" }],
      end: stop("blank_turns"),
      turns: 2,
    },
    { name: "a call as text is nudged", steps: [callAsText, ls, done], end: stop("finished"), turns: 3 },
    { name: "calls as text for good", steps: [callAsText], end: stop("invalid_calls"), turns: 2 },
    { name: "three invalid turns in a row", steps: [bad], end: stop("invalid_calls"), turns: 3 },
    {
      name: "two invalid turns, then a good one",
      steps: [bad, bad, ls, bad, bad, done],
      end: stop("finished"),
      turns: 6,
    },
    {
      name: "an overflow later on",
      steps: [ls, { failure: "context_exhausted" }],
      end: stop("context_exhausted"),
      turns: 1,
    },
    {
      name: "an overflow at once",
      steps: [{ failure: "context_exhausted" }],
      end: { kind: "stop_model", reason: "scripted context_exhausted" },
      turns: 0,
    },
    {
      name: "infrastructure",
      steps: [ls, { failure: "infrastructure" }],
      end: { kind: "void", reason: "scripted infrastructure" },
      turns: 1,
    },
    {
      name: "another snapshot in mid-trial",
      steps: [{ ...ls, servedModel: "m-1" }, ls, { ...ls, servedModel: "m-2" }],
      end: { kind: "void", reason: "scripted/model: the snapshot changed in mid-trial: m-1, then m-2" },
      turns: 3,
    },
    {
      name: "another provider in mid-trial",
      steps: [
        { ...ls, servedBy: "Alpha" },
        { say: "Done.", servedBy: "Beta" },
      ],
      end: { kind: "void", reason: "scripted/model: the provider changed in mid-trial: Alpha, then Beta" },
      turns: 2,
    },
    {
      name: "no room in the budget",
      steps: [ls, { failure: "budget" }],
      end: { kind: "budget", reason: "scripted budget" },
      turns: 1,
    },
    {
      name: "an input filter",
      steps: [{ failure: "blocked" }],
      end: { kind: "blocked", reason: "scripted blocked" },
      turns: 0,
    },
    {
      name: "a model that cannot go on",
      steps: [{ failure: "stop_model" }],
      end: { kind: "stop_model", reason: "scripted stop_model" },
      turns: 0,
    },
    {
      name: "nothing can go on",
      steps: [{ failure: "stop_all" }],
      end: { kind: "stop_all", reason: "scripted stop_all" },
      turns: 0,
    },
  ];
  test.each(rows)("$name", async ({ steps, limits = {}, end, turns }) => {
    const { record } = await playLoop(steps, { limits });
    expect(record.end).toEqual(end);
    expect(record.usage.modelCalls).toBe(turns);
  });

  test("calls of a turn that another snapshot made are not carried out", async () => {
    const steps = [
      { ...ls, servedModel: "m-1" },
      { ...ls, servedModel: "m-2" },
    ] as const;
    expect((await playLoop(steps)).container.commands).toHaveLength(1);
  });

  test("a container that is gone voids the trial", async () => {
    const container = fakeContainer({
      run: () => {
        throw new SandboxError("stream closed");
      },
    });
    const { record, lines } = await playLoop([ls], { container });
    expect(record.end).toEqual({ kind: "void", reason: "container: stream closed" });
    expect(lines.at(-1)).toEqual({ kind: "note", text: "void: container: stream closed" });
  });

  test("a bug of ours is thrown, not made an outcome", async () => {
    const container = fakeContainer({
      run: () => {
        throw new TypeError("a bug");
      },
    });
    await expect(playLoop([ls], { container })).rejects.toThrow("a bug");
  });

  test("an abort rejects with the signal's reason, before the next call is carried out", async () => {
    const reason = new Error("Ctrl-C");
    const stopped = new AbortController();
    const container = fakeContainer({
      run: () => {
        stopped.abort(reason);
        return {};
      },
    });
    const twice = { calls: [ls, ls].flatMap((step) => ("calls" in step ? (step.calls ?? []) : [])) };
    await expect(playLoop([twice], { container, signal: stopped.signal })).rejects.toBe(reason);
    expect(container.commands).toHaveLength(1);
  });
});

describe("what is said", () => {
  test("calls are carried out in order, one answer each, and the transcript tells it as it happened", async () => {
    const calls = [
      { name: "write_file", arguments: { path: "a.txt", content: "x" } },
      { name: "read_file", arguments: { path: "a.txt" } },
      { name: "fly", arguments: {} },
    ];
    const { lines, model } = await playLoop([{ say: "I work.", calls }, done]);
    expect(
      lines.map((line) => (line.kind === "tool" ? `${line.name}: ${line.text.slice(0, 24)}` : line.kind)),
    ).toEqual([
      "system",
      "user",
      "assistant",
      "write_file: Wrote 1 bytes to /worksp",
      "read_file: x",
      'fly: There is no tool "fly". ',
      "assistant",
    ]);
    const sent = model.requests[1]?.messages.slice(3) ?? [];
    expect(sent.map((message) => (message.role === "tool" ? message.toolCallId : ""))).toEqual([
      "s1_0",
      "s1_1",
      "s1_2",
    ]);
  });

  test("every request has the same system, task, tools, seed and cap, and only grows", async () => {
    const { model } = await playLoop([ls, bad, blank, ls, done]);
    const [first] = model.requests;
    model.requests.forEach((request, at) => {
      expect(request).toMatchObject({ tools: first?.tools, seed: 9, maxTokens: 800 });
      const before = model.requests[at - 1]?.messages ?? [];
      expect(request.messages.slice(0, before.length)).toEqual(before);
    });
  });

  test("provider fields of a turn go back", async () => {
    const echo = { reasoning_details: [{ data: "opaque" }] };
    const { model } = await playLoop([{ ...ls, echo }, done]);
    expect(model.requests[1]?.messages[2]).toMatchObject({ echo });
  });

  test("a blank turn leaves no empty message, and the nudge follows it", async () => {
    const { model } = await playLoop([blank, done]);
    expect(model.requests[1]?.messages.slice(2)).toMatchObject([
      { role: "assistant", content: "(no answer)" },
      { role: "user", content: expect.stringContaining("Your last turn was empty.") as string },
    ]);
  });

  test.each([
    { name: "finished", steps: [ls, done] as const, says: "Done." },
    { name: "refused", steps: [{ say: "No.", finish: "content_filter" }] as const, says: "No." },
    { name: "stopped at a limit", steps: [ls] as const, says: null },
  ])("the final message when $name", async ({ steps, says }) => {
    expect((await playLoop(steps, { limits: { turns: 2 } })).record.finalMessage).toBe(says);
  });
});

describe("the record", () => {
  const first = { parameters: { model: "m", max_tokens: 800 }, withheld: ["seed"] };

  test("names who answered once each, and tells what the first request carried", async () => {
    const served = { servedModel: "m-1", servedBy: "Alpha" };
    const steps = [{ ...ls, ...served, sent: first }, { ...ls, ...served }, done] as const;
    const { record, model } = await playLoop(steps);
    expect(record.served).toEqual({ models: ["m-1"], providers: ["Alpha"] });
    expect(record.request).toEqual(first);
    expect(new Set(model.requests.map(({ subject }) => subject))).toEqual(new Set(["played"]));
  });

  test("knows of nobody where no turn came", async () => {
    const { record } = await playLoop([{ failure: "infrastructure" }]);
    expect(record).toMatchObject({ served: { models: [], providers: [] }, request: null });
  });
});

describe("limits", () => {
  test("a command gets what is left of the trial, if that is less than its own limit", async () => {
    const { container } = await playLoop([ls, ls, done], { limits: { seconds: 12, commandSeconds: 11 } });
    expect(container.commands.map(({ timeoutMs }) => timeoutMs)).toEqual([11_000, 10_000]);
  });

  test("calls after the time is up are not carried out", async () => {
    let ms = 0;
    const two = { calls: [1, 2].map((n) => ({ name: "bash", arguments: { command: `sleep ${n}` } })) };
    const { record, container } = await playLoop([two], { limits: { seconds: 3 }, now: () => (ms += 2000) });
    expect(record.end).toEqual(stop("time_limit"));
    expect(container.commands).toHaveLength(1);
    expect(record.usage).toMatchObject({ modelSeconds: 1, toolSeconds: 2 });
  });
});
