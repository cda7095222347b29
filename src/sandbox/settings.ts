import { UserError } from "../errors.ts";

export type SandboxSettings = {
  /** `unix:///…`, `tcp://host:port` or the path of a socket; null: found as the docker command finds it. */
  readonly socket: string | null;
  /** An image of the user's own that has bash, tar, find and python3; null: the one made from docker/. */
  readonly image: string | null;
  /** Debian packages that a skill needs besides those of the image. */
  readonly packages: readonly string[];
  readonly cpus: number;
  readonly memoryMiB: number;
  /** Size limit of /workspace, which counts as memory. */
  readonly workspaceMiB: number;
  readonly pids: number;
  /** Containers started or removed at the same time, whatever the number of live ones. */
  readonly starts: number;
};

export const defaultSettings: SandboxSettings = {
  socket: null,
  image: null,
  packages: [],
  cpus: 1,
  memoryMiB: 1024,
  workspaceMiB: 256,
  pids: 256,
  starts: 2,
};

/** Size limit of /tmp; counts as memory like /workspace. */
export const scratchMiB = 256;
/** Size limit of /grader in a grading container. */
export const graderMiB = 64;
export const sharedMemoryMiB = 32;
/** What the tool server, /grader and /dev/shm may need when both file systems are full. */
const reserveMiB = 128;

/**
 * Full memory file systems cannot be freed by killing: past the limit even PID 1 dies, and with it the workspace.
 * Throws `UserError` when the memory limit does not leave room for them.
 */
export function checkSettings(settings: SandboxSettings): void {
  const needed = settings.workspaceMiB + scratchMiB + reserveMiB;
  if (settings.memoryMiB < needed) {
    throw new UserError(
      `sandbox.memoryMiB: ${settings.memoryMiB} is too small for a workspace of ${settings.workspaceMiB} MiB and a /tmp ` +
        `of ${scratchMiB} MiB, which both live in memory. Set it to at least ${needed}, or make sandbox.workspaceMiB smaller.`,
    );
  }
  const bad = settings.packages.find((name) => !/^[a-z0-9][a-z0-9+.-]+$/.test(name));
  if (bad !== undefined) {
    throw new UserError(`sandbox.packages: "${bad}" is not a Debian package name. Correct or remove it.`);
  }
}
