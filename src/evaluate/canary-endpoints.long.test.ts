import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { armSchema } from "../artefacts/trial.ts";
import { dockerEndpoints } from "../sandbox/docker-endpoints.ts";
import { defaultSettings } from "../sandbox/settings.ts";
import { packTree } from "../sandbox/tar.ts";
import { CampaignStore } from "../store/campaign.ts";
import { answerBenchmark, treeOf } from "../testing/benchmark.ts";
import { type PrivateEngine, privateEngine } from "../testing/private-engine.ts";
import type { CanaryRequest } from "./canary.ts";
import { proveIsolation } from "./prove-isolation.ts";

const markdown = "# Sample\n\nWrite right.\n";
const treatment = { skill: { name: "sample", markdown }, files: treeOf({ "SKILL.md": markdown }) };
const common = "/var/run/docker.sock";

let engine: PrivateEngine;
let folder: string;
beforeAll(async () => {
  engine = await privateEngine();
  folder = await mkdtemp(join(tmpdir(), "skillproof-canaries-"));
}, 1_800_000);
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

function requestFor(arm: CanaryRequest["arm"]): CanaryRequest {
  const benchmark = answerBenchmark("sample");
  const deliver: CanaryRequest["deliver"] = (planted) => (arm === "with_skill" ? planted : null);
  return { campaign: "canaries", skill: "sample", arm, benchmark, treatment, deliver };
}

test("every arm is proven on every engine, once, and the evidence of each is kept and chained", async () => {
  const settings = (socket: string) => ({ settings: { ...defaultSettings, socket }, concurrency: 1 });
  const options = { log: () => undefined };
  const sandbox = await dockerEndpoints([settings(common), settings(engine.socket)], options);
  const prove = async (): Promise<CampaignStore> => {
    const shelf = new CampaignStore(folder);
    const tools = { sandbox, pack: packTree, shelf, listen: () => undefined };
    await proveIsolation(armSchema.options.map(requestFor), tools);
    return shelf;
  };
  try {
    const sent = await (await prove()).readCanaries();
    expect(sent.map(({ arm, endpoint, passed }) => [arm, endpoint, passed])).toEqual(
      [...armSchema.options]
        .sort()
        .flatMap((arm) => [common, engine.socket].map((address) => [arm, address, true])),
    );
    const chain = await readFile(join(folder, "evidence.jsonl"), "utf8");
    expect(chain.match(/"kind":"canary"/g)).toHaveLength(sent.length);
    expect(await (await prove()).readCanaries()).toEqual(sent);
    expect(await readFile(join(folder, "evidence.jsonl"), "utf8")).toBe(chain);
  } finally {
    await sandbox.close();
  }
});
