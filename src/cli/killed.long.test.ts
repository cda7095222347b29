import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Plan } from "../artefacts/plan.ts";
import type { Report } from "../artefacts/report.ts";
import type { PlannedTrial } from "../artefacts/trial.ts";
import { sha256 } from "../hash.ts";
import { connectEngine } from "../sandbox/engine.ts";
import { decodeOwner, ownerLabel } from "../sandbox/owner.ts";
import { randomFrom } from "../seed.ts";
import { readTimings } from "../testing/read-report.ts";
import { CampaignStore } from "../store/campaign.ts";
import { campaignLock, findUnfinished } from "../store/leftovers.ts";
import { askedTrials } from "../testing/asked-trials.ts";
import { type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { obedientModel, sampleCampaign } from "../testing/sample-campaign.ts";

const command = join(import.meta.dirname, "../../dist/cli/main.js");
const repetitions = 6;
const planned = 2 * repetitions;
const seed = Number(process.env["KILLED_SEED"] ?? 1);
const random = randomFrom(seed, "killed");
const lookEveryMs = 5;
/** So that no trial is void for a change of the provider. */
const oneProvider = [{ provider: "Alpha", tag: "alpha/fp8", quantization: "fp8" }];

let server: RunningFake;
let folder: string;
let temporary: string;

beforeAll(async () => {
  expect(existsSync(command), "npm run build comes first").toBe(true);
  const rules = obedientModel().rules.map((rule) => ({ ...rule, do: { ...rule.do, delay_ms: 100 } }));
  server = await startFake({ scenario: { models: { "acme/coder": { rules, endpoints: oneProvider } } } });
  folder = await sampleCampaign({
    models: { baseUrl: server.baseURL },
    evaluation: { models: ["acme/coder"], trials: repetitions, concurrency: 2 },
  });
  temporary = join(folder, "temporary");
  await mkdir(temporary);
  // Of a start that was killed between writing and renaming it, a moment too short to be met.
  const dead = execa("true");
  await dead;
  await mkdir(join(folder, "out/setup"), { recursive: true });
  await writeFile(join(folder, `out/setup/image.json.${dead.pid ?? 0}.0.tmp`), "{");
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** What one start of the command has met so far. */
type Look = {
  /** Paths below out. */
  readonly files: readonly string[];
  /** Requests to models, and bytes of evidence, since the start. */
  readonly requests: number;
  readonly evidence: number;
};

/** A kill comes up to `withinMs` after the campaign has come so far. */
type Moment = {
  readonly words: string;
  readonly withinMs: number;
  readonly reached: (look: Look) => boolean;
  /** So near the end that the command may have come to it: then it is started again, with nothing left to do, and killed. */
  readonly mayEnd?: boolean;
};

const has =
  (pattern: RegExp) =>
  ({ files }: Look): boolean =>
    files.some((file) => pattern.test(file));

const count = (files: readonly string[], name: string): number =>
  files.filter((file) => file.endsWith(`/${name}`) && !file.includes(".unfinished")).length;

/** The whole life of a campaign, in the order in which it lives it. */
const moments: readonly Moment[] = [
  { words: "set-up", withinMs: 500, reached: () => true },
  { words: "the look at the image", withinMs: 1500, reached: () => true },
  { words: "the image's record", withinMs: 150, reached: has(/setup\/image\.json$/) },
  { words: "the plan and the first canary", withinMs: 800, reached: has(/\/plan\.json$/) },
  { words: "the canaries", withinMs: 1000, reached: has(/\/canaries\/.*\.json$/) },
  { words: "agents at work", withinMs: 300, reached: ({ requests }) => requests > 0 },
  { words: "a snapshot", withinMs: 60, reached: has(/\.unfinished\/workspace\.tar\.gz$/) },
  {
    words: "a grading",
    withinMs: 300,
    reached: ({ files }) => count(files, "trial.json") > count(files, "verdict.json"),
  },
  { words: "evidence", withinMs: 20, reached: ({ evidence }) => evidence > 0 },
  // After the last verdict the command has little left to do.
  {
    words: "the report",
    withinMs: 20,
    reached: ({ files }) => count(files, "verdict.json") === planned,
    mayEnd: true,
  },
];

function start() {
  const env = { CI: "true", TMPDIR: temporary };
  return execa("node", [command, "eval", "--yes", "--json"], { cwd: folder, env, reject: false });
}

/** Below out. May throw while the command is at work there. */
function filesOut(): Promise<string[]> {
  return readdir(join(folder, "out"), { recursive: true });
}

async function campaignFolder(): Promise<string> {
  const [name] = (await filesOut()).filter((file) => file.startsWith("sample-"));
  if (name === undefined) throw new Error("the campaign has no folder");
  return join(folder, "out", name.split("/")[0] ?? "");
}

async function evidenceText(): Promise<string> {
  const file = (await filesOut()).find((path) => path.endsWith("/evidence.jsonl"));
  return file === undefined ? "" : readFile(join(folder, "out", file), "utf8");
}

/** Starts the command and kills it at its moment. Answers with its pid; throws when it ended by itself before. */
async function killedAt(moment: Moment): Promise<number> {
  const { words, withinMs, reached, mayEnd } = moment;
  const begun = { requests: server.fake.log.length, evidence: (await evidenceText()).length };
  const campaign = start();
  let ended = false;
  const end = campaign.then((how) => {
    ended = true;
    return how;
  });
  const look = async (): Promise<Look> => ({
    files: await filesOut(),
    requests: server.fake.log.filter(({ n, turn }) => n > begun.requests && turn !== undefined).length,
    evidence: (await evidenceText()).length - begun.evidence,
  });
  await expect
    .poll(async () => ended || reached(await look()), { timeout: 60_000, interval: lookEveryMs })
    .toBe(true);
  await delay(random() * withinMs); // the moment itself is what is random
  campaign.kill("SIGKILL");
  const how = await end;
  if (mayEnd === true && how.exitCode === 0) return killedAt({ ...moment, mayEnd: false });
  expect(how.signal, `${words}: it ended before:\n${how.stderr}`).toBe("SIGKILL");
  return campaign.pid ?? 0;
}

/** Keys of the trials whose evidence stands as a whole, in its place or a rename away from it. */
async function finishedTrials(): Promise<string[]> {
  const files = (await filesOut()).filter((file) => file.endsWith("/trial.json"));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, "out", file), "utf8")));
  return texts.map((text) => (JSON.parse(text) as { trial: PlannedTrial }).trial.key);
}

