import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dump, load } from "js-yaml";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { knownNanoUsd, type LedgerLine, sumLedger } from "../artefacts/ledger.ts";
import { dollars, nanoOf } from "../artefacts/nano-usd.ts";
import { type Trial, trialSchema } from "../artefacts/trial.ts";
import type { RawConfig } from "../config.ts";
import { readLedger } from "../store/ledger.ts";
import { type CapturedIo, capturedIo } from "../testing/captured-io.ts";
import {
  type FakeLogEntry,
  type FakeModel,
  type RunningFake,
  startFake,
} from "../testing/fake-openrouter.mjs";
import { marker, obedientModel, sampleCampaign } from "../testing/sample-campaign.ts";
import { main } from "./main.ts";

vi.setConfig({ testTimeout: 180_000 });

let server: RunningFake;
let folder: string | null = null;
beforeAll(async () => {
  server = await startFake();
});
afterAll(() => server.close());
afterEach(async () => {
  if (folder !== null) await rm(folder, { recursive: true });
  folder = null;
});

/** A campaign of acme/coder on the fake server: two trials of two requests each, unless `over` says otherwise. */
async function campaign(over: Partial<RawConfig> = {}, model: FakeModel = obedientModel()): Promise<string> {
  server.fake.load({ models: { "acme/coder": model } });
  folder = await sampleCampaign({
    models: { baseUrl: server.baseURL },
    evaluation: { models: ["acme/coder"], trials: 1, concurrency: 1 },
    ...over,
  });
  return folder;
}

function chats(): readonly FakeLogEntry[] {
  return server.fake.log.filter(({ path }) => path.endsWith("chat/completions"));
}

type Evaluated = { readonly code: number; readonly io: CapturedIo; readonly chatsAtEstimate: number | null };

async function evaluate(place: string, args: readonly string[], answer?: boolean): Promise<Evaluated> {
  let chatsAtEstimate: number | null = null;
  const ask = answer === undefined ? null : () => Promise.resolve(answer);
  const io = capturedIo(place, { ask });
  const err = (text: string): void => {
    if (text.startsWith("Estimated cost")) chatsAtEstimate ??= chats().length;
    io.err(text);
  };
  const code = await main(["eval", ...args], { ...io, err });
  return { code, io, chatsAtEstimate };
}

async function campaignFolder(place: string): Promise<string> {
  const names = (await readdir(join(place, "out"))).filter((name) => name.startsWith("sample-"));
  expect(names).toHaveLength(1);
  return join(place, "out", names[0] ?? "");
}

async function ledgerOf(place: string): Promise<readonly LedgerLine[]> {
  return readLedger(join(await campaignFolder(place), "ledger.jsonl"));
}

async function filesNamed(name: string, place: string): Promise<string[]> {
  const root = join(await campaignFolder(place), "trials");
  const files = await readdir(root, { recursive: true });
  return files.filter((file) => file.endsWith(`/${name}`) && !file.includes(".unfinished")).sort();
}

async function trialsOf(place: string): Promise<Trial[]> {
  const root = join(await campaignFolder(place), "trials");
  const files = await filesNamed("trial.json", place);
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), "utf8")));
  return texts.map((text) => trialSchema.parse(JSON.parse(text)));
}

test("without a terminal and without --yes nothing is asked of a model", async () => {
  const { code, io, chatsAtEstimate } = await evaluate(await campaign(), []);
  expect(code).toBe(2);
  expect(io.stderr()).toMatch(/^Estimated cost \$\d+\.\d+ \(\$\d+\.\d+ to \$\d+\.\d+\)\.$/m);
  expect(io.stderr()).toContain("nobody is there to agree to this cost. Give --yes, or a terminal.");
  expect([chatsAtEstimate, chats().length]).toEqual([0, 0]);
});

test("a no at the terminal ends it before anything is paid for", async () => {
  const place = await campaign();
  const { code, io } = await evaluate(place, [], false);
  expect(code).toBe(2);
  expect(io.stderr()).toContain("nothing was begun, and nothing was paid for");
  expect([chats().length, await ledgerOf(place)]).toEqual([0, []]);
});

