import { expect, test } from "vitest";
import { containerSpec, type SpecInput } from "./container-spec.ts";
import { defaultSettings } from "./settings.ts";

const input: SpecInput = {
  request: { role: "agent", labels: { campaign: "c", trial: "t/1" } },
  settings: defaultSettings,
  image: "sha256:abc",
  name: "skillproof-x",
  owner: { host: "h", pid: 7, started: "9@boot" },
  deadline: new Date("2030-01-01T00:00:00Z"),
  skillVolume: null,
  networkDisabled: true,
};

test("an agent's container is closed on every side", () => {
  expect(containerSpec(input)).toMatchObject({
    name: "skillproof-x",
    Image: "sha256:abc",
    User: "1000:1000",
    Env: [],
    NetworkDisabled: true,
    OpenStdin: true,
    StdinOnce: true,
    Tty: false,
    Labels: {
      "skillproof.campaign": "c",
      "skillproof.trial": "t/1",
      "skillproof.owner": "h/7/9@boot",
      "skillproof.deadline": "2030-01-01T00:00:00.000Z",
    },
    HostConfig: {
      NetworkMode: "none",
      Sysctls: { "net.ipv6.conf.all.disable_ipv6": "1", "net.ipv6.conf.lo.disable_ipv6": "1" },
      CapDrop: ["ALL"],
      CapAdd: [],
      SecurityOpt: ["no-new-privileges"],
      ReadonlyRootfs: true,
      PidsLimit: 256,
      Memory: 2 ** 30,
      MemorySwap: 2 ** 30,
      NanoCpus: 1e9,
      LogConfig: { Type: "none" },
      Init: false,
      AutoRemove: false,
      Mounts: [],
    },
  });
});

test("no host path, no device, no further namespace is shared", () => {
  const host = containerSpec({ ...input, skillVolume: "v" }).HostConfig ?? {};
  expect(
    Object.keys(host).filter((key) =>
      /^(Binds|Devices|PidMode|IpcMode|UTSMode|UsernsMode|VolumesFrom|CgroupParent)$/.test(key),
    ),
  ).toEqual([]);
  expect(host.Mounts).toMatchObject([{ Type: "volume", Source: "v", Target: "/skill", ReadOnly: true }]);
});

test.each(["/workspace", "/tmp"])("%s is a capped memory mount from which programs may start", (path) => {
  const options = containerSpec(input).HostConfig?.Tmpfs?.[path]?.split(",") ?? [];
  expect(options).toEqual(expect.arrayContaining(["rw", "exec", "nosuid", "nodev"]));
  expect(options.some((option) => /^size=\d+m$/.test(option))).toBe(true);
  expect(options.some((option) => /^nr_inodes=\d+$/.test(option))).toBe(true);
});

test("a grading container takes a full workspace and leaves room to write, in no more memory", () => {
  const sizes = (role: "agent" | "grader"): number[] =>
    ["/workspace", "/tmp"].map((path) => {
      const { HostConfig } = containerSpec({ ...input, request: { ...input.request, role } });
      return Number(/size=(\d+)m/.exec(HostConfig?.Tmpfs?.[path] ?? "")?.[1]);
    });
  const [[workspace = 0, scratch = 0], [graded = 0, graders = 0]] = [sizes("agent"), sizes("grader")];
  expect(graded).toBeGreaterThan(workspace);
  expect(graded + graders).toBe(workspace + scratch);
});

test("a workspace on disk is a labelled volume of the container's own and takes no memory", () => {
  const spec = containerSpec({ ...input, settings: { ...defaultSettings, workspace: "volume" } });
  expect(spec.HostConfig?.Tmpfs).not.toHaveProperty("/workspace");
  expect(spec.HostConfig?.Mounts).toMatchObject([
    {
      Type: "volume",
      Source: "skillproof-x-workspace",
      Target: "/workspace",
      ReadOnly: false,
      VolumeOptions: {
        NoCopy: false,
        Labels: { "skillproof.owner": "h/7/9@boot", "skillproof.trial": "t/1" },
      },
    },
  ]);
});

test("a grading container has a root server with three capabilities and a /grader of its own", () => {
  const spec = containerSpec({ ...input, request: { ...input.request, role: "grader" } });
  expect(spec).toMatchObject({
    User: "0:0",
    HostConfig: { CapDrop: ["ALL"], CapAdd: ["SETUID", "SETGID", "KILL"] },
  });
  expect(spec.Cmd?.slice(-2)).toEqual(["grader", "86400"]);
  expect(spec.HostConfig?.Tmpfs?.["/grader"]).toContain("mode=0700,uid=1001,gid=1001");
  expect(containerSpec(input).HostConfig?.Tmpfs).not.toHaveProperty("/grader");
});
