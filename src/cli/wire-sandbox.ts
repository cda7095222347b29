import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Config } from "../config.ts";
import { UserError } from "../errors.ts";
import { dockerEndpoints, type EndpointSettings } from "../sandbox/docker-endpoints.ts";
import { dockerSandbox } from "../sandbox/docker-sandbox.ts";
import { connectEngine } from "../sandbox/engine.ts";
import { holdingAlone, isHeld } from "../sandbox/file-lock.ts";
import { isRunning } from "../sandbox/owner.ts";
import { openPatiently } from "../sandbox/patient-sandbox.ts";
import type { Sandbox } from "../sandbox/port.ts";
import { defaultSettings, type SandboxSettings } from "../sandbox/settings.ts";
import { findLeftovers, type Leftover, removeLeftovers, withSizes } from "../sandbox/sweep.ts";
import { campaignLock, type Living } from "../store/leftovers.ts";
import type { Io } from "./io.ts";

export function sandboxSettings(config: Config): SandboxSettings {
  const { socket, image, packages, cpus, memoryMiB, workspace, workspaceMiB, pids } = config.sandbox;
  const limits = { cpus, memoryMiB, workspace, workspaceMiB, pids };
  return { ...defaultSettings, ...limits, packages, socket: socket ?? null, image: image ?? null };
}

/** Of each of several engines, or null when the campaign names none: then there is one. */
export function endpointSettings(config: Config): readonly EndpointSettings[] | null {
  const { endpoints, socket } = config.sandbox;
  if (endpoints === undefined) return null;
  if (socket !== undefined)
    throw new UserError("sandbox.socket: cannot be used with sandbox.endpoints. Make it one of those.");
  const file = (path: string): string => resolve(config.folder, path);
  return endpoints.map(({ address, tls, concurrency = config.evaluation.concurrency }) => ({
    settings: {
      ...sandboxSettings(config),
      socket: address.includes("://") ? address : file(address),
      tls: tls === undefined ? null : { ca: file(tls.ca), cert: file(tls.cert), key: file(tls.key) },
    },
    concurrency,
  }));
}

function engineSettings(config: Config): readonly SandboxSettings[] {
  return endpointSettings(config)?.map(({ settings }) => settings) ?? [sandboxSettings(config)];
}

/** The engines, with their image ready. `close` waits for the containers that are still being removed. */
export async function wireSandbox(
  config: Config,
  io: Io,
): Promise<Sandbox & { readonly close: () => Promise<void> }> {
  const log = (line: string): void => {
    io.err(`${line}\n`);
  };
  const options = { log, signal: io.signal };
  const endpoints = endpointSettings(config);
  const sandbox =
    endpoints === null
      ? await dockerSandbox(sandboxSettings(config), options)
      : await dockerEndpoints(endpoints, options);
  return { ...patient(sandbox), close: () => sandbox.close() };
}

function patient(sandbox: Sandbox): Sandbox {
  const { image, endpoints } = sandbox;
  const open = openPatiently(sandbox);
  if (endpoints === undefined) return { image, open };
  return {
    image,
    open,
    endpoints: endpoints.map(({ name, sandbox: one }) => ({ name, sandbox: patient(one) })),
  };
}

/** Who is alive on this machine. */
export const living: Living = { holds: isHeld, runs: isRunning };

/** What dead processes left on the campaign's engines (the usual one without a campaign), with the means to remove it. */
export async function wireLeftovers(
  config: Config | null,
  signal: AbortSignal,
): Promise<readonly { leftovers: readonly Leftover[]; remove: () => Promise<readonly Leftover[]> }[]> {
  const settings = config === null ? [defaultSettings] : engineSettings(config);
  return Promise.all(
    settings.map(async ({ socket, tls }) => {
      const docker = await connectEngine(socket, { signal, tls });
      const leftovers = await withSizes(docker, await findLeftovers(docker, signal), signal);
      return { leftovers, remove: () => removeLeftovers(docker, leftovers) };
    }),
  );
}

/** Acts as the only process that works on this campaign. Throws `UserError` while another one does. */
export async function claimCampaign<T>(folder: string, act: () => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true });
  return holdingAlone(join(folder, campaignLock), folder, act);
}
