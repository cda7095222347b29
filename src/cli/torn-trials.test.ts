import { appendFile, readFile, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reportSchema } from "../artefacts/report.ts";
import { trialName } from "../artefacts/trial.ts";
import { capturedIo } from "../testing/captured-io.ts";
import { campaignIn, chatsIn, evalIn, planIn, reportOf } from "../testing/eval-command.ts";
import { type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { obedientModel, sampleCampaign } from "../testing/sample-campaign.ts";
import { main } from "./main.ts";

let server: RunningFake;
let folder: string;
beforeAll(async () => {
  server = await startFake({ scenario: { models: { "acme/coder": obedientModel() } } });
  const evaluation = { models: ["acme/coder"], trials: 2 };
  folder = await sampleCampaign({ models: { baseUrl: server.baseURL }, evaluation });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

test("torn trials are named by report and eval, set aside by eval alone, and worked on again", async () => {
  const before = reportOf(await evalIn(folder));
  expect(before.trials).toEqual({ planned: 4, finished: 4, graded: 4 });
  const names = (await planIn(folder)).trials.map(trialName);
  const [lost = "", cut = "", swapped = "", ungraded = ""] = names;
  const campaign = await campaignIn(folder);
  const place = (trial: string, file: string): string => join(campaign, "trials", trial, file);
  await rm(place(lost, "trial.json"));
  await appendFile(place(cut, "transcript.jsonl"), '{"kind":"no');
  const workspace = gunzipSync(await readFile(place(swapped, "workspace.tar.gz")));
  await writeFile(place(swapped, "workspace.tar.gz"), gzipSync(workspace.reverse()));
  await rm(place(swapped, "verdict.json"));
  await truncate(place(ungraded, "verdict.json"), 30);

  const io = capturedIo(folder);
  expect(await main(["report", campaign, "--json"], io)).toBe(0);
  const report = reportSchema.parse(JSON.parse(io.stdout()));
  expect(report.trials).toEqual({ planned: 4, finished: 2, graded: 0 });
  expect(report.warnings.join("\n")).toContain("3 trial(s) have a folder that cannot be used");
  expect(new Set(report.ungraded.map(({ reason }) => reason.replace(/ \(.*/, "")))).toEqual(
    new Set([
      "cannot be used: trial.json is missing",
      "cannot be used: transcript.jsonl ends in the middle of a line",
      "no verdict yet",
      "cannot be used: verdict.json is not JSON",
    ]),
  );
  expect(await readdir(campaign)).not.toContain("set-aside");

  const asked = chatsIn(server.fake.log).length;
  const evaluated = await evalIn(folder);
  expect(evaluated.code).toBe(0);
  for (const [trial, why] of [
    [lost, "trial.json is missing"],
    [cut, "transcript.jsonl ends in the middle of a line"],
    [swapped, "workspace.tar.gz holds"],
    [ungraded, "verdict.json is not JSON"],
  ] as const) {
    expect(evaluated.stderr).toContain(`${trial}: ${why}`);
    expect(evaluated.stderr).toContain(`Set aside as ${join("set-aside", trial, "1")}`);
    expect(await readdir(join(campaign, "set-aside", trial))).toEqual(["1"]);
  }
  const after = reportOf(evaluated);
  expect([after.trials, after.pooled, after.warnings]).toEqual([
    before.trials,
    before.pooled,
    before.warnings,
  ]);
  // Two requests a trial: the fourth one was only graded.
  expect(chatsIn(server.fake.log).length - asked).toBe(3 * 2);

  const markdown = await readFile(join(campaign, "report/report.md"), "utf8");
  expect(markdown).toContain(`\`${lost}\`, its trial: trial.json is missing`);
  const verified = capturedIo(folder);
  expect(await main(["verify", campaign], verified), verified.stdout()).toBe(0);
  expect(verified.stdout()).toContain("3 trial(s) were done again after they had been set aside:");
});

test("a finished trial that was taken away and made again is a finding", async () => {
  const [name = ""] = (await planIn(folder)).trials.map(trialName);
  const campaign = await campaignIn(folder);
  await rm(join(campaign, "trials", name), { recursive: true });
  expect((await evalIn(folder)).code).toBe(0);
  const io = capturedIo(folder);
  expect(await main(["verify", campaign], io)).toBe(1);
  expect(io.stdout()).toMatch(/^FAILED +records/m);
  expect(io.stdout()).toContain(`expected ${name} once, or set aside in between with its reason`);
});
