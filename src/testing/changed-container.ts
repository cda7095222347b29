import { randomUUID } from "node:crypto";
import type { ContainerCreateOptions } from "dockerode";
import { containerSpec } from "../sandbox/container-spec.ts";
import { startContainer } from "../sandbox/docker-container.ts";
import type { DockerSandbox } from "../sandbox/docker-sandbox.ts";
import { thisOwner } from "../sandbox/owner.ts";
import type { Container, ContainerRequest } from "../sandbox/port.ts";
import { removeContainer } from "../sandbox/removal.ts";
import { defaultSettings } from "../sandbox/settings.ts";

type HostConfig = NonNullable<ContainerCreateOptions["HostConfig"]>;

/** What differs from the specification: the twins of isolation tests switch a protection off by it. */
export type SpecChange = Omit<ContainerCreateOptions, "HostConfig"> & { readonly HostConfig?: HostConfig };

/** The specification of a container of that name, but for `change`. */
export function changedSpec(
  { image }: DockerSandbox,
  name: string,
  request: Pick<ContainerRequest, "role" | "labels">,
  { HostConfig, ...rest }: SpecChange,
): ContainerCreateOptions {
  const spec = containerSpec({
    request,
    settings: defaultSettings,
    image: image.id,
    name,
    owner: thisOwner(),
    deadline: new Date(Date.now() + 600_000),
    skillVolume: null,
    networkDisabled: true,
  });
  return { ...spec, ...rest, HostConfig: { ...spec.HostConfig, ...HostConfig } };
}

/** A container as the sandbox makes it but for `change`. Its name is in `name`; `dispose` waits for its removal. */
export async function openChanged(
  sandbox: DockerSandbox,
  request: Pick<ContainerRequest, "role" | "labels">,
  change: SpecChange,
): Promise<Container & { readonly name: string }> {
  const name = `skillproof-test-changed-${randomUUID()}`;
  const { docker } = sandbox;
  const changed = changedSpec(sandbox, name, request, change);
  try {
    const client = await startContainer(docker, changed, undefined);
    return {
      name,
      run: (command, signal) => client.command(command, signal),
      readFile: (path, maxBytes) => client.readFile(path, maxBytes),
      writeFile: (path, bytes) => client.writeFile(path, bytes),
      unpack: async (tar, into) => ({ refused: await client.unpack(tar, into) }),
      snapshot: () => {
        throw new Error("a changed container gives no snapshot");
      },
      dispose: async () => {
        client.close();
        await removeContainer(docker, name);
      },
    };
  } catch (error) {
    await removeContainer(docker, name);
    throw error;
  }
}
