import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Docker from "dockerode";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EngineProxy } from "../testing/engine-proxy.ts";
import { treeOf } from "../testing/sandbox-tars.ts";
import { type DockerSandbox, dockerSandbox } from "./docker-sandbox.ts";
import { thisOwner } from "./owner.ts";
import { SandboxError } from "./port.ts";
import { defaultSettings } from "./settings.ts";
import { SkillVolumes } from "./skill-volume.ts";

/** Of each byte, so that an answer can be cut off after the engine has given it. */
const lateMs = 600;

let sandbox: DockerSandbox;
let folder: string;
let proxy: EngineProxy;
beforeAll(async () => {
  sandbox = await dockerSandbox(defaultSettings);
  folder = await mkdtemp(join(tmpdir(), "skill-volume-"));
  proxy = await EngineProxy.at(join(folder, "docker.sock"), lateMs);
});
afterAll(async () => {
  await proxy.close();
  await sandbox.close();
  await rm(folder, { recursive: true });
});

/** Volumes and containers on the engine itself of the one filling that came through the proxy. */
async function made(): Promise<string[]> {
  const [part] = proxy.asked.flatMap((line) => /skillproof-skill-[0-9a-f]{8}/.exec(line) ?? []);
  if (part === undefined) return [];
  const filters = { name: [part] };
  const containers = await sandbox.docker.listContainers({ all: true, filters });
  const { Volumes: volumes } = await sandbox.docker.listVolumes({ filters });
  return [...containers.map(({ Id }) => Id), ...volumes.map(({ Name }) => Name)];
}

test("what a filling had made when the engine was lost is removed by close", async () => {
  const docker = new Docker({ socketPath: join(folder, "docker.sock") });
  const volumes = new SkillVolumes(docker, sandbox.image.id, thisOwner());
  const filling = expect(volumes.nameFor(treeOf({ "SKILL.md": "do it well\n" }))).rejects.toThrow(
    SandboxError,
  );
  await expect.poll(async () => (await made()).length, { timeout: 20_000, interval: 20 }).toBe(2);
  proxy.cut();
  await filling;
  expect(await made()).toHaveLength(2);
  await volumes.close();
  expect(await made()).toEqual([]);
});
