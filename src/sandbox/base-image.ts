import type Docker from "dockerode";
import { messageOf } from "../errors.ts";
import { bootstrapBase, release } from "./bootstrap.ts";
import { bounded } from "./bounded.ts";
import { findImage } from "./build-image.ts";
import { engineLines } from "./engine-answers.ts";

/** A registry that answers does so at once; a network that drops packets never does. */
const firstAnswerMs = 10_000;
const pullMs = 10 * 60_000;
export const publicBase = `debian:${release}-slim`;
const ownBase = `skillproof-base:${release}`;

export type Base = { readonly image: string; readonly kind: "registry" | "packages" };

type Options = { readonly log: (line: string) => void; readonly signal?: AbortSignal };

/** The public base when a registry answers or the engine has it already; else the same release made from packages. */
export async function findBase(docker: Docker, options: Options): Promise<Base> {
  try {
    await pull(docker, publicBase, options.signal);
    return { image: publicBase, kind: "registry" };
  } catch (error) {
    options.signal?.throwIfAborted();
    options.log(`${publicBase} cannot be pulled: ${messageOf(error)}`);
  }
  if ((await findImage(docker, publicBase)) !== null) return { image: publicBase, kind: "registry" };
  if ((await findImage(docker, ownBase)) === null) await bootstrapBase(docker, ownBase, options);
  return { image: ownBase, kind: "packages" };
}

/** Pulls an image. Throws when the registry does not answer within ten seconds or refuses. */
export async function pull(docker: Docker, name: string, signal?: AbortSignal): Promise<void> {
  await bounded(`pulling ${name}`, pullMs, signal, async (abortSignal) => {
    const answer = await bounded(`the registry of ${name}`, firstAnswerMs, abortSignal, (first) =>
      docker.pull(name, { abortSignal: first }),
    );
    for await (const { error } of engineLines(answer)) if (error !== undefined) throw new Error(error);
  });
}
