import type { ContainerCreateOptions } from "dockerode";
import type { ContainerRequest } from "./port.ts";
import { encodeOwner, type Owner, ownerLabel } from "./owner.ts";
import { graderMiB, type SandboxSettings, scratchMiB, sharedMemoryMiB } from "./settings.ts";

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
const inodesPerMiB = 200;

/** Everything a container is made with (DESIGN §9). Pure, so that a test can hold each line of it. */
export function containerSpec(input: SpecInput): ContainerCreateOptions {
  const { request } = input;
  const grading = request.role === "grader";
  return {
    name: input.name,
    Image: input.image,
    Entrypoint: [],
    Cmd: ["python3", "-I", "-S", "-B", serverPath, request.role],
    User: grading ? "0:0" : "1000:1000",
    WorkingDir: "/",
    Env: [],
    Hostname: "sandbox",
    Labels: {
      [campaignLabel]: request.labels.campaign,
      [trialLabel]: request.labels.trial,
      [ownerLabel]: encodeOwner(input.owner),
      [deadlineLabel]: input.deadline.toISOString(),
    },
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
      "/workspace": memoryMount(
        settings.workspaceMiB,
        grading ? "mode=0775,uid=1000,gid=1000" : "mode=0755,uid=1000,gid=1000",
      ),
      "/tmp": memoryMount(scratchMiB, "mode=1777"),
      ...(grading ? { "/grader": memoryMount(graderMiB, "mode=0700,uid=1001,gid=1001") } : {}),
    },
    Mounts:
      skillVolume === null
        ? []
        : [
            {
              Type: "volume",
              Source: skillVolume,
              Target: "/skill",
              ReadOnly: true,
              VolumeOptions: volumeOptions,
            },
          ],
  };
}

/** A skill's volume is filled before; copying what the image has at that path would change it. */
const volumeOptions = { NoCopy: true, Labels: {}, DriverConfig: { Name: "local", Options: {} } };

function memoryMount(sizeMiB: number, owner: string): string {
  return `rw,exec,nosuid,nodev,size=${sizeMiB}m,nr_inodes=${sizeMiB * inodesPerMiB},${owner}`;
}
