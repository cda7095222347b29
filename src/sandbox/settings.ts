import { UserError } from "../errors.ts";

/** Paths of PEM files: who signed the engine's certificate, and ours with its key. */
export type TlsFiles = { readonly ca: string; readonly cert: string; readonly key: string };

export type SandboxSettings = {
  /** `unix:///…`, `tcp://host:port` or the path of a socket; null: found as the docker command finds it. */
  readonly socket: string | null;
  /** For an engine behind TLS; null for any other. */
  readonly tls: TlsFiles | null;
  /** An image of the user's own that has bash, tar, find and python3; null: the one made from docker/. */
  readonly image: string | null;
  /** Debian packages that a skill needs besides those of the image. */
  readonly packages: readonly string[];
  readonly cpus: number;
  readonly memoryMiB: number;
  /** Where /workspace lives: in memory, with a quota, or in a volume on the engine's disk, without one. */
  readonly workspace: "tmpfs" | "volume";
  /** What of /workspace a snapshot keeps; as a tmpfs also its size limit, which counts as memory. */
  readonly workspaceMiB: number;
  readonly pids: number;
  /** Containers started or removed at the same time, whatever the number of live ones. */
  readonly starts: number;
  /** No trial lives that long. A container ends itself then, and a clean-up may remove it whoever made it. */
  readonly lifeSeconds: number;
};

export const defaultSettings: SandboxSettings = {
  socket: null,
  tls: null,
  image: null,
  packages: [],
  cpus: 1,
  memoryMiB: 1024,
  workspace: "tmpfs",
  workspaceMiB: 256,
  pids: 256,
  starts: 2,
  lifeSeconds: 24 * 3600,
};

/** Size limit of /tmp; counts as memory like /workspace. */
export const scratchMiB = 256;
/** Size limit of /grader in a grading container. */
export const graderMiB = 64;
/**
 * What /workspace has more, and /tmp less, in a grading container: an agent that filled its workspace must not keep the
 * grader, or its own program, from writing there.
 */
export const graderSpareMiB = 32;
export const sharedMemoryMiB = 32;
/** What the tool server, /grader and /dev/shm may need when both file systems are full. */
const reserveMiB = 128;

/**
 * Full memory file systems cannot be freed by killing: past the limit even PID 1 dies, and with it the workspace.
 * Throws `UserError` when the memory limit does not leave room for them.
 */
export function checkSettings(settings: SandboxSettings): void {
  const inMemory = settings.workspace === "tmpfs";
  const needed = (inMemory ? settings.workspaceMiB : 0) + scratchMiB + reserveMiB;
  if (settings.memoryMiB < needed) {
    const lives = inMemory
      ? `a workspace of ${settings.workspaceMiB} MiB and a /tmp of ${scratchMiB} MiB, which both live in memory`
      : `a /tmp of ${scratchMiB} MiB, which lives in memory`;
    const or = inMemory ? ", make sandbox.workspaceMiB smaller, or set sandbox.workspace to volume" : "";
    throw new UserError(
      `sandbox.memoryMiB: ${settings.memoryMiB} is too small for ${lives}. Set it to at least ${needed}${or}.`,
    );
  }
  const bad = settings.packages.find((name) => !/^[a-z0-9][a-z0-9+.-]+$/.test(name));
  if (bad !== undefined) {
    throw new UserError(`sandbox.packages: "${bad}" is not a Debian package name. Correct or remove it.`);
  }
}
