import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { headroomSchema, probeRule, type ProbedBenchmark } from "../artefacts/headroom.ts";
import type { Bundle } from "../artefacts/bundle.ts";
import { planSchema } from "../artefacts/plan.ts";
import { writeBenchmark } from "../store/benchmarks.ts";
import { answerBundle, passedGate } from "../testing/benchmark.ts";
import { type CapturedIo, capturedIo } from "../testing/captured-io.ts";
import { chatsIn, evalIn, reportOf, writeConfig } from "../testing/eval-command.ts";
import { type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { obedientModel, sampleCampaign } from "../testing/sample-campaign.ts";
import { main } from "./main.ts";

const model = "acme/coder";
let server: RunningFake;
let folder: string;
let probed: { code: number; io: CapturedIo; benchmarks: (ProbedBenchmark & { skill: string })[] };

/** Passes when answer.txt holds one of these words; the model writes `right` with the skill and `left` without. */
function accepting(id: string, ...words: readonly string[]): Bundle {
  const grade = `#!/usr/bin/env bash
for word in ${words.join(" ")}; do
  if [ "$(cat answer.txt 2>/dev/null)" = "$word" ]; then
    echo '{"assertion":"answer.txt holds the answer","passed":true}' >&3
    exit 0
  fi
done
echo '{"assertion":"answer.txt holds the answer","passed":false}' >&3
exit 1
`;
  return answerBundle(id, { grade });
}

async function probe(...args: string[]) {
  const io = capturedIo(folder);
  const code = await main(["probe", "--yes", "--json", ...args], io);
  const text = io.stdout();
  const found = text === "" ? { benchmarks: [] } : (JSON.parse(text) as Pick<typeof probed, "benchmarks">);
  return { code, io, benchmarks: found.benchmarks };
}

const config = (over: object = {}) => ({
  name: "sample",
  skills: ["skills/sample"],
  models: { baseUrl: server.baseURL },
  evaluation: { models: [model], trials: 1, ...over },
  probe: { trials: 2 },
});

beforeAll(async () => {
  server = await startFake({ scenario: { models: { [model]: obedientModel() } } });
  folder = await sampleCampaign();
  for (const bundle of [accepting("easy", "left", "right"), accepting("hard", "neither")]) {
    await writeBenchmark(join(folder, "benchmarks/sample", bundle.id), bundle, passedGate(bundle));
  }
  await writeConfig(folder, config());
  probed = await probe();
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

test("a benchmark that every baseline passes is a ceiling, one that no arm passes a floor", () => {
  expect(probed.code, probed.io.stderr()).toBe(0);
  const rows = probed.benchmarks.map(({ benchmark, mark, baseline, treated }) => [
    benchmark,
    mark,
    baseline,
    treated,
  ]);
  const all = { passed: 2, graded: 2, planned: 2 };
  const none = { ...all, passed: 0 };
  expect(rows).toEqual([
    ["answer", "open", none, all],
    ["easy", "ceiling", all, null],
    ["hard", "floor", none, none],
  ]);
});

test("the rule was frozen in the plans before the first trial, and the report says what the trials are for", async () => {
  const [campaign = ""] = probed.benchmarks[0]?.campaigns ?? [];
  const place = join(folder, "out", campaign);
  const plan = planSchema.parse(JSON.parse(await readFile(join(place, "plan.json"), "utf8")));
  expect(plan.inputs.probe).toEqual(probeRule);
  expect(plan.inputs.skills.map(({ arms }) => arms.map(({ id }) => id))).toEqual([["without_skill"]]);
  expect(await readFile(join(place, "report/report.md"), "utf8")).toContain("counted nowhere else");
});

test("nothing is left out unless the YAML says so, and no trial of the probe is counted again", async () => {
  const before = chatsIn(server.fake.log).length;
  const report = reportOf(await evalIn(folder));
  expect(report.excluded).toEqual([]);
  expect(report.trials).toEqual({ planned: 6, finished: 6, graded: 6 });
  // Two requests a trial: all six were worked on anew.
  expect(chatsIn(server.fake.log).length - before).toBe(12);
});

test("what evaluation.exclude leaves out is listed, and only holds for the files that were probed", async () => {
  await writeConfig(folder, config({ exclude: ["ceiling", "floor"] }));
  const report = reportOf(await evalIn(folder));
  expect(report.excluded.map(({ benchmark, mark }) => [benchmark, mark])).toEqual([
    ["easy", "ceiling"],
    ["hard", "floor"],
  ]);
  expect(report.cells.map(({ benchmark }) => benchmark)).toEqual(["answer"]);

  const changed = accepting("easy", "left");
  await writeBenchmark(join(folder, "benchmarks/sample/easy"), changed, passedGate(changed));
  const again = reportOf(await evalIn(folder));
  expect(again.excluded.map(({ benchmark }) => benchmark)).toEqual(["hard"]);
  await writeConfig(folder, config());
});

test("one benchmark is named by its folder or its id, and what is known of the others is kept", async () => {
  const { code, benchmarks } = await probe("benchmarks/sample/easy");
  expect(code).toBe(0);
  expect(benchmarks.map(({ benchmark, mark }) => [benchmark, mark])).toEqual([["easy", "ceiling"]]);
  const file = join(folder, "benchmarks/sample/headroom.json");
  const kept = headroomSchema.parse(JSON.parse(await readFile(file, "utf8")));
  expect(kept.benchmarks.map(({ benchmark, mark }) => [benchmark, mark])).toEqual([
    ["answer", "open"],
    ["easy", "ceiling"],
    ["hard", "floor"],
  ]);
});

test.each([
  ["a benchmark that does not exist", ["nothing"], "nothing: no such benchmark; there are "],
  ["no whole number of trials", ["--trials", "0"], "--trials 0: say a whole number from 1 to 1000."],
])("bad input: %s", async (_name, args, words) => {
  const { code, io } = await probe(...args);
  expect(code).toBe(2);
  expect(io.stderr()).toContain(words);
});
