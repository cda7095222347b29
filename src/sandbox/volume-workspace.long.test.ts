import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { collect, streamOf, tell, testLabels } from "../testing/sandbox-containers.ts";
import { treeOf } from "../testing/sandbox-tars.ts";
import { commandsContract } from "./commands.contract.ts";
import { confinementContract } from "./confinement.contract.ts";
import { type DockerSandbox, dockerSandbox } from "./docker-sandbox.ts";
import { gradingContract } from "./grading.contract.ts";
import type { Container } from "./port.ts";
import { defaultSettings } from "./settings.ts";
import { packTree } from "./tar.ts";

let sandbox: DockerSandbox;
beforeAll(async () => {
  sandbox = await dockerSandbox({ ...defaultSettings, workspace: "volume", memoryMiB: 512 });
}, 1_800_000);
afterAll(() => sandbox.close());

commandsContract("docker with workspaces on disk", () => Promise.resolve(sandbox));
confinementContract("docker with workspaces on disk", () => Promise.resolve(sandbox), "volume");
gradingContract("docker with workspaces on disk", () => Promise.resolve(sandbox));

async function openFor(trial: string, role: "agent" | "grader" = "agent"): Promise<Container> {
  return sandbox.open({ role, labels: { ...testLabels, trial }, skill: null });
}

async function volumesOf(trial: string): Promise<string[]> {
  const filters = { label: [`skillproof.trial=${trial}`] };
  return (await sandbox.docker.listVolumes({ filters })).Volumes.map(({ Name }) => Name);
}

test("a workspace larger than the container's memory is written, and goes with its container", async () => {
  const trial = randomUUID();
  const container = await openFor(trial);
  const told = await tell(container, "stat -c '%u:%g %a' .; head -c 700M /dev/zero > big; stat -c %s big");
  expect(told).toMatchObject({ out: "1000:1000 755\n734003200\n", outOfMemory: false, exitCode: 0 });
  expect(await volumesOf(trial)).toHaveLength(1);
  await container.dispose();
  await sandbox.settled();
  expect(await volumesOf(trial)).toEqual([]);
});

test("two containers never share a workspace, and a new one is empty", async () => {
  const [first, second] = [await openFor("first"), await openFor("second")];
  await tell(first, "echo mine > file");
  expect((await tell(second, "ls -A | wc -l")).out).toBe("0\n");
  await Promise.all([first.dispose(), second.dispose()]);
});

test("fixtures go in and the snapshot into a grading container, whole", async () => {
  const [agent, grader] = [await openFor("agent"), await openFor("grader", "grader")];
  await agent.unpack(packTree(treeOf({ "a/b.txt": "text", "run!": "#!/bin/sh\necho ran\n" })), "/workspace");
  const work =
    "truncate -s 1T huge; ln a/b.txt hard; ln -s ../../etc out; mkdir locked; echo s > locked/s; chmod 0 locked";
  expect((await tell(agent, work)).err).toBe("");
  const tar = await collect(agent.snapshot());
  expect(tar.length).toBeLessThan(100_000);
  expect(await grader.unpack(streamOf(tar), "/workspace")).toEqual({ refused: "" });
  const look =
    "cat a/b.txt hard locked/s; ./run; stat -c %s huge; readlink out; echo new > made; sp-run -- id -u | cat";
  expect((await tell(grader, look)).out).toBe("texttexts\nran\n1099511627776\n../../etc\n1002\n");
  await Promise.all([agent.dispose(), grader.dispose()]);
});
