import { randomUUID } from "node:crypto";
import type Docker from "dockerode";
import pLimit from "p-limit";
import { InfrastructureError, messageOf } from "../errors.ts";
import { containerSpec } from "./container-spec.ts";
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
import { sweepDeadOwners } from "./sweep.ts";

/** No trial lives that long; past it a clean-up may remove the container whoever made it. */
const lifetimeMs = 24 * 3600 * 1000;
const listMs = 30_000;

/** A sandbox over a Docker engine. `close` waits until everything it made is removed; the sandbox is then useless. */
export interface DockerSandbox extends Sandbox {
  readonly docker: Docker;
  /** Resolves when every container disposed of so far is gone. */
  settled(): Promise<void>;
  /** Throws `InfrastructureError` that names what could not be removed. */
  close(): Promise<void>;
}

export type DockerSandboxOptions = {
  /** Lines about slow steps of the set-up (building the image). */
  readonly log?: (line: string) => void;
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
  const docker = await connectEngine(settings.socket, options);
  const swept = await sweepDeadOwners(docker, options.signal);
  if (swept.containers.length > 0) log(`removed ${swept.containers.length} containers whose owner is dead`);
  const image = await ensureImage(docker, settings, log, options);
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
  private readonly leftovers: string[] = [];

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
      deadline: new Date(Date.now() + lifetimeMs),
      skillVolume,
      networkDisabled: this.image.base !== "user",
    });
    try {
      const client = await this.slots(() => startContainer(this.docker, spec, signal));
      const container = new DockerContainer(client, request.role, () => {
        if (this.live.delete(container)) this.removeInBackground(name);
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

  async settled(): Promise<void> {
    while (this.removals.size > 0) await Promise.all(this.removals);
  }

  async close(): Promise<void> {
    await Promise.all([...this.live].map((container) => container.dispose()));
    await this.settled();
    await this.removeStragglers();
    await this.volumes.close();
    if (this.leftovers.length > 0) {
      throw new InfrastructureError(`containers could not be removed: ${this.leftovers.join("; ")}`);
    }
  }

  /** A start that was given up may have made its container after we had removed what was there. */
  private async removeStragglers(): Promise<void> {
    const filters = { name: [this.prefix] };
    const found = await this.docker.listContainers({
      all: true,
      filters,
      abortSignal: AbortSignal.timeout(listMs),
    });
    await Promise.all(found.map(({ Id }) => this.slots(() => removeContainer(this.docker, Id))));
  }

  /** The next trial need not wait for it; `close` does, and says what failed. */
  private removeInBackground(name: string): void {
    const removal: Promise<void> = this.slots(() => removeContainer(this.docker, name)).then(
      () => void this.removals.delete(removal),
      (error: unknown) => {
        this.removals.delete(removal);
        this.leftovers.push(`${name} (${messageOf(error)})`);
      },
    );
    this.removals.add(removal);
  }
}
