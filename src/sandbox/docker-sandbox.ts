import { randomUUID } from "node:crypto";
import type Docker from "dockerode";
import pLimit from "p-limit";
import { InfrastructureError, messageOf } from "../errors.ts";
import { isAway, patiently } from "./away.ts";
import { bounded } from "./bounded.ts";
import { containerSpec, workspaceVolumeOf } from "./container-spec.ts";
import { copyImage, type ReadyImage } from "./copy-image.ts";
import { DockerContainer, startContainer } from "./docker-container.ts";
import { connectEngine } from "./engine.ts";
import { ensureImage } from "./image.ts";
import { thisOwner } from "./owner.ts";
import {
  type Container,
  type ContainerRequest,
  type ImageRecord,
  type Sandbox,
  SandboxError,
} from "./port.ts";
import { removeContainer } from "./removal.ts";
import { checkSettings, type SandboxSettings } from "./settings.ts";
import { SkillVolumes } from "./skill-volume.ts";
import { snapshotLimits } from "./snapshot-limits.ts";
import { sweepDeadOwners } from "./sweep.ts";
import { removeVolume } from "./volumes.ts";

/** How long `close` waits for an engine that is away. */
const awayMs = 60_000;
const listMs = 30_000;
const pingMs = 10_000;

/** A sandbox over a Docker engine. `close` waits until everything it made is removed; the sandbox is then useless. */
export interface DockerSandbox extends Sandbox {
  readonly docker: Docker;
  /** Whether the engine answers now. Never throws. */
  answers(): Promise<boolean>;
  /** Resolves when every container disposed of so far is gone. */
  settled(): Promise<void>;
  /** Throws `InfrastructureError` that names what could not be removed. */
  close(): Promise<void>;
}

export type DockerSandboxOptions = {
  /** Lines about slow steps of the set-up (building the image). */
  readonly log?: (line: string) => void;
  /** Where the image is ready already: it is copied from there instead of made. */
  readonly imageFrom?: ReadyImage;
  readonly signal?: AbortSignal;
};

/**
 * Connects to the engine, removes what dead owners left there, makes the image when it is missing. Throws `UserError`
 * for settings that cannot work and for an engine that does not answer.
 */
export async function dockerSandbox(
  settings: SandboxSettings,
  options: DockerSandboxOptions = {},
): Promise<DockerSandbox> {
  checkSettings(settings);
  const log = options.log ?? (() => undefined);
  const docker = await connectEngine(settings.socket, { ...options, tls: settings.tls });
  const swept = await sweepDeadOwners(docker, options.signal);
  if (swept.containers.length > 0) log(`removed ${swept.containers.length} containers whose owner is dead`);
  const { imageFrom } = options;
  const image =
    imageFrom === undefined
      ? await ensureImage(docker, settings, log, options)
      : await copyImage(imageFrom, docker, { ...options, log });
  return new ContainerMaker(docker, image, settings);
}

class ContainerMaker implements DockerSandbox {
  readonly docker: Docker;
  readonly image: ImageRecord;
  private readonly settings: SandboxSettings;
  private readonly owner = thisOwner();
  private readonly prefix = `skillproof-${randomUUID().slice(0, 8)}`;
  private readonly volumes: SkillVolumes;
  /** Starts and removals cost the engine CPU: more at once only make each slower. */
  private readonly slots: ReturnType<typeof pLimit>;
  private readonly live = new Set<DockerContainer>();
  private readonly removals = new Set<Promise<void>>();

  constructor(docker: Docker, image: ImageRecord, settings: SandboxSettings) {
    this.docker = docker;
    this.image = image;
    this.settings = settings;
    this.volumes = new SkillVolumes(docker, image.id, this.owner);
    this.slots = pLimit(settings.starts);
  }

  async open(request: ContainerRequest, signal?: AbortSignal): Promise<Container> {
    signal?.throwIfAborted();
    const skillVolume = request.skill === null ? null : await this.volumes.nameFor(request.skill);
    const name = `${this.prefix}-${request.role}-${randomUUID()}`;
    const spec = containerSpec({
      request,
      settings: this.settings,
      image: this.image.id,
      name,
      owner: this.owner,
      deadline: new Date(Date.now() + this.settings.lifeSeconds * 1000),
      skillVolume,
      networkDisabled: this.image.base !== "user",
    });
    try {
      const client = await this.slots(() => startContainer(this.docker, spec, signal));
      const container = new DockerContainer(client, {
        role: request.role,
        limits: snapshotLimits(this.settings),
        discard: () => {
          if (this.live.delete(container)) this.removeInBackground(name);
        },
      });
      this.live.add(container);
      return container;
    } catch (error) {
      this.removeInBackground(name);
      signal?.throwIfAborted();
      if (error instanceof SandboxError) throw error;
      throw new SandboxError(`no container could be started: ${messageOf(error)}`, { cause: error });
    }
  }

  answers(): Promise<boolean> {
    return bounded("the Docker engine", pingMs, undefined, () => this.docker.ping()).then(
      () => true,
      () => false,
    );
  }

  async settled(): Promise<void> {
    while (this.removals.size > 0) await Promise.all(this.removals);
  }

  async close(): Promise<void> {
    await Promise.all([...this.live].map((container) => container.dispose()));
    await this.settled();
    try {
      await patiently(awayMs, undefined, isAway, () => this.removeStragglers());
      await this.volumes.close();
    } catch (error) {
      const words = `containers or volumes named ${this.prefix}… could not be removed: ${messageOf(error)}`;
      throw new InfrastructureError(words, { cause: error });
    }
  }

  /**
   * What could not be removed at its time, as when the engine was away; and a start that was given up may have made its
   * container after we had removed what was there.
   */
  private async removeStragglers(): Promise<void> {
    const filters = { name: [this.prefix] };
    const abortSignal = AbortSignal.timeout(listMs);
    const found = await this.docker.listContainers({ all: true, filters, abortSignal });
    await Promise.all(found.map(({ Id }) => this.slots(() => removeContainer(this.docker, Id))));
    const { Volumes: volumes } = await this.docker.listVolumes({ filters, abortSignal });
    for (const { Name } of volumes) await removeVolume(this.docker, Name);
  }

  private async remove(name: string): Promise<void> {
    await removeContainer(this.docker, name);
    if (this.settings.workspace === "volume") await removeVolume(this.docker, workspaceVolumeOf(name));
  }

  /** The next trial need not wait for it; `close` does, and removes what could not be removed now. */
  private removeInBackground(name: string): void {
    const over = (): void => void this.removals.delete(removal);
    const removal: Promise<void> = this.slots(() => this.remove(name)).then(over, over);
    this.removals.add(removal);
  }
}