/** What is left on the engine of the processes with these numbers. */
async function leftOnEngine(pids: readonly number[]): Promise<unknown[]> {
  const docker = await connectEngine(null);
  const filters = { label: [ownerLabel] };
  const containers = await docker.listContainers({ all: true, filters });
  const { Volumes: volumes } = await docker.listVolumes({ filters });
  return [...containers, ...volumes].filter(({ Labels }) =>
    pids.includes(decodeOwner(Labels[ownerLabel] ?? "")?.pid ?? -1),
  );
}

/** One line of each kind for each trial; every line names the hash of the one before. Answers with the last one's. */
function expectWholeChain(evidence: string, { trials }: Plan): string | null {
  const lines = evidence.trimEnd().split("\n");
  let previous: string | null = null;
  const seen: string[] = [];
  for (const line of lines) {
    const note = JSON.parse(line) as { kind: string; key?: string; previous: string | null };
    expect(note.previous).toBe(previous);
    previous = sha256(line);
    if (note.kind === "trial" || note.kind === "verdict") seen.push(`${note.kind} ${note.key ?? ""}`);
  }
  const due = trials.flatMap(({ key }) => [`trial ${key}`, `verdict ${key}`]);
  expect(seen.sort()).toEqual(due.sort());
  return previous;
}

test(`a campaign that is killed ten times loses nothing, does nothing twice and leaves nothing (seed ${seed})`, async () => {
  const pids: number[] = [];
  /** After each kill: what was finished, and how much had been asked. */
  const kills: { readonly finished: readonly string[]; readonly asked: number }[] = [];
  for (const moment of moments) {
    pids.push(await killedAt(moment));
    kills.push({ finished: await finishedTrials(), asked: server.fake.log.length });
  }
  const last = start();
  pids.push(last.pid ?? 0);
  const ended = await last;
  expect(ended.exitCode, ended.stderr).toBe(0);

  const report = JSON.parse(ended.stdout) as Report;
  expect(report.trials).toEqual({ planned, finished: planned, graded: planned });
  expect(report.headline).toContain(
    `${repetitions} of ${repetitions} with the skill, 0 of ${repetitions} without`,
  );
  const plan = await new CampaignStore(await campaignFolder()).readPlan();
  const { evidenceHead } = await readTimings(await campaignFolder());
  expect(expectWholeChain(await evidenceText(), plan)).toBe(evidenceHead);
  for (const { finished, asked } of kills) {
    const later = askedTrials(plan, server.fake.log.slice(asked));
    expect(later.filter(({ trial }) => finished.includes(trial.key))).toEqual([]);
  }
  expect(await leftOnEngine(pids)).toEqual([]);
  expect(await findUnfinished(join(folder, "out"))).toEqual([]);
  expect((await filesOut()).filter((file) => file.endsWith(campaignLock))).toEqual([]);
  expect(await readdir(temporary)).toEqual([]);
});
