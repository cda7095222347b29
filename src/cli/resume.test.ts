import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectEngine } from "../sandbox/engine.ts";
import { ownerLabel } from "../sandbox/owner.ts";
import { type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { obedientModel, sampleCampaign } from "../testing/sample-campaign.ts";

const command = join(import.meta.dirname, "../../dist/cli/main.js");
const planned = 2 * 4;
let server: RunningFake;
let folder: string;

beforeAll(async () => {
  expect(existsSync(command), "npm run build comes first").toBe(true);
  server = await startFake({ scenario: { models: { "acme/coder": slowly(obedientModel()) } } });
  folder = await sampleCampaign({
    models: { baseUrl: server.baseURL },
    evaluation: { models: ["acme/coder"], trials: planned / 2, concurrency: 1 },
  });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

function slowly(model: ReturnType<typeof obedientModel>): ReturnType<typeof obedientModel> {
  return { rules: model.rules.map((rule) => ({ ...rule, do: { ...rule.do, delay_ms: 150 } })) };
}

function startEval() {
  return execa("node", [command, "eval", "--json"], { cwd: folder, env: { CI: "true" }, reject: false });
}

async function filesOf(name: string): Promise<string[]> {
  const files = await readdir(join(folder, "out"), { recursive: true });
  return files.filter((file) => file.endsWith(`/${name}`) && !file.includes(".unfinished")).sort();
}

/** Resolves when stderr has said `count` finished trials; the stream is read on, or the command would meet EPIPE. */
async function finishedTrials(campaign: ReturnType<typeof startEval>, count: number): Promise<void> {
  let text = "";
  await new Promise<void>((resolve, reject) => {
    campaign.stderr.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.split("\ntrial ").length > count) resolve();
    });
    campaign.stderr.on("end", () => {
      reject(new Error(`it ended before ${count} trials were finished:\n${text}`));
    });
  });
}

/** Names of the containers, running or not, that this process made. */
async function containersOf(pid: number | undefined): Promise<string[]> {
  const docker = await connectEngine(null);
  const all = await docker.listContainers({ all: true, filters: { label: [ownerLabel] } });
  return all.filter(({ Labels }) => Labels[ownerLabel]?.includes(`/${pid}/`)).flatMap(({ Names }) => Names);
}

test("kill -9 in mid-campaign costs at most the trials under way; the same command finishes it", async () => {
  const first = startEval();
  await finishedTrials(first, 3);
  first.kill("SIGKILL");
  await first;
  const finished = await filesOf("trial.json");
  expect(finished.length).toBeGreaterThanOrEqual(3);
  expect(finished.length).toBeLessThan(planned);
  const before = await Promise.all(finished.map((file) => readFile(join(folder, "out", file), "utf8")));

  const second = await startEval();
  expect(second.exitCode, second.stderr).toBe(0);
  expect(second.stderr).not.toContain(`${planned} planned, 0 already finished`);
  const report = JSON.parse(second.stdout) as { trials: unknown; headline: string };
  expect(report.trials).toEqual({ planned, finished: planned, graded: planned });
  expect(report.headline).toContain("4 of 4 with the skill, 0 of 4 without");

  const after = await Promise.all(finished.map((file) => readFile(join(folder, "out", file), "utf8")));
  expect(after).toEqual(before);
  const openings = server.fake.log.filter(
    ({ turn, path }) => turn === 1 && path.endsWith("chat/completions"),
  );
  expect(openings.length).toBeLessThanOrEqual(planned + 1);
});

test("Ctrl-C removes the containers, keeps what is finished and exits with 130", async () => {
  await rm(join(folder, "out"), { recursive: true, force: true });
  const campaign = startEval();
  await finishedTrials(campaign, 1);
  const before = await containersOf(campaign.pid);
  campaign.kill("SIGINT");
  const ended = await campaign;
  expect(ended.exitCode, ended.stderr).toBe(130);
  expect(ended.stderr).toContain("the same command goes on");
  expect((await filesOf("verdict.json")).length).toBeGreaterThanOrEqual(1);
  expect(before, "the next trial had a container").not.toEqual([]);
  expect(await containersOf(campaign.pid)).toEqual([]);
});
