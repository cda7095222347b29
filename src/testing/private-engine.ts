import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import Docker from "dockerode";
import { readIfThere } from "../store/artefact.ts";

/** PEM files on this machine for the engine's end of TLS. */
export type EngineCertificates = { readonly ca: string; readonly cert: string; readonly key: string };

/** An engine of the test's own, which it may kill: another data folder, no rules of a firewall. */
export type PrivateEngine = {
  /** Path of its unix socket. */
  readonly socket: string;
  /** `tcp://127.0.0.1:…` behind TLS, or null. */
  readonly tcp: string | null;
  /** SIGKILL, and only to the engine: what a crash does. */
  readonly kill: () => Promise<void>;
  /** Starts it again over the same folders. */
  readonly restart: () => Promise<void>;
  /** Ends it, with what it still runs, and removes its folders. */
  readonly close: () => Promise<void>;
};

/** For all starts of one engine together: on a busy disk its containerd misses the 15 s that dockerd gives it. */
const answerMs = 240_000;
/** The kernel ends containerd with its dockerd, but on a busy disk not at once. */
const endMs = 60_000;
const lookEveryMs = 100;

/** Starts a dockerd as root and resolves when it answers. */
export async function privateEngine(certificates: EngineCertificates | null = null): Promise<PrivateEngine> {
  const folder = await mkdtemp(join(tmpdir(), "skillproof-engine-"));
  const socket = join(folder, "engine.sock");
  const port = certificates === null ? null : await freePort();
  const args = argumentsFor(folder, socket, port, certificates);
  let engine = await start(args, socket);
  const end = async (signal: "SIGKILL" | "SIGTERM"): Promise<void> => {
    if (engine.exitCode !== null || engine.signalCode !== null) return;
    const ended = once(engine, "exit");
    engine.kill(signal);
    await ended;
  };
  const restart = async (): Promise<void> => {
    await containerdEnded(folder);
    engine = await start(args, socket);
  };
  return {
    socket,
    tcp: port === null ? null : `tcp://127.0.0.1:${port}`,
    kill: () => end("SIGKILL"),
    restart,
    close: async () => {
      // A killed engine left its containerd behind; only an engine over the same folders can end that.
      if (engine.signalCode === "SIGKILL") await restart();
      await end("SIGTERM");
      await unmountBelow(folder);
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Starts it as often as it takes: an engine that gives up before it answers is started anew. */
async function start(args: readonly string[], socket: string): Promise<ChildProcess> {
  const docker = new Docker({ socketPath: socket });
  for (const end = Date.now() + answerMs; ;) {
    const engine = spawn("dockerd", args, { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    engine.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-4096)));
    const refusal = await untilAnswer(docker, engine, end);
    if (refusal === null) return engine;
    if (Date.now() < end) continue;
    engine.kill("SIGTERM");
    throw new Error(`the private engine does not answer: ${said}`, { cause: refusal });
  }
}

/** Null when it answers; what was met instead when it has ended or time is up. */
async function untilAnswer(docker: Docker, engine: ChildProcess, end: number): Promise<unknown> {
  for (;;) {
    try {
      await docker.ping();
      return null;
    } catch (error) {
      if (engine.exitCode !== null || engine.signalCode !== null || Date.now() >= end) return error;
      await delay(lookEveryMs);
    }
  }
}

function argumentsFor(
  folder: string,
  socket: string,
  port: number | null,
  certificates: EngineCertificates | null,
): string[] {
  const tls =
    port === null || certificates === null
      ? []
      : [
          ...["-H", `tcp://127.0.0.1:${port}`, "--tlsverify"],
          ...[`--tlscacert=${certificates.ca}`, `--tlscert=${certificates.cert}`],
          `--tlskey=${certificates.key}`,
        ];
  return [
    ...["--data-root", join(folder, "data"), "--exec-root", join(folder, "exec")],
    ...["--pidfile", join(folder, "engine.pid"), "-H", `unix://${socket}`],
    // Not --bridge=none: that removes the bridge of the machine's own engine. These containers have no network anyway.
    ...["--bridge=docker0", "--iptables=false", "--log-level=warn"],
    ...tls,
  ];
}

/**
 * Resolves when the containerd of a killed engine has ended, and removes its pid file. An engine that is started before
 * waits for that containerd instead of starting one: while the kernel is still at ending it, and where the machine's
 * init takes its time with the zombie.
 */
async function containerdEnded(folder: string): Promise<void> {
  const pidFile = join(folder, "exec", "containerd", "containerd.pid");
  const pid = (await readIfThere(pidFile))?.trim();
  for (const end = Date.now() + endMs; pid !== undefined && !(await hasEnded(pid));) {
    if (Date.now() >= end) throw new Error(`containerd ${pid} of the killed engine does not end`);
    await delay(lookEveryMs);
  }
  await rm(pidFile, { force: true });
}

async function hasEnded(pid: string): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    return /\) [ZX] /.test(stat);
  } catch (error) {
    // ESRCH: it ended between the opening and the reading.
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH"))
      return true;
    throw error;
  }
}

/** An engine that was killed once leaves its data folder mounted onto itself. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = (await readFile("/proc/self/mountinfo", "utf8"))
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "")
    .filter((path) => path.startsWith(`${folder}/`));
  for (const path of mounts.sort().reverse()) await promisify(execFile)("umount", [path]);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}
