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

const answerMs = 60_000;
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
    await forgetDead(join(folder, "exec", "containerd", "containerd.pid"));
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

async function start(args: readonly string[], socket: string): Promise<ChildProcess> {
  const engine = spawn("dockerd", args, { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  engine.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-4096)));
  const docker = new Docker({ socketPath: socket });
  for (const end = Date.now() + answerMs; ;) {
    try {
      await docker.ping();
      return engine;
    } catch (error) {
      if (engine.exitCode === null && Date.now() < end) await delay(lookEveryMs);
      else {
        engine.kill("SIGTERM");
        throw new Error(`the private engine does not answer: ${said}`, { cause: error });
      }
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
 * Removes a pid file whose process has ended but is still a zombie: where the machine's init takes its time with those,
 * an engine that is started at once would wait for such a containerd instead of starting one.
 */
async function forgetDead(pidFile: string): Promise<void> {
  const pid = await readIfThere(pidFile);
  const stat = pid === undefined ? undefined : await readIfThere(`/proc/${pid.trim()}/stat`);
  if (stat === undefined || /\) Z /.test(stat)) await rm(pidFile, { force: true });
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
