import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type Docker from "dockerode";
import { type FileTree, hashTree } from "../artefacts/tree.ts";
import { messageOf } from "../errors.ts";
import { isAway, patiently } from "./away.ts";
import { bounded } from "./bounded.ts";
import { encodeOwner, type Owner, ownerLabel } from "./owner.ts";
import { SandboxError } from "./port.ts";
import { removeContainer } from "./removal.ts";
import { removeNamed } from "./sweep.ts";
import { packTree } from "./tar.ts";
import { removeVolume } from "./volumes.ts";

const fillMs = 120_000;

/**
 * Volumes that hold skills, one per content and process. Each is filled once through a container that is never started
 * and from then on only mounted read-only. A volume belongs to the process that made it: nobody else's can be half
 * filled, and the sweep removes it when its owner is dead.
 */
export class SkillVolumes {
  private readonly docker: Docker;
  private readonly image: string;
  private readonly owner: Owner;
  private readonly filled = new Map<string, Promise<string>>();
  private readonly prefix = `skillproof-skill-${randomUUID().slice(0, 8)}`;

  constructor(docker: Docker, image: string, owner: Owner) {
    this.docker = docker;
    this.image = image;
    this.owner = owner;
  }

  /** The name of the volume with this content, filled. Callers of the same content wait for one filling. */
  async nameFor(skill: FileTree): Promise<string> {
    const hash = hashTree(skill);
    const known = this.filled.get(hash);
    if (known !== undefined) return known;
    const filling = this.fill(`${this.prefix}-${hash.slice(0, 16)}`, skill);
    this.filled.set(hash, filling);
    // A failure must not be the answer for ever: the next trial tries again.
    filling.catch(() => this.filled.delete(hash));
    return filling;
  }

  /**
   * Removes every volume. The containers that mount them must be gone. By name, not from memory: an engine that went away
   * during a filling may have made a volume or a container that it could not tell us of.
   */
  async close(): Promise<void> {
    await Promise.allSettled(this.filled.values());
    this.filled.clear();
    await removeNamed(this.docker, this.prefix);
  }

  private async fill(name: string, skill: FileTree): Promise<string> {
    try {
      await bounded(`filling volume ${name}`, fillMs, undefined, (signal) =>
        this.fillNew(name, skill, signal),
      );
      return name;
    } catch (error) {
      // Perhaps the engine is away; then the next filling takes the same volume, or the sweep removes it.
      if (!isAway(error)) await removeVolume(this.docker, name);
      throw new SandboxError(`the skill could not be laid out for containers: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  private async fillNew(name: string, skill: FileTree, abortSignal: AbortSignal): Promise<void> {
    const labels = { [ownerLabel]: encodeOwner(this.owner) };
    await this.docker.createVolume({ Name: name, Labels: labels, abortSignal });
    const container = await this.docker.createContainer({
      name: `${name}-filling-${randomUUID()}`,
      Image: this.image,
      Cmd: ["true"],
      Labels: labels,
      HostConfig: {
        NetworkMode: "none",
        Mounts: [{ Type: "volume", Source: name, Target: "/skill", ReadOnly: false, VolumeOptions: noCopy }],
      },
      abortSignal,
    });
    try {
      await container.putArchive(Readable.from(packTree(skill)), { path: "/skill", abortSignal });
    } finally {
      // An engine that went away meanwhile comes back with this container, which would keep the volume in use.
      await patiently(fillMs, abortSignal, isAway, () => removeContainer(this.docker, container.id));
    }
  }
}

const noCopy = { NoCopy: true, Labels: {}, DriverConfig: { Name: "local", Options: {} } };
