import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dump } from "js-yaml";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { clustersSchema } from "../artefacts/clusters.ts";
import { reportSchema } from "../artefacts/report.ts";
import { type RawConfig } from "../config.ts";
import { verdictSchema } from "../artefacts/verdict.ts";
import { type CapturedIo, capturedIo } from "../testing/captured-io.ts";
import { type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { obedientModel, sampleCampaign } from "../testing/sample-campaign.ts";
import { thirtySections } from "../testing/thirty-sections.ts";
import { writeTree } from "../store/tree.ts";
import { readTimings } from "../testing/read-report.ts";
import { treeOf } from "../testing/benchmark.ts";
import { main } from "./main.ts";

vi.setConfig({ testTimeout: 180_000 });

const evaluation = { models: ["acme/coder"], trials: 1, concurrency: 1 };
/** Far longer than a test may take: a replay that waited for it would not end. */
const retryAfterSeconds = 300;
let server: RunningFake;
let folder: string;

beforeAll(async () => {
  server = await startFake();
  folder = await sampleCampaign();
});
afterAll(() => rm(folder, { recursive: true }));

async function command(
  args: readonly string[],
  models: RawConfig["models"],
  { out, ...env }: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly io: CapturedIo }> {
  const config: RawConfig = {
    name: "sample",
    out: out ?? "out",
    skills: ["skills/sample"],
    evaluation,
    embedding: { provider: "openai", model: "acme/embed" },
    models: { baseUrl: server.baseURL, ...models },
  };
  await writeFile(join(folder, "skillproof.config.yaml"), dump(config));
  const io = capturedIo(folder, { env });
  return { code: await main(args, io), io };
}

/** The only campaign below a folder of campaigns. */
async function campaignIn(out: string): Promise<string> {
  const names = (await readdir(join(folder, out))).filter((name) => name.startsWith("sample-"));
  expect(names).toHaveLength(1);
  return join(folder, out, names[0] ?? "");
}

function reportText(campaign: string): Promise<string> {
  return readFile(join(campaign, "report/report.json"), "utf8");
}

/** Verdict by trial. */
async function verdictsOf(campaign: string): Promise<Record<string, string>> {
  const trials = join(campaign, "trials");
  const files = (await readdir(trials, { recursive: true })).filter((file) => file.endsWith("/verdict.json"));
  const verdicts = files.sort().map(async (file) => {
    const { verdict } = verdictSchema.parse(JSON.parse(await readFile(join(trials, file), "utf8")));
    return [file, verdict] as const;
  });
  return Object.fromEntries(await Promise.all(verdicts));
}

test("a campaign is recorded, one rate limit included", async () => {
  const limited = { times: 1, turn: 2, do: { fault: "rate_limit_retry_after", retry_after: 1 } };
  server.fake.load({ models: { "acme/coder": { rules: [limited, ...obedientModel().rules] } } });
  const { code, io } = await command(["eval", "--yes"], { record: "recordings" });
  expect(code, io.stderr()).toBe(0);
  const faults = server.fake.log.filter(({ fault }) => fault !== undefined);
  expect(faults).toHaveLength(1);

  const file = join(folder, "recordings/exchanges.jsonl");
  const text = await readFile(file, "utf8");
  expect(text).toContain('"retry-after":"1"');
  await writeFile(file, text.replaceAll('"retry-after":"1"', `"retry-after":"${retryAfterSeconds}"`));
});

test("so is what embeds a skill", async () => {
  server.fake.load({});
  await writeTree(join(folder, "office"), treeOf({ "SKILL.md": thirtySections() }));
  const build = ["build", "office", "--until", "cluster"];
  const recorded = await command(build, { record: "recordings" });
  expect(recorded.code, recorded.io.stderr()).toBe(0);
  expect(recorded.io.stderr()).toMatch(/^money +\$0\.\d+$/m);
  const clusters = async () =>
    clustersSchema.parse(JSON.parse(await readFile(join(folder, "benchmarks/office/clusters.json"), "utf8")));
  const before = await clusters();
  await Promise.all(
    ["benchmarks/office", "out/cache/vectors"].map((name) => rm(join(folder, name), { recursive: true })),
  );
  const asked = server.fake.log.length;
  const replayed = await command(build, { replay: "recordings" });
  expect(replayed.code, replayed.io.stderr()).toBe(0);
  expect(await clusters()).toEqual(before);
  expect(server.fake.log).toHaveLength(asked);
});

test("the same verdicts come from the recording, without server, key or waiting; and the report says so", async () => {
  const recorded = await campaignIn("out");
  await server.close();
  // Not this machine: there a key would be demanded.
  const baseUrl = "https://models.example/v1";
  const began = Date.now();
  const replay = { replay: "recordings", baseUrl, dialect: "openrouter" } as const;
  const { code, io } = await command(["eval"], replay, { out: "replayed" });
  expect(code, io.stderr()).toBe(0);
  expect(Date.now() - began).toBeLessThan(retryAfterSeconds * 1000);
  expect(io.stderr()).not.toContain("Estimated cost");

  const replayed = await campaignIn("replayed");
  expect(await verdictsOf(replayed)).toEqual(await verdictsOf(recorded));
  const [before, after] = [await readTimings(recorded), await readTimings(replayed)];
  expect([before.replayed, after.replayed]).toEqual([false, true]);
  expect(before.evidenceHead).not.toBe(after.evidenceHead);
  const { headline } = reportSchema.parse(JSON.parse(await reportText(replayed)));
  expect(headline).toContain("Uplift +100.0 points");
  // Where requests would have gone is the only thing that was said differently.
  const elsewhere = (await reportText(replayed)).replaceAll(baseUrl, server.baseURL);
  expect(elsewhere).toBe(await reportText(recorded));
  const markdown = await readFile(join(replayed, "report/report.md"), "utf8");
  expect(markdown.split("\n\n")[1]).toContain("replayed from a recording");
  expect(markdown).toContain("its replay cost nothing");
});

test("answers of a recording are not mixed with those of servers in one campaign", async () => {
  const { code, io } = await command(["eval"], { replay: "recordings", dialect: "openrouter" });
  expect(code).toBe(2);
  expect(io.stderr()).toMatch(
    /planned with answers from servers, now they would come from recording [0-9a-f]{12}\. Give/,
  );
});

test.each([
  {
    what: "recording one's own replay",
    models: { record: "recordings", replay: "recordings" },
    words: "models.record: cannot be used with models.replay. Leave one out.",
  },
  {
    what: "a recording that is not there",
    models: { replay: "elsewhere" },
    words:
      "elsewhere/exchanges.jsonl: no recording there. Make one with models.record, or correct models.replay.",
  },
])("$what is refused in words", async ({ models, words }) => {
  const { code, io } = await command(["eval", "--yes"], {
    ...models,
    settings: { "acme/coder": { temperature: 1 } },
  });
  expect(code).toBe(2);
  expect(io.stderr()).toContain(words);
});
