import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { skillBlock } from "../evaluate/prompts.ts";
import { capturedIo } from "../testing/captured-io.ts";
import { type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { obedientModel, sampleCampaign, sampleSkill } from "../testing/sample-campaign.ts";
import { main } from "./main.ts";

const models = ["acme/coder", "acme/coder-mini"];
let server: RunningFake;
let folder: string;

beforeAll(async () => {
  const scenario = { models: Object.fromEntries(models.map((id) => [id, obedientModel()])) };
  server = await startFake({ scenario });
  folder = await sampleCampaign({ models: { baseUrl: server.baseURL }, evaluation: { trials: 2 } });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

async function evalCampaign(...args: string[]) {
  const io = capturedIo(folder);
  const code = await main(["eval", "--yes", "--models", models.join(","), "--json", ...args], io);
  return { code, io, report: code === 0 ? (JSON.parse(io.stdout()) as { headline: string }) : null };
}

test("trials in both arms against an OpenAI-compatible server: the skill makes the difference", async () => {
  const { code, report, io } = await evalCampaign();
  expect(io.stderr()).not.toContain("void");
  // For whoever watches: all four pairs differ, in favour of the skill.
  expect(io.stderr()).toContain("so far 4 better, 0 worse of 4 pair(s), e-value");
  expect(code).toBe(0);
  expect(report?.headline).toBe(
    "Uplift +100.0 points over 2 benchmark × model cell(s): 4 of 4 with the skill, 0 of 4 without (8 of 8 planned trials graded).",
  );
  expect(server.fake.log.flatMap(({ warnings }) => warnings)).toEqual([]);
});

test("the first requests of two arms differ in nothing but the skill block", () => {
  const firsts = server.fake.log.filter(({ turn, path }) => path.endsWith("chat/completions") && turn === 1);
  const block = skillBlock({ name: "sample", markdown: sampleSkill });
  const withSkill = firsts
    .map(({ body }) => JSON.stringify(body))
    .filter((body) => body.includes("MARKER-7"));
  const without = firsts.map(({ body }) => JSON.stringify(body)).filter((body) => !body.includes("MARKER-7"));
  expect([withSkill.length, without.length]).toEqual([4, 4]);
  const stripped = withSkill.map((body) => body.replace(JSON.stringify(block).slice(1, -1), ""));
  expect(stripped.sort()).toEqual(without.sort());
});

test("the same command finds the same campaign and repeats nothing", async () => {
  const before = server.fake.log.filter(({ path }) => path.endsWith("chat/completions")).length;
  const { code, io } = await evalCampaign();
  expect(code).toBe(0);
  expect(io.stderr()).toContain("8 planned, 8 already finished");
  expect(server.fake.log.filter(({ path }) => path.endsWith("chat/completions"))).toHaveLength(before);
});

test("grade gives the same verdicts from the stored workspaces, without the server", async () => {
  const calls = server.fake.log.length;
  const [campaign] = (await readdir(join(folder, "out"))).filter((name) => name.startsWith("sample-"));
  const verdicts = async () => {
    const trials = join(folder, "out", campaign ?? "", "trials");
    const files = (await readdir(trials, { recursive: true }))
      .filter((name) => name.endsWith("verdict.json"))
      .sort();
    const texts = await Promise.all(files.map((name) => readFile(join(trials, name), "utf8")));
    return texts.map((text) => (JSON.parse(text) as { verdict: string }).verdict);
  };
  const before = await verdicts();
  const io = capturedIo(folder);
  expect(await main(["grade", campaign ?? ""], io)).toBe(0);
  expect(await verdicts()).toEqual(before);
  expect(new Set(before)).toEqual(new Set(["passed", "failed"]));
  expect(server.fake.log).toHaveLength(calls);
  expect(io.stdout()).toContain("Uplift +100.0 points");
});

test("report makes the same bytes again from what is on disk", async () => {
  const [campaign] = (await readdir(join(folder, "out"))).filter((name) => name.startsWith("sample-"));
  const report = join(folder, "out", campaign ?? "", "report");
  const before = await readFile(join(report, "report.json"), "utf8");
  await rm(report, { recursive: true });
  expect(await main(["report", campaign ?? ""], capturedIo(folder))).toBe(0);
  expect(await readFile(join(report, "report.json"), "utf8")).toBe(before);
});

test("an agent's container has /skill only in the arm with it", async () => {
  const look = {
    agent: [[{ name: "bash", args: { command: "ls -d /skill && cat /skill/scripts/answer.sh" } }], "Done."],
  };
  server.fake.load({ models: { "acme/coder": { rules: [{ do: look }] } } });
  const io = capturedIo(folder);
  const chosen = ["--skills", "skills/sample", "--only", "sample/answer", "--trials", "1"];
  expect(await main(["eval", "--yes", "--models", "acme/coder", ...chosen], io)).toBe(0);
  const seconds = server.fake.log.filter(({ turn }) => turn === 2).map(({ body }) => JSON.stringify(body));
  const sees = (body: string): string =>
    body.includes("echo right") ? "files" : body.includes("No such file") ? "none" : "?";
  expect(seconds.map((body) => [body.includes("MARKER-7"), sees(body)]).sort()).toEqual([
    [false, "none"],
    [true, "files"],
  ]);
});
