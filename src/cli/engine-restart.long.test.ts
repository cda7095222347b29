import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import Docker from "dockerode";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Report } from "../artefacts/report.ts";
import { copyImage } from "../sandbox/copy-image.ts";
import { type DockerSandbox, dockerSandbox } from "../sandbox/docker-sandbox.ts";
import { SandboxError } from "../sandbox/port.ts";
import { defaultSettings } from "../sandbox/settings.ts";
import { CampaignStore } from "../store/campaign.ts";
import { askedTrials } from "../testing/asked-trials.ts";
import { type CapturedIo, capturedIo } from "../testing/captured-io.ts";
import { type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { type PrivateEngine, privateEngine } from "../testing/private-engine.ts";
import { obedientModel, sampleCampaign } from "../testing/sample-campaign.ts";
import { tell, testLabels } from "../testing/sandbox-containers.ts";
import { treeOf } from "../testing/sandbox-tars.ts";
import { main } from "./main.ts";

const repetitions = 4;
const planned = 2 * repetitions;
/** Of the first answer of each trial: long enough for a look at what is under way, and a kill, before it. */
const answerMs = 2000;
/** So that no trial is void for a change of the provider. */
const oneProvider = [{ provider: "Alpha", tag: "alpha/fp8", quantization: "fp8" }];

let server: RunningFake;
let engine: PrivateEngine;
let there: Docker;
let folder: string;
let io: CapturedIo;

beforeAll(async () => {
  server = await startFake();
  engine = await privateEngine();
  there = new Docker({ socketPath: engine.socket });
  const common = await dockerSandbox(defaultSettings);
  await copyImage(common, there, { log: () => undefined });
  await common.close();
}, 1_800_000);
afterAll(async () => {
  await engine.close();
  await server.close();
});

beforeEach(async () => {
  const { rules: quick } = obedientModel();
  const slow = quick.map((rule) => ({ ...rule, turn: 1, do: { ...rule.do, delay_ms: answerMs } }));
  const rules = [...slow, ...quick];
  server.fake.load({ models: { "acme/coder": { rules, endpoints: oneProvider } } });
  folder = await sampleCampaign({
    models: { baseUrl: server.baseURL },
    evaluation: { models: ["acme/coder"], trials: repetitions, concurrency: 2 },
    sandbox: { endpoints: [{ address: engine.socket, concurrency: 4 }] },
  });
  io = capturedIo(folder);
});
afterEach(() => rm(folder, { recursive: true }));

async function store(): Promise<CampaignStore> {
  const [name = ""] = await readdir(join(folder, "out"));
  return new CampaignStore(join(folder, "out", name));
}

/** Keys of the trials whose agent waits for the answer to its first request. */
async function atWork(): Promise<string[]> {
  const plan = await (await store()).readPlan();
  return askedTrials(plan, server.fake.log)
    .filter(({ entry }) => entry.turn === 1 && entry.status === undefined)
    .map(({ trial }) => trial.key);
}

/** Resolves when two agents wait for an answer, after at least one trial was finished and graded. */
async function agentsAtWork(): Promise<string[]> {
  await expect.poll(() => io.stderr(), { timeout: 60_000 }).toContain("\ntrial ");
  await expect.poll(async () => (await atWork()).length, { timeout: 60_000 }).toBe(2);
  return atWork();
}

/** Resolves when the engine does this to a container of that role. */
async function engineDoes(event: "create" | "start", role: "agent" | "grader"): Promise<void> {
  const events = await there.getEvents({ filters: { type: ["container"], event: [event] } });
  for await (const line of events) {
    if (String(line).includes(`-${role}-`)) return;
  }
  throw new Error(`the engine ended before it did "${event}" to a container of role ${role}`);
}

function leftOut(): number {
  return io.stderr().split("does not answer and is left out").length - 1;
}

async function leftThere(): Promise<unknown[]> {
  const [containers, { Volumes: volumes }] = await Promise.all([
    there.listContainers({ all: true }),
    there.listVolumes(),
  ]);
  return [...containers, ...volumes];
}

async function expectAsWithoutRestart(code: number): Promise<void> {
  expect(code, io.stderr()).toBe(0);
  const report = JSON.parse(io.stdout()) as Report;
  expect(report.trials).toEqual({ planned, finished: planned, graded: planned });
  const { trials } = await (await store()).readPlan();
  for (const trial of trials) {
    const verdict = await (await store()).readVerdict(trial);
    expect(verdict?.verdict).toBe(trial.arm === "with_skill" ? "passed" : "failed");
  }
  expect(await leftThere()).toEqual([]);
}

test("an engine that is started again costs the agents at work one void attempt each, and no other trial", async () => {
  const campaign = main(["eval", "--yes", "--json"], io);
  const lost = await agentsAtWork();
  await engine.kill();
  await engine.restart();
  await expectAsWithoutRestart(await campaign);
  const { trials } = await (await store()).readPlan();
  const voids = await Promise.all(
    trials.map(async (trial) => [trial.key, await (await store()).countVoids(trial)] as const),
  );
  expect(voids.filter(([, count]) => count > 0).sort()).toEqual(lost.map((key) => [key, 1]).sort());
});

test("an engine that dies under starts and gradings is waited for, and costs no trial its verdict", async () => {
  const campaign = main(["eval", "--yes", "--json"], io);
  const endedEarly = campaign.then(() => Promise.reject(new Error(`it ended too early: ${io.stderr()}`)));
  endedEarly.catch(() => undefined); // in the end it does end
  const moments = [
    ["start", "agent"],
    ["create", "agent"],
    ["start", "grader"],
    ["create", "grader"],
  ] as const;
  for (const [at, [event, role]] of moments.entries()) {
    await Promise.race([engineDoes(event, role), endedEarly]);
    await engine.kill();
    // Until somebody has met the dead engine: a start at once would spare them that.
    await expect.poll(leftOut, { timeout: 60_000 }).toBeGreaterThan(at);
    await engine.restart();
  }
  await expectAsWithoutRestart(await campaign);
});

async function lostContainer(sandbox: DockerSandbox): Promise<void> {
  const skill = treeOf({ "SKILL.md": "do it well\n" });
  const container = await sandbox.open({ role: "agent", labels: testLabels, skill });
  const lost = expect(tell(container, "sleep 60")).rejects.toThrow(SandboxError);
  await engine.kill();
  await lost;
  await container.dispose();
}

test("a sandbox that is closed while its engine is away waits for it, and leaves nothing there", async () => {
  const sandbox = await dockerSandbox({ ...defaultSettings, socket: engine.socket });
  await lostContainer(sandbox);
  const closing = sandbox.close();
  await engine.restart();
  await closing;
  expect(await leftThere()).toEqual([]);
});
