import type Docker from "dockerode";
import { randomUUID } from "node:crypto";
import { bounded } from "./bounded.ts";
import { encodeOwner, ownerLabel, thisOwner } from "./owner.ts";
import { removeContainer } from "./removal.ts";
import { readTarMember } from "./tar.ts";

const limitMs = 60_000;
const path = "/usr/local/lib/skillproof/installed.txt";
const bytesEach = 4 << 20;

/** `name version` of every Debian package of the image, read through a container that is never started. */
export async function installedPackages(docker: Docker, image: string): Promise<string[]> {
  const container = await bounded("creating a container", limitMs, undefined, (abortSignal) =>
    docker.createContainer({
      name: `skillproof-packages-${randomUUID()}`,
      Image: image,
      Labels: { [ownerLabel]: encodeOwner(thisOwner()) },
      HostConfig: { NetworkMode: "none" },
      abortSignal,
    }),
  );
  try {
    const heads = await bounded(
      "reading the package list of the image",
      limitMs,
      undefined,
      async (abortSignal) => {
        const tar = await container.getArchive({ path, abortSignal });
        return readTarMember(bytesOf(tar), (name) => name === "installed.txt", { bytesEach });
      },
    );
    const text = new TextDecoder().decode(heads.get("installed.txt")?.bytes);
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.replace("\t", " "))
      .sort();
  } finally {
    await removeContainer(docker, container.id);
  }
}

async function* bytesOf(source: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    if (!(chunk instanceof Uint8Array))
      throw new TypeError("the engine's archive stream gave something other than bytes");
    yield chunk;
  }
}