test("a yes goes on, and an attempt is on disk before it is sent", async () => {
  const [first, ...rest] = obedientModel().rules;
  const slow = { ...first, times: 1, do: { ...first?.do, delay_ms: 1500 } };
  const place = await campaign({}, { rules: [slow, ...obedientModel().rules, ...rest] });
  const evaluated = evaluate(place, [], true);
  const delayed = (): boolean =>
    chats().some(({ rule, status }) => rule?.endsWith("#0") === true && status === undefined);
  await expect.poll(delayed, { timeout: 60_000 }).toBe(true);
  const underWay = (await ledgerOf(place)).at(-1);
  expect(underWay).toMatchObject({ kind: "begun", role: "agent", model: "acme/coder" });
  expect(underWay?.kind === "begun" && underWay.upToNanoUsd).toBeGreaterThan(0);
  expect(underWay?.kind === "begun" && underWay.subject).toContain("/with_skill/");
  const { code, io, chatsAtEstimate } = await evaluated;
  expect(code, io.stderr()).toBe(0);
  expect(chatsAtEstimate).toBe(0);
  expect(chats()).toHaveLength(2 * 2);
});

/** One endpoint, as a server of one's own has, and no price. */
const unpriced: FakeModel = {
  ...obedientModel(),
  pricing: { prompt: null, completion: null },
  endpoints: [{ provider: "Alpha", tag: "alpha", quantization: null }],
};

test("where nobody knows a price that is said, and there is no figure to agree to", async () => {
  const models = { dialect: "openai", baseUrl: server.baseURL } as const;
  const { code, io, chatsAtEstimate } = await evaluate(await campaign({ models }, unpriced), []);
  expect(code, io.stderr()).toBe(0);
  expect(chatsAtEstimate).toBe(0);
  expect(io.stderr()).toContain("Estimated cost unknown: nobody told a price for acme/coder.");
});

test("what costs nothing by configuration is begun without a word about money", async () => {
  const settings = { "acme/coder": { prices: { input: 0, output: 0 } } };
  const models = { dialect: "openai", baseUrl: server.baseURL, settings } as const;
  const { code, io } = await evaluate(await campaign({ models }, unpriced), []);
  expect(code, io.stderr()).toBe(0);
  expect(io.stderr()).not.toContain("Estimated cost");
});

/** Short answers, so that little is held for each request. */
const limits = { maxTokensPerTurn: 200 };
const evaluation = { models: ["acme/coder"], trials: 3, concurrency: 1, limits };
const planned = 2 * evaluation.trials;

async function setBudget(place: string, budgetUsd: number): Promise<void> {
  const file = join(place, "skillproof.config.yaml");
  const config = load(await readFile(file, "utf8")) as RawConfig;
  await writeFile(file, dump({ ...config, evaluation: { ...evaluation, budgetUsd } }));
}

/** Which trial an opening request began. */
function opened({ body }: FakeLogEntry): string {
  const arm = JSON.stringify(body["messages"]).includes(marker) ? "with_skill" : "without_skill";
  return `${String(body["seed"])} ${arm}`;
}

test("a budget reached in mid-campaign ends it with 4; with more the same campaign goes on and pays for nothing twice", async () => {
  const place = await campaign({ evaluation });
  const budgetUsd = 0.004; // a trial takes about a third of it
  await setBudget(place, budgetUsd);
  const short = await evaluate(place, ["--yes"]);
  expect(short.code, short.io.stderr()).toBe(4);
  expect(short.io.stderr()).toMatch(/^budget: /m);
  const finished = await trialsOf(place);
  expect(finished.length).toBeGreaterThan(0);
  expect(finished.length).toBeLessThan(planned - 1);
  expect(await filesNamed("verdict.json", place)).toHaveLength(finished.length);
  expect(knownNanoUsd(sumLedger(await ledgerOf(place)).all)).toBe(nanoOf(server.fake.spent));
  expect(server.fake.spent).toBeLessThanOrEqual(budgetUsd);
  const report = await readFile(join(await campaignFolder(place), "report", "report.md"), "utf8");
  expect(report).toContain(`${finished.length} of ${planned} planned trials graded`);
  const lost = await lostIn(place);
  expect(lost).toHaveLength(evaluation.concurrency);
  expect(lost[0]).toContain("the budget leaves no room");

  const before = chats().length;
  await setBudget(place, 5);
  const enough = await evaluate(place, ["--yes", "--json"]);
  expect(enough.code, enough.io.stderr()).toBe(0);
  expect(JSON.parse(enough.io.stdout())).toMatchObject({
    trials: { planned, finished: planned, graded: planned },
  });
  const openings = chats()
    .slice(before)
    .filter(({ turn }) => turn === 1)
    .map(opened);
  expect(openings).toHaveLength(planned - finished.length);
  const done = finished.map(({ trial }) => `${trial.seed} ${trial.arm}`);
  expect(openings.filter((opening) => done.includes(opening))).toEqual([]);
  const { all } = sumLedger(await ledgerOf(place));
  expect([knownNanoUsd(all), all.unknown.attempts]).toEqual([nanoOf(server.fake.spent), 0]);
  expect(spentAsToldIn(enough.io).at(-1)).toBe(dollars(knownNanoUsd(all)));
});

