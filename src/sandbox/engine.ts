import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import Docker from "dockerode";
import { messageOf, UserError } from "../errors.ts";
import { bounded } from "./bounded.ts";
import type { TlsFiles } from "./settings.ts";

const pingMs = 10_000;

export type EngineOptions = {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
  readonly tls?: TlsFiles | null;
};

/**
 * The engine of `socket` (an address or a path), else of DOCKER_HOST, else behind the usual sockets, in this order. It
 * has answered a ping. Throws `UserError` that says what was tried and what to do.
 */
export async function connectEngine(socket: string | null, options: EngineOptions = {}): Promise<Docker> {
  const addresses = engineAddresses(socket, options.env ?? process.env);
  const tried: string[] = [];
  for (const address of addresses) {
    try {
      return await reachEngine(address, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      tried.push(`${address} (${messageOf(error)})`);
    }
  }
  const seen = tried.length === 0 ? "no socket was found" : `tried ${tried.join(", ")}`;
  throw new UserError(
    `No Docker engine answers: ${seen}. Start Docker Desktop or dockerd, or name the engine by DOCKER_HOST or ` +
      "sandbox.socket in the configuration file. `npm test` and `npm run demo` install one on Debian and Ubuntu as root.",
  );
}

/** The engine at one address, which has answered a ping. Throws what went wrong, in words that do not repeat the address. */
export async function reachEngine(
  address: string,
  { tls = null, signal }: Pick<EngineOptions, "tls" | "signal">,
): Promise<Docker> {
  const certificates = tls === null ? {} : await readCertificates(tls);
  const docker = new Docker({ ...connection(address, tls !== null), ...certificates });
  await bounded("the Docker engine", pingMs, signal, () => docker.ping());
  return docker;
}

/** Where to look, first come first served. An address that somebody wrote down is the only one. */
export function engineAddresses(
  socket: string | null,
  env: Readonly<Record<string, string | undefined>>,
  exists: (path: string) => boolean = existsSync,
): string[] {
  const written = socket ?? env["DOCKER_HOST"];
  if (written !== undefined && written !== "") return [asAddress(written)];
  const home = env["HOME"] ?? homedir();
  const runtime = env["XDG_RUNTIME_DIR"];
  return [
    "/var/run/docker.sock",
    join(home, ".docker/run/docker.sock"),
    join(home, ".docker/desktop/docker.sock"),
    ...(runtime === undefined ? [] : [join(runtime, "docker.sock")]),
  ]
    .filter(exists)
    .map((path) => `unix://${path}`);
}

/** Throws `UserError` that names the file which cannot be read. */
async function readCertificates(files: TlsFiles): Promise<Record<keyof TlsFiles, Buffer>> {
  const read = async (field: keyof TlsFiles): Promise<Buffer> => {
    try {
      return await readFile(files[field]);
    } catch (cause) {
      const words = `tls.${field}: ${files[field]} cannot be read (${messageOf(cause)})`;
      throw new UserError(words, { cause });
    }
  };
  const [ca, cert, key] = await Promise.all([read("ca"), read("cert"), read("key")]);
  return { ca, cert, key };
}

/** A path is that of a socket. */
export function asAddress(written: string): string {
  return written.startsWith("/") ? `unix://${written}` : written;
}

function connection(address: string, tls: boolean): Docker.DockerOptions {
  if (address.startsWith("unix://")) return { socketPath: address.slice("unix://".length) };
  if (address.startsWith("npipe://")) return { socketPath: address.slice("npipe://".length) };
  if (!URL.canParse(address))
    throw new UserError(`"${address}" is not an address such as unix:///path or tcp://host:port`);
  const url = new URL(address);
  const protocol = { "tcp:": tls ? "https" : "http", "http:": "http", "https:": "https", "ssh:": "ssh" }[
    url.protocol
  ];
  if (protocol !== "http" && protocol !== "https" && protocol !== "ssh") {
    throw new UserError(
      `the engine address ${address} has a protocol other than unix, tcp, http, https and ssh`,
    );
  }
  const usual = { http: "2375", https: "2376", ssh: "22" }[protocol];
  return { protocol, host: url.hostname, port: url.port === "" ? usual : url.port, username: url.username };
}
