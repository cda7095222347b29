import { PassThrough, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type Docker from "dockerode";
import { messageOf } from "../errors.ts";
import { bounded } from "./bounded.ts";
import { engineLines } from "./engine-answers.ts";
import { recordOf, tagOf } from "./image.ts";
import { type ImageRecord, SandboxError } from "./port.ts";

const copyMs = 30 * 60_000;

type Options = { readonly log: (line: string) => void; readonly signal?: AbortSignal };

/** Where an image is ready: an engine and what is known of the image. */
export type ReadyImage = { readonly docker: Docker; readonly image: ImageRecord };

/**
 * Makes `to` have the image of `from`, through this process: two engines that build one recipe on two days need not get
 * the same packages. Throws `SandboxError` when it cannot be brought there.
 */
export async function copyImage(from: ReadyImage, to: Docker, options: Options): Promise<ImageRecord> {
  const { recipe } = from.image;
  const known = await recordOf(to, recipe);
  if (known !== null) return known;
  options.log("copying the sandbox image to another engine (a few minutes, once)");
  try {
    await bounded("copying", copyMs, options.signal, (signal) =>
      stream(from.docker, to, tagOf(recipe), signal),
    );
  } catch (error) {
    options.signal?.throwIfAborted();
    throw new SandboxError(`the sandbox image could not be copied: ${messageOf(error)}`, { cause: error });
  }
  const copied = await recordOf(to, recipe);
  if (copied === null)
    throw new SandboxError("the sandbox image was copied, but the engine does not have it");
  return copied;
}

async function stream(from: Docker, to: Docker, tag: string, signal: AbortSignal): Promise<void> {
  const failed = new AbortController();
  const abortSignal = AbortSignal.any([signal, failed.signal]);
  const tar = new PassThrough();
  try {
    const source = await from.getImage(tag).get();
    await Promise.all([pipeline(source, tar, { signal: abortSignal }), load(to, tar, abortSignal)]);
  } catch (error) {
    failed.abort(); // the other side would wait for ever
    throw error;
  }
}

async function load(to: Docker, tar: Readable, abortSignal: AbortSignal): Promise<void> {
  const answer = await to.loadImage(tar, { abortSignal });
  for await (const { error } of engineLines(answer)) if (error !== undefined) throw new SandboxError(error);
}