/** What the progress lines of finished trials say was spent so far. */
function spentAsToldIn(io: CapturedIo): readonly (string | undefined)[] {
  return [...io.stderr().matchAll(/^trial .*\(\d left, (\S+) spent\)$/gm)].map(([, spent]) => spent);
}

/** The last line of what each attempt lost left behind. */
async function lostIn(place: string): Promise<readonly string[]> {
  const root = join(await campaignFolder(place), "trials");
  const files = (await filesNamed("transcript.jsonl", place)).filter((file) => file.includes("/stopped/"));
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), "utf8")));
  return texts.map((text) => text.trimEnd().split("\n").at(-1) ?? "");
}

test("where answers name no cost the server is asked about it, after the trials", async () => {
  const [knowing, other] = obedientModel().rules;
  const rules = [
    { ...knowing, do: { ...knowing?.do, usage: "none" } },
    { ...other, do: { ...other?.do, usage: "no_cost" } },
  ];
  const place = await campaign({}, { rules });
  const { code, io } = await evaluate(place, ["--yes"]);
  expect(code, io.stderr()).toBe(0);
  const paths = server.fake.log.map(({ path }) => path);
  const lastChat = paths.findLastIndex((path) => path.endsWith("chat/completions"));
  expect(paths.findIndex((path) => path.includes("/generation"))).toBeGreaterThan(lastChat);
  const lines = await ledgerOf(place);
  expect(lines.filter(({ kind }) => kind === "settled")).toHaveLength(chats().length);
  const { all } = sumLedger(lines);
  expect(all).toMatchObject({ reportedNanoUsd: 0, estimatedNanoUsd: 0, unknown: { attempts: 0 } });
  expect(all.generationNanoUsd).toBe(nanoOf(server.fake.spent));
});

test("an author's attempt that runs out of money is tried as it stands, and the next has its own", async () => {
  const draft = { name: "write_file", args: { path: "draft/task.md", content: "# Half a draft\n" } };
  const endless: FakeModel = {
    rules: [{ do: { agent: [[draft], [{ name: "bash", args: { command: "true" } }]] } }],
  };
  const budgetUsd = 0.03;
  const authoring = {
    backend: "openrouter",
    model: "acme/coder",
    maxAttempts: 2,
    budgetUsd,
    limits: { maxTokensPerTurn: 500 },
  } as const;
  const place = await campaign({ authoring, clustering: { benchmarks: 1, kMin: 1 } }, endless);
  const io = capturedIo(place);
  expect(await main(["build", "skills/sample"], io), io.stderr()).toBe(1);
  const files = await readdir(join(place, "benchmarks/sample"), { recursive: true });
  const failed = files.find((file) => file.endsWith("FAILED.md")) ?? "";
  const words = await readFile(join(place, "benchmarks/sample", failed), "utf8");
  expect(words.match(/Half a draft/g), words).toHaveLength(2);

  const [name = ""] = await readdir(join(place, "out/authoring"));
  const lines = await readLedger(join(place, "out/authoring", name));
  const costs = lines.flatMap((line) => (line.kind === "attempt" ? [line] : []));
  const second = costs.findLastIndex(({ turn }) => turn === 1);
  for (const attempt of [costs.slice(0, second), costs.slice(second)]) {
    const spent = attempt.reduce((sum, { costNanoUsd }) => sum + (costNanoUsd ?? Number.NaN), 0);
    expect(attempt.length).toBeGreaterThan(1);
    expect(spent).toBeLessThanOrEqual(nanoOf(budgetUsd));
  }
  expect(io.stderr()).toContain(`money    ${dollars(nanoOf(server.fake.spent))}`);
});
