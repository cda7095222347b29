import { cp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { RawConfig } from "../config.ts";
import { capturedIo } from "../testing/captured-io.ts";
import {
  campaignIn,
  chatsIn,
  evalIn,
  filesIn,
  planIn,
  reportOf,
  writeConfig,
} from "../testing/eval-command.ts";
import { type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { obedientModel, sampleCampaign } from "../testing/sample-campaign.ts";
import { main } from "./main.ts";

vi.setConfig({ testTimeout: 180_000 });

/** Of each arm. Five pairs that all differ have p = 2/252, below Pocock's first of two levels. */
const trials = 10;
const atLook = 5;
let server: RunningFake;
let folder: string;

function config(analysis: RawConfig["analysis"]): RawConfig {
  const evaluation = { models: ["acme/coder"], trials, concurrency: 2 };
  return {
    name: "sample",
    skills: ["skills/sample"],
    models: { baseUrl: server.baseURL },
    evaluation,
    analysis,
  };
}

beforeAll(async () => {
  server = await startFake();
  server.fake.load({ models: { "acme/coder": obedientModel() } });
  folder = await sampleCampaign();
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

async function verified(): Promise<{ readonly code: number; readonly stdout: string }> {
  const io = capturedIo(folder);
  return { code: await main(["verify", await campaignIn(folder)], io), stdout: io.stdout() };
}

test.each([
  [
    { looks: { count: 3 } },
    "analysis.looks.count: 3 looks cannot be equally spaced over evaluation.trials: 10",
  ],
  [
    { alpha: 0.01, sides: 1, looks: { count: 2 } },
    "analysis.alpha: looks have boundaries for 0.05 alone, not for 0.01.\nanalysis.sides: looks have boundaries for two-sided",
  ],
  [{ looks: { count: 6 } }, "analysis.looks.count"],
  [{ looks: { count: 2, settle: { mostPairs: 9 } } }, "at most 6"],
] as const)("looks that do not fit are refused: %j", async (analysis, words) => {
  await writeConfig(folder, config(analysis));
  const { code, stderr } = await evalIn(folder);
  expect([code, chatsIn(server.fake.log)]).toEqual([2, []]);
  expect(stderr).toContain(words);
});

test("a campaign that its look ends makes no further trial, says so and holds", async () => {
  await writeConfig(folder, config({ looks: { count: 2, boundary: "pocock" } }));
  const ended = await evalIn(folder);
  expect(ended.code, ended.stderr).toBe(0);
  const report = reportOf(ended);
  expect(report.looks).toMatchObject({
    taken: [{ look: 1, blocks: atLook, ofBlocks: trials, rows: [{ kind: "helps" }], stops: true }],
    ended: true,
    atMost: 2 * trials,
    notReleased: 2 * (trials - atLook),
  });
  expect(report.trials).toEqual({ planned: 2 * atLook, finished: 2 * atLook, graded: 2 * atLook });
  expect(report.conclusions?.rows.map(({ set }) => set.kind)).toContain("helps");
  expect(report.conclusions?.settings.alpha).toBeCloseTo(report.looks?.taken[0]?.nominalP ?? NaN, 12);
  expect(ended.stderr).toMatch(
    /look 1 after 5 of at most 10 blocks, p at most 0\.029: sample, .*: helps; no further/,
  );
  expect(await filesIn(folder, "/trial.json")).toHaveLength(2 * atLook);
  expect((await planIn(folder)).trials).toHaveLength(2 * trials);
  const markdown = await readFile(join(await campaignIn(folder), "report/report.md"), "utf8");
  expect(markdown).toContain(
    `The campaign ended at look 1: ${2 * (trials - atLook)} of at most ${2 * trials} trials were not needed.`,
  );

  const asked = chatsIn(server.fake.log).length;
  // There is nothing left to pay for, so nobody has to agree.
  const io = capturedIo(folder);
  expect(await main(["eval"], io), io.stderr()).toBe(0);
  expect(io.stderr()).toContain(`trials   ${2 * atLook} planned, ${2 * atLook} already finished\n`);
  expect(io.stderr()).not.toContain("Estimated cost $");
  await writeConfig(folder, config({ looks: { count: 2, boundary: "obrien-fleming" } }));
  const other = await evalIn(folder);
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("analysis.looks.boundary: ")]);
  expect(chatsIn(server.fake.log)).toHaveLength(asked);
  const { code, stdout } = await verified();
  expect(code, stdout).toBe(0);
  expect(stdout).toMatch(/^passed +looks-kept +trials that are there against the 10 of 20/m);
});

test("a trial that the look had not released is found", async () => {
  const campaign = await campaignIn(folder);
  const arm = join(campaign, "trials/sample/answer/acme%2Fcoder/with_skill");
  await cp(join(arm, "1"), join(arm, String(atLook + 1)), { recursive: true });
  const { code, stdout } = await verified();
  expect(code).toBe(1);
  expect(stdout).toMatch(/^FAILED +looks-kept/m);
  expect(stdout).toContain(`with_skill/${atLook + 1}: expected nothing: by the verdicts that lie here`);
});
