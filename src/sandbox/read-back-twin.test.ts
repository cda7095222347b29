import { randomUUID } from "node:crypto";
import type { ContainerInspectInfo } from "dockerode";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { changedSpec, type SpecChange } from "../testing/changed-container.ts";
import { testLabels } from "../testing/sandbox-containers.ts";
import { type DockerSandbox, dockerSandbox } from "./docker-sandbox.ts";
import { encodeOwner, thisOwner } from "./owner.ts";
import type { ContainerRequest } from "./port.ts";
import { removeContainer } from "./removal.ts";
import { defaultSettings } from "./settings.ts";

type Role = ContainerRequest["role"];

const tmpfsSchema = z.record(z.string(), z.string());
const mount = /^rw,exec,nosuid,nodev,size=\d+m,nr_inodes=\d+,/;

/** What the engine says it made, line by line of DESIGN §9: the names of the lines that do not hold. */
function deviations({ Config, HostConfig: host, Mounts }: ContainerInspectInfo, role: Role): string[] {
  // dockerode leaves these without a type.
  const list = (values: unknown): string =>
    Array.isArray(values) ? values.map(String).sort().join(" ") : "";
  const added = list(host.CapAdd).replaceAll("CAP_", "");
  const tmpfs = tmpfsSchema.nullish().parse(host.Tmpfs) ?? {};
  const places = role === "agent" ? "/tmp /workspace" : "/grader /tmp /workspace";
  const holds: Readonly<Record<string, boolean>> = {
    CapDrop: list(host.CapDrop) === "ALL",
    CapAdd: added === (role === "agent" ? "" : "KILL SETGID SETUID"),
    SecurityOpt: list(host.SecurityOpt) === "no-new-privileges",
    Privileged: !host.Privileged,
    User: Config.User === (role === "agent" ? "1000:1000" : "0:0"),
    ReadonlyRootfs: host.ReadonlyRootfs === true,
    NetworkMode: host.NetworkMode === "none",
    ExtraHosts: list(host.ExtraHosts) === "" && list(host.Dns) === "",
    PortBindings: ["{}", "null"].includes(JSON.stringify(host.PortBindings)),
    PidsLimit: host.PidsLimit === defaultSettings.pids,
    Memory: host.Memory === defaultSettings.memoryMiB * 2 ** 20,
    MemorySwap: host.MemorySwap === host.Memory,
    NanoCpus: host.NanoCpus === defaultSettings.cpus * 1e9,
    ShmSize: host.ShmSize === 32 * 2 ** 20,
    LogConfig: host.LogConfig?.Type === "none",
    Tmpfs: list(Object.keys(tmpfs)) === places,
    TmpfsOptions: Object.values(tmpfs).every((options) => mount.test(options)),
    Mounts: list(host.Binds) === "" && Mounts.every(({ Type }) => Type !== "bind"),
    Devices: list(host.Devices) === "",
    Namespaces: [host.PidMode, host.UTSMode, host.UsernsMode].every((mode) => !mode),
    IpcMode: host.IpcMode !== "host",
    Init: host.Init !== true,
    AutoRemove: host.AutoRemove !== true,
    RestartPolicy: ["", "no"].includes(host.RestartPolicy?.Name ?? ""),
    Stdin: Config.OpenStdin && Config.StdinOnce && !Config.Tty,
    Hostname: Config.Hostname === "sandbox",
    Owner: Config.Labels["skillproof.owner"] === encodeOwner(thisOwner()),
    Trial: Config.Labels["skillproof.trial"] === testLabels.trial,
    Campaign: Config.Labels["skillproof.campaign"] === testLabels.campaign,
    Deadline: Date.parse(Config.Labels["skillproof.deadline"] ?? "") > Date.now(),
  };
  return Object.entries(holds).flatMap(([name, right]) => (right ? [] : [name]));
}

