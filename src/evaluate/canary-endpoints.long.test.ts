import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dockerEndpoints } from "../sandbox/docker-endpoints.ts";
import { defaultSettings } from "../sandbox/settings.ts";
import { packTree } from "../sandbox/tar.ts";
import { CampaignStore } from "../store/campaign.ts";
import { bothArms, deliverableWith, plannedArm } from "../testing/arms.ts";
import { answerBenchmark } from "../testing/benchmark.ts";
import { type PrivateEngine, privateEngine } from "../testing/private-engine.ts";
import type { CanaryRequest } from "./canary.ts";
import { proveIsolation } from "./prove-isolation.ts";
import { deliver } from "./treatments/deliver.ts";

const subject = deliverableWith("sample", { "SKILL.md": "# Sample\n\nWrite right.\n" });
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

function requestFor(kind: (typeof bothArms)[number]): CanaryRequest {
  return {
    ...{ campaign: "canaries", skill: "sample", arm: plannedArm(kind), delivery: "inject" },
    ...{ benchmark: answerBenchmark("sample"), subject, skills: [] },
    deliver: (plant) => (kind === "with_skill" ? deliver([plant(subject)], "inject") : null),
  };
}

test("every arm is proven on every engine, once, and the evidence of each is kept and chained", async () => {
  const settings = (socket: string) => ({ settings: { ...defaultSettings, socket }, concurrency: 1 });
  const options = { log: () => undefined };
  const sandbox = await dockerEndpoints([settings(common), settings(engine.socket)], options);
  const prove = async (): Promise<CampaignStore> => {
    const shelf = new CampaignStore(folder);
    const tools = { sandbox, pack: packTree, shelf, listen: () => undefined };
    await proveIsolation(bothArms.map(requestFor), tools);
    return shelf;
  };
  try {
    const sent = await (await prove()).readCanaries();
    expect(sent.map(({ arm, endpoint, passed }) => [arm, endpoint, passed])).toEqual(
      [...bothArms].sort().flatMap((arm) => [common, engine.socket].map((address) => [arm, address, true])),
    );
    const chain = await readFile(join(folder, "evidence.jsonl"), "utf8");
    expect(chain.match(/"kind":"canary"/g)).toHaveLength(sent.length);
    expect(await (await prove()).readCanaries()).toEqual(sent);
    expect(await readFile(join(folder, "evidence.jsonl"), "utf8")).toBe(chain);
  } finally {
    await sandbox.close();
  }
});
