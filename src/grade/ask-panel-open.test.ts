import { expect, test } from "vitest";
import type { Answer, Question } from "../artefacts/verdict.ts";
import { BudgetError, InfrastructureError } from "../errors.ts";
import type { ChatFailure } from "../models/port.ts";
import { artefactsOf, gradingOf, judgeOf, questionOf, says } from "../testing/gradings.ts";
import type { ScriptedModel, ScriptedStep } from "../testing/scripted-model.ts";
import { askPanel, knownAnswers, type Panel, type PanelOptions } from "./ask-panel.ts";
import { verdictOf } from "./verdict.ts";

const { yes, no, prose } = says;
const letter = artefactsOf({ "letter.md": "Dear Sir" });
const fails = (failure: ChatFailure["failure"]): ScriptedStep => ({ failure });
const ids = ["a/1", "b/2", "c/3"] as const;

type Three = readonly [ScriptedStep, ScriptedStep, ScriptedStep];
const threeThat = (steps: Three): readonly ScriptedModel[] =>
  steps.map((step, at) => judgeOf(ids[at] ?? "", step));
const requestsOf = (judges: readonly ScriptedModel[]): readonly number[] =>
  judges.map((one) => one.requests.length);
const ask = (
  judges: readonly ScriptedModel[],
  options: PanelOptions = {},
  over: Partial<Panel> = {},
): Promise<readonly Answer[]> => askPanel([questionOf()], letter, { judges, seed: 7, ...over }, options);

test("of an open question only the absent judge is asked again, and the votes that were cast stand", async () => {
  const first = threeThat([yes, no, fails("infrastructure")]);
  const [open] = await ask(first);
  expect(open?.answer).toBeNull();
  const again = threeThat([no, yes, yes]);
  const [answered] = await ask(again, { known: knownAnswers([open!]) });
  expect(requestsOf(again)).toEqual([0, 0, 1]);
  expect(answered?.ballots.map(({ answer }) => answer)).toEqual(["yes", "no", "yes"]);
  expect(answered?.answer).toBe(true);
  expect(knownAnswers([answered!, open!]).get(open!.key)?.answer).toBe(true);
  expect(knownAnswers([open!, answered!]).get(open!.key)?.answer).toBe(true);
});

test("our budget ends the grading, and what was answered for money is not asked again", async () => {
  const known = new Map<string, Answer>();
  const poor = threeThat([yes, yes, fails("budget")]);
  await expect(ask(poor, { known })).rejects.toThrow(BudgetError);
  const rich = threeThat([no, no, no]);
  const [answered] = await ask(rich, { known });
  expect(requestsOf(rich)).toEqual([0, 0, 1]);
  expect(answered?.ballots.map(({ answer }) => answer)).toEqual(["yes", "yes", "no"]);
});

test("a refused key or no credits: two equal votes decide all the same, an open question ends the grading", async () => {
  const known = new Map<string, Answer>();
  const [decided] = await ask(threeThat([yes, fails("stop_all"), yes]));
  expect(decided).toMatchObject({
    answer: true,
    ballots: [{}, { answer: "absent", reason: "stop_all: scripted stop_all" }, {}],
  });
  const stopped = ask(threeThat([yes, fails("stop_all"), fails("stop_all")]), { known });
  await expect(stopped).rejects.toThrow(InfrastructureError);
  const again = threeThat([no, yes, no]);
  await ask(again, { known });
  expect(requestsOf(again)).toEqual([0, 1, 1]);
});

test.each<[string, ScriptedStep, ScriptedStep, boolean | null]>([
  ["two equal votes decide", yes, yes, true],
  ["two equal NO as well", no, no, false],
  ["two that differ leave it open", yes, no, null],
])("one judge set aside: %s", async (_what, first, third, answer) => {
  const judges = threeThat([first, yes, third]);
  const unasked = new Map([[ids[1], "set aside: missed"]]);
  const [given] = await ask(judges, {}, { unasked });
  expect(given?.answer).toBe(answer);
  expect(requestsOf(judges)).toEqual([1, 0, 1]);
  expect(given?.ballots[1]).toMatchObject({ judge: ids[1], answer: "absent", reason: "set aside: missed" });
});

test("a panel too small is not asked at all, and its trial stays ungraded", async () => {
  const judges = threeThat([yes, yes, yes]);
  const unasked = new Map([
    [ids[0], "set aside: missed"],
    [ids[1], "untried: refused"],
  ]);
  const answers = await ask(judges, {}, { unasked });
  expect(requestsOf(judges)).toEqual([0, 0, 0]);
  expect(verdictOf(gradingOf(3, ["a"], { answers }), "s")).toMatchObject({
    verdict: "ungraded",
    reason: "panel too small: 1 of 3 judges may vote (a/1: set aside: missed; b/2: untried: refused)",
  });
});

test("a panel of other judges does not take over their answers", async () => {
  const known = new Map<string, Answer>();
  await ask(threeThat([yes, yes, yes]), { known });
  const two = threeThat([no, no, no]);
  const [given] = await ask(two, { known }, { unasked: new Map([[ids[2], "set aside: missed"]]) });
  expect(given?.answer).toBe(false);
});

test("a judge sees the question and the files, and nothing of trial, arm, model, skill or its peers", async () => {
  const subject = "growers-skill/letter-bench/acme%2Fcoder/with_skill/77";
  const judges = threeThat([prose, yes, yes]);
  const question: Question = questionOf({ id: "question-id" });
  await askPanel([question], letter, { judges, seed: 7 }, { subject });
  const requests = judges.flatMap((one) => one.requests);
  expect(requests.map((request) => request.subject)).toEqual(requests.map(() => subject));
  const sent = JSON.stringify(requests.map(({ messages, responseSchema }) => ({ messages, responseSchema })));
  for (const told of [...subject.split("/"), question.id, ...ids]) expect(sent).not.toContain(told);
  const [first, ...others] = judges.map((one) => one.requests[0]?.messages);
  for (const other of others) expect(other).toEqual(first);
});

test("a judge that calls a tool nobody gave it gets a history that every provider takes", async () => {
  const calling = judgeOf(ids[0], { say: null, calls: [{ name: "bash", arguments: {} }] }, yes);
  await ask([calling, judgeOf(ids[1], yes), judgeOf(ids[2], yes)]);
  expect(calling.requests[1]?.messages[2]).toEqual({
    role: "assistant",
    content: "(no answer)",
    toolCalls: [],
  });
});
