import { cp, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { planSchema } from "../artefacts/plan.ts";
import { type CapturedIo, capturedIo } from "../testing/captured-io.ts";
import { chatsIn, evalIn, reportOf, writeConfig } from "../testing/eval-command.ts";
import { type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { obedientModel, sampleCampaign } from "../testing/sample-campaign.ts";
import { main } from "./main.ts";

const model = "acme/coder";
const judges = ["alpha/judge", "bravo/judge", "carol/judge"];
let server: RunningFake;
let folder: string;

const config = (over: object = {}) => ({
  name: "sample",
  skills: ["skills/sample"],
  models: { baseUrl: server.baseURL },
  evaluation: { models: [model], trials: 2 },
  ...over,
});

beforeAll(async () => {
  const asked = Object.fromEntries(judges.map((id) => [id, {}]));
  server = await startFake({ scenario: { models: { [model]: obedientModel(), ...asked } } });
  folder = await sampleCampaign();
  await writeConfig(folder, config());
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

async function plan(...args: string[]): Promise<{ code: number; io: CapturedIo }> {
  const io = capturedIo(folder);
  return { code: await main(["plan", "--repetitions", "20", ...args], io), io };
}

const told = z.object({
  plan: z.string(),
  trials: z.number(),
  limits: z.array(z.string()),
  grid: z.array(
    z.object({
      benchmarks: z.number(),
      trials: z.number(),
      tasks: z.number(),
      set: z.number(),
      detectable: z.object({ set: z.number().nullable(), tasks: z.number().nullable() }),
    }),
  ),
});

test("a plan says what the design cannot show, what others could and what it costs, and asks nothing of a model", async () => {
  const { code, io } = await plan();
  expect(code, io.stderr()).toBe(0);
  const words = io.stdout();
  expect(words).toContain("4 trials: 1 benchmark(s) × 1 model(s) × 2 trial(s) per arm");
  expect(words).toContain(
    "! 1 benchmarks of a skill cannot say anything about tasks like these: at least 6 are needed.",
  );
  expect(words).toContain(
    "! This design cannot reach significance about this set: with 1 benchmark(s) × 1 model(s)",
  );
  expect(words).toContain("fewer than 3 make every cell a coin toss");
  expect(words).toMatch(/^1 \(yours\) +2 +\d+ % +\d+ % +none \/ none /m);
  expect(words).toMatch(/^30 +10 +\d+ % +\d+ % +\+\d+ \/ \+\d+ /m);
  expect(words).toMatch(/^16 +5 +\d+ %/m);
  // 4 trials of at most 900 seconds, two at once: half an hour; 16 × 5 of each arm are forty times as many.
  expect(words).toMatch(/^1 \(yours\) .* 0\.5$/m);
  expect(words).toMatch(/^16 +5 .* 20\.0$/m);
  expect(words).toMatch(/plan frozen: out\/sample-[0-9a-f]+\/plan\.json/);
  expect(chatsIn(server.fake.log)).toHaveLength(0);
});

test("the frozen plan holds hypotheses and settings, and eval goes on from it", async () => {
  const { io } = await plan("--json");
  const { plan: path, trials, grid } = told.parse(JSON.parse(io.stdout()));
  expect(
    grid.find(({ benchmarks, trials: each }) => benchmarks === 30 && each === 10)?.tasks,
  ).toBeGreaterThan(0.5);
  const text = await readFile(join(folder, path), "utf8");
  const frozen = planSchema.parse(JSON.parse(text));
  expect(frozen.trials).toHaveLength(trials);
  expect(frozen.analysis).toMatchObject({
    alpha: 0.05,
    sides: 2,
    delta: 0.1,
    family: "holm",
    comparisons: [{ arm: "with_skill", against: "without_skill" }],
  });
  // Another analysis in the YAML does not reach a plan that is frozen.
  await writeConfig(folder, config({ analysis: { delta: 0.3, sides: 1 } }));
  const refused = await evalIn(folder);
  expect([refused.code, chatsIn(server.fake.log)]).toEqual([2, []]);
  expect(refused.stderr).toContain("  analysis.sides: 2 → 1\n  analysis.delta: 0.1 → 0.3\n");
  await writeConfig(folder, config());
  const report = reportOf(await evalIn(folder));
  expect(report.conclusions?.settings).toEqual(frozen.analysis);
  expect(await readFile(join(folder, path), "utf8")).toBe(text);
});

test("a benchmark of another skill is none of this one's", async () => {
  await cp(join(folder, "skills/sample"), join(folder, "skills/other"), { recursive: true });
  await cp(join(folder, "benchmarks/sample"), join(folder, "benchmarks/other"), { recursive: true });
  await writeConfig(folder, config({ name: "two", skills: ["skills/sample", "skills/other"] }));
  const { code, io } = await plan();
  await writeConfig(folder, config());
  expect(code, io.stderr()).toBe(0);
  expect(io.stdout()).toContain(
    "8 trials: 2 skills with 1 benchmark(s) each × 1 model(s) × 2 trial(s) per arm",
  );
  expect(io.stdout()).toContain("! 1 benchmarks of a skill cannot say anything");
});

test("what judges are asked about claims is in the estimate, as eval has it", async () => {
  await writeConfig(folder, config({ name: "claims", judge: { models: judges, claims: true } }));
  const { code, io } = await plan();
  await writeConfig(folder, config());
  expect(code, io.stderr()).toBe(0);
  for (const id of judges) expect(io.stdout()).toContain(`  ${id}, 4 question(s) to judge: $`);
});

test("an earlier campaign serves as pilot", async () => {
  const { code, io } = await plan("--trials", "3", "--pilot", (await planFolder()) ?? "");
  expect(code, io.stderr()).toBe(0);
  expect(io.stdout()).toContain("1 cells of the pilot");
});

async function planFolder(): Promise<string | undefined> {
  const { io } = await plan("--json");
  return told.parse(JSON.parse(io.stdout())).plan.split("/")[1];
}

test.each([
  ["no such pilot", ["--pilot", "nowhere"], "nowhere: no campaign there"],
  ["no number", ["--uplift", "much"], "--uplift much: say a whole number"],
  ["no room", ["--uplift", "60"], "--uplift 60: the control is taken to pass 50 %"],
])("bad input: %s", async (_what, args, words) => {
  await writeConfig(folder, config({ name: "nothing-left" }));
  const { code, io } = await plan(...args);
  await writeConfig(folder, config());
  expect([code, io.stdout()]).toEqual([2, ""]);
  expect(io.stderr()).toContain(words);
  const left = await readdir(join(folder, "out"));
  expect(left.filter((name) => name.startsWith("nothing-left"))).toEqual([]);
});

test("equal arms have no hypothesis, and so no power", async () => {
  const arms = ["without_skill", "without_skill@again"];
  await writeConfig(folder, config({ name: "equal", evaluation: { models: [model], trials: 3, arms } }));
  const { code, io } = await plan();
  await writeConfig(folder, config());
  expect(code, io.stderr()).toBe(0);
  expect(io.stdout()).toContain("! The arms give no hypothesis: nothing will be concluded.");
  expect(io.stdout()).not.toContain("Power to find");
});

test("α, δ and hypotheses out of range are all named at once, and nothing is written", async () => {
  await writeConfig(
    folder,
    config({ name: "wrong", analysis: { alpha: 0.9, delta: 0, comparisons: [{ arm: "a", against: "a" }] } }),
  );
  const { code, io } = await plan();
  expect(code).toBe(2);
  for (const place of ["analysis.alpha", "analysis.delta", "analysis.comparisons.0"])
    expect(io.stderr()).toContain(place);
  await writeConfig(folder, config());
});
