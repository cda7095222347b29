import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Docker from "dockerode";
import { messageOf, UserError } from "../errors.ts";
import { sha256 } from "../hash.ts";
import { findBase, pull } from "./base-image.ts";
import { BuildError, buildImage, findImage } from "./build-image.ts";
import { holdingFile } from "./file-lock.ts";
import { installedPackages } from "./installed-packages.ts";
import { isRunning } from "./owner.ts";
import type { ImageRecord } from "./port.ts";
import { type Contexts, extraContext, readContexts, recipeOf } from "./recipe.ts";
import type { SandboxSettings } from "./settings.ts";

const recipeLabel = "skillproof.recipe";
const baseLabel = "skillproof.base";
const buildMs = 60 * 60_000;

export type ImageOptions = {
  /** Where image.json is written; default out/setup below the current folder. */
  readonly folder?: string;
  readonly signal?: AbortSignal;
};

type Making = {
  readonly docker: Docker;
  readonly contexts: Contexts;
  readonly recipe: string;
  readonly packages: readonly string[];
  readonly user: Docker.ImageInspectInfo | null;
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal;
};

/**
 * The image of the settings, made when the engine has none of this recipe: a public base, or the same Debian release
 * from packages, with docker/packages.txt, `settings.packages` and the tool server; or the user's own image with the
 * tool server. One process at a time makes it. Writes image.json: id, base, recipe and every package with its version.
 */
export async function ensureImage(
  docker: Docker,
  settings: Pick<SandboxSettings, "image" | "packages">,
  log: (line: string) => void,
  options: ImageOptions = {},
): Promise<ImageRecord> {
  const contexts = await readContexts();
  const user = settings.image === null ? null : await userImage(docker, settings.image, options.signal);
  const packages = [...new Set(settings.packages)].sort();
  const recipe = recipeOf(contexts, packages, user?.Id ?? null);
  const making: Making = { docker, contexts, recipe, packages, user, log, ...pickSignal(options) };
  const record = (await recordOf(docker, recipe)) ?? (await makeAlone(making));
  await writeRecord(docker, record, options.folder ?? join("out", "setup"));
  return record;
}

async function makeAlone(making: Making): Promise<ImageRecord> {
  const lock = join(tmpdir(), `skillproof-image-${making.recipe.slice(0, 12)}.lock`);
  const onWait = (): void => {
    making.log("another process is making the sandbox image: waiting for it");
  };
  return holdingFile(lock, { limitMs: buildMs, onWait, ...pickSignal(making) }, async () => {
    const made = (await recordOf(making.docker, making.recipe)) ?? (await make(making));
    return made;
  });
}

async function make(making: Making): Promise<ImageRecord> {
  try {
    return await build(making);
  } catch (error) {
    throw error instanceof BuildError ? blame(making, error) : error;
  }
}

/** A build that failed for something the user wrote is his to mend, with the words that say what. */
function blame({ packages, user }: Making, error: BuildError): Error {
  const missing = /Unable to locate package (\S+)/.exec(error.said)?.[1];
  if (missing !== undefined && packages.includes(missing)) {
    const words = `sandbox.packages: Debian has no package "${missing}" for this image. Correct or remove it.`;
    return new UserError(words, { cause: error });
  }
  const lacks = /^the image lacks .*$/m.exec(error.said)?.[0];
  if (user === null || lacks === undefined) return error;
  return new UserError(`sandbox.image: ${lacks}. Install it there.`, { cause: error });
}

async function build(making: Making): Promise<ImageRecord> {
  const { docker, contexts, recipe, packages, log, signal } = making;
  const { image: from, kind } = await groundOf(making);
  const kinds = { [baseLabel]: kind };
  let base = from;
  if (packages.length > 0) {
    log(`installing ${packages.join(", ")}`);
    const tag = `skillproof-extra:${recipe.slice(0, 12)}`;
    base = await buildImage(docker, { tag, base, labels: kinds, context: extraContext(packages) }, signal);
  }
  const labels = { ...kinds, [recipeLabel]: recipe };
  const id = await buildImage(docker, { tag: tagOf(recipe), base, labels, context: contexts.server }, signal);
  log(`sandbox image ready: ${tagOf(recipe)}`);
  return { id, recipe, base: kind };
}

