import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { RawConfig } from "../config.ts";
import { campaignIn, chatsIn, evalIn, planIn, writeConfig } from "../testing/eval-command.ts";
import { type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { obedientModel, sampleCampaign } from "../testing/sample-campaign.ts";
import { deadlineAfter } from "./deadline.ts";

const model = "acme/coder";
let server: RunningFake;
let folder: string;

beforeAll(async () => {
  server = await startFake({ scenario: { models: { [model]: obedientModel() } } });
  folder = await sampleCampaign();
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});
afterEach(() => {
  vi.useRealTimers();
});

const config = (evaluation: Partial<NonNullable<RawConfig["evaluation"]>>): RawConfig => ({
  name: "sample",
  skills: ["skills/sample"],
  models: { baseUrl: server.baseURL },
  evaluation: { models: [model], trials: 2, ...evaluation },
});

test("when the hours have passed nothing is begun, a report is made, and the same command goes on", async () => {
  await writeConfig(folder, config({ deadlineHours: 1e-9 }));
  const stopped = await evalIn(folder);
  const { length: planned } = (await planIn(folder)).trials;
  expect(stopped.stderr).toContain("deadline: 1e-9 hour(s) have passed; no further trial is begun");
  expect(stopped.stderr).toContain(`deadline: 0 of ${planned} trials done; the same command goes on\n`);
  expect(stopped.code).toBe(4);
  expect(stopped.report?.trials).toEqual({ planned, finished: 0, graded: 0 });
  expect(chatsIn(server.fake.log)).toEqual([]);
  const campaign = await campaignIn(folder);
  const report = await readFile(join(campaign, "report", "report.json"), "utf8");
  expect(JSON.parse(report)).toEqual(stopped.report);

  // It changes no outcome, so another deadline is the same campaign.
  await writeConfig(folder, config({ deadlineHours: 1000 }));
  const ended = await evalIn(folder);
  expect(ended.stderr).not.toContain("deadline:");
  expect(ended.code, ended.stderr).toBe(0);
  expect(await campaignIn(folder)).toBe(campaign);
  expect(ended.report?.trials).toEqual({ planned, finished: planned, graded: planned });
});

test("a deadline that passes when everything is done stops nothing", async () => {
  await writeConfig(folder, config({ deadlineHours: 1e-9 }));
  const { code, stderr } = await evalIn(folder);
  expect(code, stderr).toBe(0);
  expect(stderr).not.toContain("trials done; the same command goes on");
});

test.each([
  ["an hour", 1],
  ["longer than a timer holds", 24 * 60],
])("%s is waited for to its end, and said once", (_what, hours) => {
  vi.useFakeTimers();
  const said: string[] = [];
  const { signal } = deadlineAfter(hours, () => said.push("over"));
  vi.advanceTimersByTime(hours * 3_600_000 - 1);
  expect([signal.aborted, said]).toEqual([false, []]);
  vi.advanceTimersByTime(1);
  expect([signal.aborted, said]).toEqual([true, ["over"]]);
});

test.each([
  ["no limit", undefined],
  ["called off", 1],
])("%s: never over, and nothing keeps the process", (_what, hours) => {
  vi.useFakeTimers();
  const { signal, callOff } = deadlineAfter(hours, () => undefined);
  callOff();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(7_200_000);
  expect(signal.aborted).toBe(false);
});

test.each([0, -1, "soon"])("deadlineHours: %j is refused", async (deadlineHours) => {
  await writeConfig(folder, config({ deadlineHours: deadlineHours as number }));
  const { code, stderr } = await evalIn(folder);
  expect(code).toBe(2);
  expect(stderr).toContain("evaluation.deadlineHours: ");
});
