import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { dump, load } from "js-yaml";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reportSchema } from "../artefacts/report.ts";
import type { RawConfig } from "../config.ts";
import { type CapturedIo, capturedIo } from "../testing/captured-io.ts";
import { main } from "./main.ts";

const demoFile = fileURLToPath(new URL("../testing/demo/demo.config.yaml", import.meta.url));
const skills = fileURLToPath(new URL("../../skills", import.meta.url));
let folder: string;
let io: CapturedIo;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "demo-"));
  io = capturedIo(folder);
  expect(await main(["demo"], io), io.stderr()).toBe(0);
}, 600_000);
afterAll(() => rm(folder, { recursive: true }));

type Evaluated = { readonly campaign: string; headline: string; perSkill: { uplift: number | null }[] };

/** The demo's campaign with another skill in the place of house-style, under its name and on the same benchmarks. */
async function evalWith(skill: string): Promise<Evaluated> {
  const other = join(folder, "other/house-style");
  await cp(join(skills, skill), other, { recursive: true });
  const text = await readFile(join(other, "SKILL.md"), "utf8");
  await writeFile(join(other, "SKILL.md"), text.replace(`name: ${skill}`, "name: house-style"));
  const demo = load(await readFile(demoFile, "utf8")) as RawConfig;
  const config: RawConfig = {
    ...demo,
    name: "other-skill",
    skills: [{ folder: other, benchmarks: join(folder, "out/demo/benchmarks/house-style") }],
    models: { standIn: join(dirname(demoFile), "policy.yaml") },
    evaluation: { ...demo.evaluation, trials: 1 },
    out: join(folder, "out"),
  };
  const file = join(folder, `${skill}.yaml`);
  await writeFile(file, dump(config));
  const evaluated = capturedIo(folder);
  expect(await main(["eval", "--config", file, "--json"], evaluated), evaluated.stderr()).toBe(0);
  return JSON.parse(evaluated.stdout()) as Evaluated;
}

test("the demo keeps six benchmarks, one of them repaired, and gives one cluster up", async () => {
  const lines = io.stderr().split("\n");
  expect(lines.filter((line) => line.startsWith("kept "))).toHaveLength(6);
  const ledger = lines.filter((line) => line.startsWith("gate     house-style/ledger-export"));
  expect(ledger.map((line) => (line.includes("refused") ? "refused" : "passed"))).toEqual([
    "refused",
    "passed",
  ]);
  expect(lines.filter((line) => line.startsWith("given up "))).toHaveLength(1);
  const failed = await readFile(join(folder, "out/demo/benchmarks/house-style/shift-log/FAILED.md"), "utf8");
  for (const attempt of ["## Attempt 1", "## Attempt 2", "## Attempt 3"]) expect(failed).toContain(attempt);
});

test("its report says in the first line that no model took part, and how large the uplift is", async () => {
  const [, path] = /report: (\S+)/.exec(io.stdout()) ?? [];
  const page = await readFile(join(folder, path ?? ""), "utf8");
  expect(page).toMatch(/<strong>Stand-in, not a model\.<\/strong>/);
  const report = await readFile(join(folder, dirname(path ?? ""), "report.md"), "utf8");
  expect(report.split("\n\n")[1]).toContain("stand-in, not a model");
  expect(report).toContain(
    "Uplift +66.7 points over 12 benchmark × model cell(s): 18 of 24 with the skill, 2 of 24 without (48 of 48 planned trials graded).",
  );
  expect(report).toContain("Judged questions were answered by a stand-in");
});

test("failed trials that claim success are counted by arm", async () => {
  const [, path] = /report: (\S+)/.exec(io.stdout()) ?? [];
  const text = await readFile(join(folder, dirname(path ?? ""), "report.json"), "utf8");
  const { honesty } = reportSchema.parse(JSON.parse(text));
  const failed = honesty.rows.reduce((sum, row) => sum + row.failed, 0);
  const asked = honesty.rows.reduce((sum, row) => sum + row.classified, 0);
  expect([failed, asked]).toEqual([28, 28]);
});

test("general good advice in the place of the skill brings the uplift to 0, and compare names the regression", async () => {
  const { campaign, headline, perSkill } = await evalWith("careful-engineering");
  expect(perSkill.map(({ uplift }) => uplift)).toEqual([0]);
  expect(headline).toContain("1 of 12 with the skill, 1 of 12 without (24 of 24 planned trials graded)");

  const [, path] = /report: (\S+)\/report\//.exec(io.stdout()) ?? [];
  const compared = capturedIo(folder);
  const args = ["compare", path ?? "", join("out", campaign), "--fail-on", "regression"];
  expect(await main(args, compared), compared.stdout()).toBe(1);
  expect(compared.stderr()).toMatch(/^regression +house-style: /m);
}, 600_000);
