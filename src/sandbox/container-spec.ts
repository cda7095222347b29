import type { ContainerCreateOptions } from "dockerode";
import type { ContainerRequest } from "./port.ts";
import { encodeOwner, type Owner, ownerLabel } from "./owner.ts";
import { entriesFor } from "./snapshot-limits.ts";
import { graderMiB, graderSpareMiB, type SandboxSettings, scratchMiB, sharedMemoryMiB } from "./settings.ts";

export type SpecInput = {
  readonly request: Pick<ContainerRequest, "role" | "labels">;
  readonly settings: SandboxSettings;
  readonly image: string;
  readonly name: string;
  readonly owner: Owner;
  /** After this a clean-up may remove the container whoever made it. */
  readonly deadline: Date;
  /** Name of the volume mounted read-only at /skill, or null. */
  readonly skillVolume: string | null;
  /** False for an image whose `localhost` needs the engine's /etc/hosts. Isolation is the same, a start is slower. */
  readonly networkDisabled: boolean;
};

export const campaignLabel = "skillproof.campaign";
export const trialLabel = "skillproof.trial";
export const deadlineLabel = "skillproof.deadline";

const serverPath = "/usr/local/lib/skillproof/toolserver.py";

/** Everything a container is made with (DESIGN §9). Pure, so that a test can hold each line of it. */
export function containerSpec(input: SpecInput): ContainerCreateOptions {
  const { request } = input;
  const grading = request.role === "grader";
  return {
    name: input.name,
    Image: input.image,
    Entrypoint: [],
    Cmd: ["python3", "-I", "-S", "-B", serverPath, request.role, String(input.settings.lifeSeconds)],
    User: grading ? "0:0" : "1000:1000",
    WorkingDir: "/",
    Env: [],
    Hostname: "sandbox",
    Labels: labelsOf(input),
    // The server lives as long as our end of its stdin.
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    NetworkDisabled: input.networkDisabled,
    Healthcheck: { Test: ["NONE"] },
    HostConfig: hostConfig(input, grading),
  };
}

function hostConfig(input: SpecInput, grading: boolean): NonNullable<ContainerCreateOptions["HostConfig"]> {
  const { settings, skillVolume } = input;
  const memory = settings.memoryMiB * 2 ** 20;
  return {
    // Said twice: should an engine ignore the first, the container still has no network.
    NetworkMode: "none",
    // Without these `localhost` is ::1 first, where most servers do not listen.
    Sysctls: { "net.ipv6.conf.all.disable_ipv6": "1", "net.ipv6.conf.lo.disable_ipv6": "1" },
    CapDrop: ["ALL"],
    CapAdd: grading ? ["SETUID", "SETGID", "KILL"] : [],
    SecurityOpt: ["no-new-privileges"],
    Privileged: false,
    ReadonlyRootfs: true,
    PidsLimit: settings.pids,
    Memory: memory,
    MemorySwap: memory,
    NanoCpus: Math.round(settings.cpus * 1e9),
    ShmSize: sharedMemoryMiB * 2 ** 20,
    LogConfig: { Type: "none", Config: {} },
    Init: false,
    AutoRemove: false,
    RestartPolicy: { Name: "no" },
    Tmpfs: {
      ...(settings.workspace === "tmpfs" ? { "/workspace": workspaceMount(settings, grading) } : {}),
      "/tmp": memoryMount(scratchMiB - (grading ? graderSpareMiB : 0), "mode=1777"),
      ...(grading ? { "/grader": memoryMount(graderMiB, "mode=0700,uid=1001,gid=1001") } : {}),
    },
    Mounts: [
      ...(settings.workspace === "volume" ? [workspaceVolume(input)] : []),
      ...(skillVolume === null ? [] : [skillMount(skillVolume)]),
    ],
  };
}

type Mount = NonNullable<NonNullable<ContainerCreateOptions["HostConfig"]>["Mounts"]>[number];

/** A skill's volume is filled before; copying what the image has at that path would change it. */
function skillMount(volume: string): Mount {
  const VolumeOptions = { NoCopy: true, Labels: {}, DriverConfig: localDriver };
  return { Type: "volume", Source: volume, Target: "/skill", ReadOnly: true, VolumeOptions };
}

/** The name of a container's workspace in volume mode; the engine makes the volume with the container. */
export function workspaceVolumeOf(container: string): string {
  return `${container}-workspace`;
}

/** Copied from the image, where /workspace is empty and of uid 1000: an empty volume would be root's. */
function workspaceVolume(input: SpecInput): Mount {
  const VolumeOptions = { NoCopy: false, Labels: labelsOf(input), DriverConfig: localDriver };
  const Source = workspaceVolumeOf(input.name);
  return { Type: "volume", Source, Target: "/workspace", ReadOnly: false, VolumeOptions };
}

const localDriver = { Name: "local", Options: {} };

function labelsOf({ request, owner, deadline }: SpecInput): Record<string, string> {
  return {
    [campaignLabel]: request.labels.campaign,
    [trialLabel]: request.labels.trial,
    [ownerLabel]: encodeOwner(owner),
    [deadlineLabel]: deadline.toISOString(),
  };
}

function workspaceMount({ workspaceMiB }: SandboxSettings, grading: boolean): string {
  const sizeMiB = workspaceMiB + (grading ? graderSpareMiB : 0);
  return memoryMount(sizeMiB, `mode=${grading ? "0775" : "0755"},uid=1000,gid=1000`);
}

function memoryMount(sizeMiB: number, owner: string): string {
  return `rw,exec,nosuid,nodev,size=${sizeMiB}m,nr_inodes=${entriesFor(sizeMiB)},${owner}`;
}
