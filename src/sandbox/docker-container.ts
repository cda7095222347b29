import { Duplex } from "node:stream";
import type Docker from "dockerode";
import { bounded } from "./bounded.ts";
import type {
  CommandOutcome,
  CommandRequest,
  Container,
  ContainerRequest,
  ReadOutcome,
  WriteOutcome,
} from "./port.ts";
import { SandboxError } from "./port.ts";
import type { SnapshotLimits } from "./snapshot-limits.ts";
import { ToolClient } from "./tool-client.ts";

const createMs = 60_000;
const attachMs = 30_000;
const startMs = 60_000;
const pingMs = 30_000;

/**
 * Creates, attaches and starts a container, in this order, so that no byte is lost. Resolves when its server has
 * answered. On any failure the caller must remove the container of that name.
 */
export async function startContainer(
  docker: Docker,
  spec: Docker.ContainerCreateOptions,
  signal: AbortSignal | undefined,
): Promise<ToolClient> {
  signal?.throwIfAborted();
  // Not ended by `signal`: the engine would make the container all the same, after it was looked for to be removed.
  const container = await bounded("creating a container", createMs, undefined, (abortSignal) =>
    docker.createContainer({ ...spec, abortSignal }),
  );
  const options = { stream: true, stdin: true, stdout: true, stderr: true, hijack: true };
  const socket = await bounded("attaching to a container", attachMs, signal, (abortSignal) =>
    container.attach({ ...options, abortSignal }),
  );
  if (!(socket instanceof Duplex)) throw new SandboxError("the engine gave no stream to attach to");
  const client = new ToolClient(socket);
  try {
    await bounded("starting a container", startMs, signal, (abortSignal) => container.start({ abortSignal }));
    await client.ping(pingMs);
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

/** A started container as the port shows it. `discard` removes it, in the background or not. */
export class DockerContainer implements Container {
  private readonly client: ToolClient;
  private readonly role: ContainerRequest["role"];
  private readonly limits: SnapshotLimits;
  private readonly discard: () => void;

  constructor(
    client: ToolClient,
    {
      role,
      limits,
      discard,
    }: {
      readonly role: ContainerRequest["role"];
      readonly limits: SnapshotLimits;
      readonly discard: () => void;
    },
  ) {
    this.client = client;
    this.role = role;
    this.limits = limits;
    this.discard = discard;
  }

  async run(request: CommandRequest, signal?: AbortSignal): Promise<CommandOutcome> {
    if (this.role === "agent" && (request.user ?? "agent") !== "agent") {
      throw new Error(`an agent's container has no user "${request.user ?? ""}"; use one of role grader`);
    }
    return this.client.command(request, signal);
  }

  readFile(path: string, maxBytes: number): Promise<ReadOutcome> {
    return this.client.readFile(path, maxBytes);
  }

  writeFile(path: string, bytes: Uint8Array): Promise<WriteOutcome> {
    return this.client.writeFile(path, bytes);
  }

  async unpack(
    tar: AsyncIterable<Uint8Array>,
    into: "/workspace" | "/grader",
  ): Promise<{ readonly refused: string }> {
    if (this.role === "agent" && into === "/grader") throw new Error("an agent's container has no /grader");
    return { refused: await this.client.unpack(tar, into) };
  }

  snapshot(onLeftOut?: (words: string) => void): AsyncIterable<Uint8Array> {
    return this.client.snapshot(this.limits, onLeftOut);
  }

  dispose(): Promise<void> {
    this.client.close();
    this.discard();
    return Promise.resolve();
  }
}
