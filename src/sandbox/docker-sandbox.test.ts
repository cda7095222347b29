import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { Duplex } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { collect, tell, testLabels } from "../testing/sandbox-containers.ts";
import { treeOf } from "../testing/sandbox-tars.ts";
import { containerSpec } from "./container-spec.ts";
import { type DockerSandbox, dockerSandbox } from "./docker-sandbox.ts";
import { encodeOwner, ownerLabel, thisOwner } from "./owner.ts";
import { type Container, SandboxError } from "./port.ts";
import { sandboxContract } from "./sandbox.contract.ts";
import { defaultSettings } from "./settings.ts";
import { sweepDeadOwners } from "./sweep.ts";
import { ToolClient } from "./tool-client.ts";
import { readToolList } from "./tools.ts";

const imageMs = 1_800_000;

let sandbox: DockerSandbox;
beforeAll(async () => {
  sandbox = await dockerSandbox(defaultSettings);
}, imageMs);
afterAll(() => sandbox.close());

sandboxContract("docker", () => Promise.resolve(sandbox));

/** Containers that carry the label of a trial. */
async function containersOf(trial: string): Promise<string[]> {
  const filters = { label: [`skillproof.trial=${trial}`] };
  return (await sandbox.docker.listContainers({ all: true, filters })).map(({ Id }) => Id);
}

async function openFor(trial: string, from = sandbox): Promise<Container> {
  return from.open({ role: "agent", labels: { ...testLabels, trial }, skill: null });
}

test.each([
  ["killed", (id: string) => sandbox.docker.getContainer(id).kill()],
  ["removed", (id: string) => sandbox.docker.getContainer(id).remove({ force: true })],
])(
  "a container that is %s in the middle of a command is a SandboxError, never an outcome",
  async (_how, end) => {
    const trial = randomUUID();
    const container = await openFor(trial);
    const running = tell(container, "touch /tmp/begun; sleep 30");
    const expectation = expect(running).rejects.toThrow(SandboxError);
    const [id = ""] = await containersOf(trial);
    await end(id);
    await expectation;
    await expect(container.writeFile("/workspace/x", Buffer.from("x"))).rejects.toThrow(SandboxError);
    await expect(collect(container.snapshot())).rejects.toThrow(SandboxError);
    await container.dispose();
  },
);

test("after close nothing is left: no container, no volume", async () => {
  const trial = randomUUID();
  const own = await dockerSandbox(defaultSettings);
  const skill = treeOf({ "SKILL.md": trial });
  const volumes = async (): Promise<string[]> =>
    (
      await own.docker.listVolumes({ filters: { label: [`${ownerLabel}=${encodeOwner(thisOwner())}`] } })
    ).Volumes.map(({ Name }) => Name);
  const before = await volumes();
  const open = () => own.open({ role: "agent", labels: { ...testLabels, trial }, skill });
  const [first, second] = await Promise.all([open(), open()]);
  expect((await volumes()).length - before.length).toBe(1);
  expect(await containersOf(trial)).toHaveLength(2);
  await first.dispose();
  await first.dispose();
  expect((await tell(second, "cat /skill/SKILL.md")).out).toBe(trial);
  await own.close();
  expect(await containersOf(trial)).toEqual([]);
  expect(await volumes()).toEqual(before);
});

test("a container ends by itself when its harness is gone, in the middle of a command too", async () => {
  const request = { role: "agent" as const, labels: testLabels };
  const spec = containerSpec({
    request,
    settings: defaultSettings,
    image: sandbox.image.id,
    name: `skillproof-test-gone-${randomUUID()}`,
    owner: thisOwner(),
    deadline: new Date(Date.now() + 60_000),
    skillVolume: null,
    networkDisabled: true,
  });
  const container = await sandbox.docker.createContainer(spec);
  const attach = { stream: true, stdin: true, stdout: true, stderr: true, hijack: true };
  const socket = await container.attach(attach);
  await container.start();
  if (!(socket instanceof Duplex)) throw new Error("no stream");
  const client = new ToolClient(socket);
  await client.ping(20_000);
  const running = client.command({ command: "sleep 60", timeoutMs: 60_000, maxOutputBytes: 10 });
  const expectation = expect(running).rejects.toThrow(SandboxError);
  socket.destroy();
  await expectation;
  expect(await container.wait()).toEqual({ StatusCode: 0, Error: null });
  await container.remove();
}, 20_000);

test("an aborted or failed start leaves no container and is told apart", async () => {
  const own = await dockerSandbox(defaultSettings);
  const trial = randomUUID();
  const reason = new Error("interrupted");
  const request = { role: "agent" as const, labels: { ...testLabels, trial }, skill: null };
  await expect(own.open(request, AbortSignal.abort(reason))).rejects.toBe(reason);
  const controller = new AbortController();
  const opening = own.open(request, controller.signal);
  setTimeout(() => {
    controller.abort(reason);
  }, 15);
  await expect(opening).rejects.toBe(reason);
  await own.close();
  expect(await containersOf(trial)).toEqual([]);
});

test("the engine saw what the specification says", async () => {
  const trial = randomUUID();
  const container = await openFor(trial);
  const [id = ""] = await containersOf(trial);
  const { Config, HostConfig, NetworkSettings, Mounts } = await sandbox.docker.getContainer(id).inspect();
  expect(HostConfig).toMatchObject({
    NetworkMode: "none",
    ReadonlyRootfs: true,
    PidsLimit: 256,
    CapDrop: ["ALL"],
  });
  expect(Object.values(NetworkSettings.Networks).filter(({ IPAddress }) => IPAddress !== "")).toEqual([]);
  expect(Config.Labels).toMatchObject({
    "skillproof.campaign": "test",
    [ownerLabel]: encodeOwner(thisOwner()),
  });
  expect(Mounts.filter(({ Type }) => Type !== "tmpfs")).toEqual([]);
  await container.dispose();
});

test("the sweep removes what dead owners left and nothing else", async () => {
  const name = (kind: string): string => `skillproof-test-${kind}-${randomUUID()}`;
  const make = async (kind: string, owner: string): Promise<string> => {
    const container = await sandbox.docker.createContainer({
      name: name(kind),
      Image: sandbox.image.id,
      Labels: { [ownerLabel]: owner },
    });
    return container.id;
  };
  const dead = await make("dead", `${hostname()}/${process.pid}/1@another-boot`);
  const alive = await make("alive", encodeOwner(thisOwner()));
  const elsewhere = await make("elsewhere", "another-host/1/1@boot");
  const volume = name("volume");
  await sandbox.docker.createVolume({
    Name: volume,
    Labels: { [ownerLabel]: `${hostname()}/${process.pid}/1@x` },
  });
  // Another test file that begins now may sweep before us, so what is left counts, not who removed it.
  await sweepDeadOwners(sandbox.docker);
  const { Volumes: volumes } = await sandbox.docker.listVolumes();
  expect(volumes.map(({ Name }) => Name)).not.toContain(volume);
  const left = (await sandbox.docker.listContainers({ all: true })).map(({ Id }) => Id);
  expect([dead, alive, elsewhere].map((id) => left.includes(id))).toEqual([false, true, true]);
  for (const id of [alive, elsewhere]) await sandbox.docker.getContainer(id).remove({ force: true });
});

test("the tool list comes from the image", async () => {
  const list = await readToolList(sandbox);
  for (const line of [
    /^- jq \d/m,
    /^- python-docx \d/m,
    /^- pandas \d/m,
    /^- .*DejaVuSans\.ttf$/m,
    /de_DE\.utf8/,
    /\bconvert\b/,
  ]) {
    expect(list).toMatch(line);
  }
});
