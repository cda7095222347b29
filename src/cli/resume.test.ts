import { existsSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectEngine } from "../sandbox/engine.ts";
import { ownerLabel } from "../sandbox/owner.ts";
import { findUnfinished } from "../store/leftovers.ts";
import { type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { obedientModel, sampleCampaign } from "../testing/sample-campaign.ts";

const command = join(import.meta.dirname, "../../dist/cli/main.js");
const planned = 2 * 4;
const scenario = { models: { "acme/coder": slowly(obedientModel(), 150) } };
let server: RunningFake;
let folder: string;

beforeAll(async () => {
  expect(existsSync(command), "npm run build comes first").toBe(true);
  server = await startFake({ scenario });
  folder = await sampleCampaign({
    models: { baseUrl: server.baseURL },
    evaluation: { models: ["acme/coder"], trials: planned / 2, concurrency: 1 },
  });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

function slowly(model: ReturnType<typeof obedientModel>, delayMs: number): ReturnType<typeof obedientModel> {
  return { rules: model.rules.map((rule) => ({ ...rule, do: { ...rule.do, delay_ms: delayMs } })) };
}

function startEval(...args: readonly string[]) {
  return execa("node", [command, "eval", "--yes", "--json", ...args], {
    cwd: folder,
    env: { CI: "true" },
    reject: false,
  });
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

test("the built command is a program of its own, as npx starts it", async () => {
  const help = await execa(command, ["--help"], { reject: false });
  expect(help.exitCode, help.stderr).toBe(0);
  expect(help.stdout).toContain("Exit codes:");
});

/** Names of the containers, running or not, that this process made. */
async function containersOf(pid: number | undefined): Promise<string[]> {
  const docker = await connectEngine(null);
  const all = await docker.listContainers({ all: true, filters: { label: [ownerLabel] } });
  return all.filter(({ Labels }) => Labels[ownerLabel]?.includes(`/${pid}/`)).flatMap(({ Names }) => Names);
}

test(
  "kill -9 in mid-campaign costs at most the trials under way; the same command finishes it",
  { timeout: 180_000 },
  async () => {
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

    const yaml = await readFile(join(folder, "skillproof.config.yaml"), "utf8");
    await writeFile(join(folder, "fresh.yaml"), `${yaml}out: fresh\n`);
    const fresh = await startEval("--config", "fresh.yaml");
    expect(fresh.exitCode, fresh.stderr).toBe(0);
    expect(fresh.stdout, "report.json of a campaign that was never killed").toBe(second.stdout);
  },
);

async function verdicts(): Promise<number> {
  return (await filesOf("verdict.json")).length;
}

/** Wrapped, since the process is a promise of its own end. */
async function begunAfresh(): Promise<{ campaign: ReturnType<typeof startEval> }> {
  await rm(join(folder, "out"), { recursive: true, force: true });
  const campaign = startEval();
  await finishedTrials(campaign, 1);
  // Under way: what a signal meets now has a container to lose.
  await expect.poll(() => containersOf(campaign.pid), { timeout: 20_000 }).not.toEqual([]);
  return { campaign };
}

/** Resolves when the command's stderr holds `words`. */
async function said(campaign: ReturnType<typeof startEval>, words: string): Promise<void> {
  let text = "";
  await new Promise<void>((resolve, reject) => {
    campaign.stderr.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes(words)) resolve();
    });
    campaign.stderr.on("end", () => {
      reject(new Error(`it ended without saying "${words}":\n${text}`));
    });
  });
}

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "one %s lets the trial under way finish and be graded, begins no other, and the same command goes on",
  async (signal) => {
    const { campaign } = await begunAfresh();
    campaign.kill(signal);
    const ended = await campaign;
    expect(ended.exitCode, ended.stderr).toBe(130);
    expect(ended.stderr).toMatch(/stopping: .* finished and graded\. Once more .* kills them/);
    expect(ended.stderr).toContain("the same command goes on");
    expect(ended.stderr).not.toContain("\nvoid ");
    const trials = await filesOf("trial.json");
    expect(trials.length).toBeGreaterThanOrEqual(2);
    expect(trials.length).toBeLessThan(planned);
    expect(await verdicts()).toBe(trials.length);
    expect(await containersOf(campaign.pid)).toEqual([]);
  },
);

test("a second signal kills the containers at once", async () => {
  const { campaign } = await begunAfresh();
  server.fake.load({ models: { "acme/coder": slowly(obedientModel(), 30_000) } });
  const drained = said(campaign, "stopping:");
  campaign.kill("SIGINT");
  await drained;
  campaign.kill("SIGTERM");
  const ended = await campaign;
  server.fake.load(scenario);
  expect(ended.exitCode, ended.stderr).toBe(130);
  expect(await containersOf(campaign.pid)).toEqual([]);
  expect(ended.durationMs).toBeLessThan(25_000);
});

test("a third signal leaves at once, and clean removes what that left behind", async () => {
  const { campaign } = await begunAfresh();
  server.fake.load({ models: { "acme/coder": slowly(obedientModel(), 30_000) } });
  // An agent waits for its answer, so that its trial is under way and stays so.
  await expect.poll(() => server.fake.log.length, { timeout: 20_000 }).toBeGreaterThan(0);
  // Delivered together when it wakes up: it has no time to end in order.
  for (const signal of ["SIGSTOP", "SIGINT", "SIGTERM", "SIGHUP", "SIGCONT"] as const) campaign.kill(signal);
  const ended = await campaign;
  server.fake.load(scenario);
  expect(ended.exitCode, ended.stderr).toBe(130);
  const clean = async (...args: readonly string[]): Promise<string> =>
    (await execa("node", [command, "clean", ...args], { cwd: folder })).stdout;
  const shown = await clean("--dry-run");
  expect(shown).toMatch(/would remove files +out\/.*\.unfinished \(\d+ bytes\)/);
  // Listed afterwards: the engine may still have been removing one that had been disposed of before the signals.
  const left = await containersOf(campaign.pid);
  for (const name of left) expect(shown).toMatch(new RegExp(`would remove container +${name.slice(1)} `));
  expect(await findUnfinished(join(folder, "out"))).not.toEqual([]);

  expect(await clean()).toMatch(/removed \d+ in all, \d+ bytes as far as known/);
  expect(await containersOf(campaign.pid)).toEqual([]);
  expect(await findUnfinished(join(folder, "out"))).toEqual([]);
  expect((await startEval()).exitCode).toBe(0);
  expect(await verdicts()).toBe(planned);
});

test("a closed terminal does not end what SIGHUP lets finish", async () => {
  const { campaign } = await begunAfresh();
  campaign.stderr.destroy();
  campaign.kill("SIGHUP");
  const ended = await campaign;
  expect(ended.exitCode).toBe(130);
  expect(await verdicts()).toBe((await filesOf("trial.json")).length);
  expect(await containersOf(campaign.pid)).toEqual([]);
});

test("two processes do not work on one campaign", async () => {
  const { campaign } = await begunAfresh();
  const second = await startEval();
  expect(second.exitCode).toBe(2);
  expect(second.stderr).toContain(`process ${campaign.pid ?? 0} on`);
  campaign.kill("SIGINT");
  expect((await campaign).exitCode).toBe(130);
});