let sandbox: DockerSandbox;
beforeAll(async () => {
  sandbox = await dockerSandbox(defaultSettings);
}, 1_800_000);
afterAll(() => sandbox.close());

/** Made and never started: what the engine has written down is what it would start. */
async function readBack(role: Role, change: SpecChange): Promise<string[]> {
  const name = `skillproof-test-read-back-${randomUUID()}`;
  try {
    const spec = changedSpec(sandbox, name, { role, labels: testLabels }, change);
    const container = await sandbox.docker.createContainer(spec);
    return deviations(await container.inspect(), role);
  } finally {
    await removeContainer(sandbox.docker, name);
  }
}

test.each<[Role]>([["agent"], ["grader"]])("what a real %s container was made with", async (role) => {
  const trial = randomUUID();
  const container = await sandbox.open({ role, labels: { ...testLabels, trial }, skill: null });
  try {
    const filters = { label: [`skillproof.trial=${trial}`] };
    const [made] = await sandbox.docker.listContainers({ filters });
    // Only the trial is another one than the twins' below.
    expect(deviations(await sandbox.docker.getContainer(made?.Id ?? "").inspect(), role)).toEqual(["Trial"]);
  } finally {
    await container.dispose();
  }
});

const tmp = { "/tmp": "rw", "/workspace": "rw" };

describe("each line is seen when it does not hold", () => {
  test.each<[string, SpecChange]>([
    ["CapDrop", { HostConfig: { CapDrop: ["NET_RAW"] } }],
    ["CapAdd", { HostConfig: { CapAdd: ["SYS_PTRACE"] } }],
    ["SecurityOpt", { HostConfig: { SecurityOpt: ["no-new-privileges", "seccomp=unconfined"] } }],
    ["User", { User: "0:0" }],
    ["ReadonlyRootfs", { HostConfig: { ReadonlyRootfs: false } }],
    ["NetworkMode", { HostConfig: { NetworkMode: "host", Sysctls: {} } }],
    ["ExtraHosts", { NetworkDisabled: false, HostConfig: { ExtraHosts: ["a.example:192.0.2.7"] } }],
    ["PidsLimit", { HostConfig: { PidsLimit: 0 } }],
    ["MemorySwap", { HostConfig: { MemorySwap: -1 } }],
    ["NanoCpus", { HostConfig: { NanoCpus: 0 } }],
    ["ShmSize", { HostConfig: { ShmSize: 2 ** 30 } }],
    ["LogConfig", { HostConfig: { LogConfig: { Type: "json-file", Config: {} } } }],
    ["TmpfsOptions", { HostConfig: { Tmpfs: tmp } }],
    ["Mounts", { HostConfig: { Binds: ["/tmp:/host:ro"] } }],
    ["Namespaces", { HostConfig: { PidMode: "host" } }],
    ["IpcMode", { HostConfig: { IpcMode: "host" } }],
    ["Init", { HostConfig: { Init: true } }],
    ["AutoRemove", { HostConfig: { AutoRemove: true } }],
    ["RestartPolicy", { HostConfig: { RestartPolicy: { Name: "always" } } }],
    ["Stdin", { StdinOnce: false }],
    ["Hostname", { Hostname: "" }],
  ])("%s", async (line, change) => {
    expect(await readBack("agent", {})).toEqual([]);
    expect(await readBack("agent", change)).toContain(line);
  });

  test("Privileged, Memory, Tmpfs, labels", async () => {
    const privileged = await readBack("agent", { HostConfig: { Privileged: true } });
    expect(privileged).toContain("Privileged");
    expect(await readBack("agent", { HostConfig: { Memory: 0, MemorySwap: 0 } })).toEqual(["Memory"]);
    expect(await readBack("agent", { HostConfig: { Tmpfs: {} } })).toContain("Tmpfs");
    const labels = ["Owner", "Trial", "Campaign", "Deadline"];
    expect(await readBack("agent", { Labels: {} })).toEqual(labels);
  });
});
