import { Readable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import type Docker from "dockerode";
import type { FileTree } from "../artefacts/tree.ts";
import { InfrastructureError } from "../errors.ts";
import { bounded } from "./bounded.ts";
import { engineLines } from "./engine-answers.ts";
import { statusOf } from "./removal.ts";
import { packTree } from "./tar.ts";

const buildMs = 30 * 60_000;
const inspectMs = 30_000;
const keptLines = 15;

export type Build = {
  readonly tag: string;
  readonly context: FileTree;
  /** Id or name of the image it starts from: the build argument BASE. */
  readonly base: string;
  readonly labels: Readonly<Record<string, string>>;
};

/** An image by id or tag, or null when the engine has none. */
export async function findImage(docker: Docker, name: string): Promise<Docker.ImageInspectInfo | null> {
  try {
    return await bounded(`looking at image ${name}`, inspectMs, undefined, () =>
      docker.getImage(name).inspect(),
    );
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}

/** A step of the Dockerfile failed; `said` is what it printed last. */
export class BuildError extends InfrastructureError {
  readonly said: string;

  constructor(tag: string, error: string, said: string) {
    super(`${tag} could not be built: ${error}\n${said}`);
    this.said = said;
  }
}

/** Builds with the engine's own builder, which needs no docker command. Throws `BuildError` when a step fails. */
export async function buildImage(
  docker: Docker,
  build: Build,
  signal: AbortSignal | undefined,
): Promise<string> {
  await bounded(`building ${build.tag}`, buildMs, signal, async (abortSignal) => {
    const answer = await docker.buildImage(Readable.from(packTree(build.context)), {
      t: build.tag,
      buildargs: { BASE: build.base },
      labels: { ...build.labels },
      rm: true,
      forcerm: true,
      abortSignal,
    });
    const said: string[] = [];
    for await (const { stream, error } of engineLines(answer)) {
      const line = stripVTControlCharacters(stream ?? "").trim();
      if (line !== "") said.push(line);
      if (error === undefined) continue;
      throw new BuildError(build.tag, error, said.slice(-keptLines).join("\n"));
    }
  });
  const image = await findImage(docker, build.tag);
  if (image === null)
    throw new InfrastructureError(`${build.tag} was built, but the engine does not have it`);
  return image.Id;
}