/** What packages and tool server are laid on: the user's image, or the base with docker/packages.txt. */
async function groundOf(making: Making): Promise<{ image: string; kind: ImageRecord["base"] }> {
  const { docker, contexts, user, log, signal } = making;
  if (user !== null) return { image: user.Id, kind: "user" };
  const tag = `skillproof-tools:${recipeOf({ ...contexts, server: [] }, [], null).slice(0, 12)}`;
  const known = await findImage(docker, tag);
  const knownKind = kindOf(known);
  if (known !== null && knownKind !== null) return { image: known.Id, kind: knownKind };
  const base = await findBase(docker, { log, ...pickSignal(making) });
  log("installing the packages of the sandbox image (a few minutes, once)");
  const labels = { [baseLabel]: base.kind };
  const image = await buildImage(
    docker,
    { tag, base: base.image, labels, context: contexts.packages },
    signal,
  );
  return { image, kind: base.kind };
}

async function userImage(
  docker: Docker,
  name: string,
  signal: AbortSignal | undefined,
): Promise<Docker.ImageInspectInfo> {
  const found = await findImage(docker, name);
  if (found !== null) return found;
  try {
    await pull(docker, name, signal);
  } catch (cause) {
    signal?.throwIfAborted();
    throw new UserError(
      `sandbox.image: the engine has no image "${name}" and it cannot be pulled (${messageOf(cause)}). ` +
        "Correct the name, or build or load the image first.",
      { cause },
    );
  }
  const pulled = await findImage(docker, name);
  if (pulled === null)
    throw new UserError(`sandbox.image: "${name}" was pulled, but the engine does not have it`);
  return pulled;
}

/** The image of a recipe when this engine has it. */
export async function recordOf(docker: Docker, recipe: string): Promise<ImageRecord | null> {
  const image = await findImage(docker, tagOf(recipe));
  const base = kindOf(image);
  if (image === null || base === null || image.Config.Labels[recipeLabel] !== recipe) return null;
  return { id: image.Id, recipe, base };
}

function kindOf(image: Docker.ImageInspectInfo | null): ImageRecord["base"] | null {
  const kind = image?.Config.Labels[baseLabel];
  return kind === "registry" || kind === "packages" || kind === "user" ? kind : null;
}

export function tagOf(recipe: string): string {
  return `skillproof-sandbox:${recipe.slice(0, 12)}`;
}

/** Reading the package list costs a container, so it is done once per image. */
async function writeRecord(docker: Docker, record: ImageRecord, folder: string): Promise<void> {
  const path = join(folder, "image.json");
  if ((await readFile(path, "utf8").catch(() => "")).includes(`"id": "${record.id}"`)) return;
  const packages = await installedPackages(docker, record.id);
  const text = JSON.stringify({ ...record, packagesHash: sha256(packages.join("\n")), packages }, null, 1);
  await mkdir(folder, { recursive: true });
  await removeHalfWritten(folder);
  // Random besides the process's number: one process may ask for the image twice at once.
  const draft = `${path}.${process.pid}.${randomUUID()}.tmp`;
  await writeFile(draft, `${text}\n`);
  await rename(draft, path);
}

/** Of processes that were killed before the rename. */
async function removeHalfWritten(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid] = /^image\.json\.(\d+)\.[\w-]+\.tmp$/.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(folder, name), { force: true });
  }
}

function pickSignal(from: { readonly signal?: AbortSignal }): { readonly signal?: AbortSignal } {
  return from.signal === undefined ? {} : { signal: from.signal };
}
