import { messageOf, UserError } from "../errors.ts";
import { type DockerSandbox, dockerSandbox, type DockerSandboxOptions } from "./docker-sandbox.ts";
import { asAddress, reachEngine } from "./engine.ts";
import type { Sandbox } from "./port.ts";
import type { SandboxSettings } from "./settings.ts";
import { spreadSandbox } from "./spread-sandbox.ts";

/** The settings of one engine, and the containers that may be alive there at once. */
export type EndpointSettings = {
  readonly settings: SandboxSettings & { readonly socket: string };
  readonly concurrency: number;
};

/**
 * One sandbox over several engines, with the image of the first on all of them. Throws `UserError` that names each which
 * does not answer now; later such a one is left out.
 */
export async function dockerEndpoints(
  endpoints: readonly EndpointSettings[],
  options: DockerSandboxOptions & { readonly log: (line: string) => void },
): Promise<Sandbox & { readonly close: () => Promise<void> }> {
  await requireAnswers(endpoints, options);
  const opened: DockerSandbox[] = [];
  try {
    for (const { settings } of endpoints) {
      const [first] = opened;
      const imageFrom = first === undefined ? {} : { imageFrom: first };
      opened.push(await dockerSandbox(settings, { ...options, ...imageFrom }));
    }
    const members = endpoints.flatMap(({ settings, concurrency }, at) => {
      const sandbox = opened[at];
      if (sandbox === undefined) return [];
      return [{ name: settings.socket, sandbox, concurrency, answers: () => sandbox.answers() }];
    });
    return spreadSandbox(members, options);
  } catch (error) {
    await Promise.allSettled(opened.map((sandbox) => sandbox.close()));
    throw error;
  }
}

/** All at once, so that one attempt shows all that is wrong, before minutes go into an image. */
async function requireAnswers(
  endpoints: readonly EndpointSettings[],
  options: DockerSandboxOptions,
): Promise<void> {
  const tried = await Promise.allSettled(
    endpoints.map(({ settings: { socket, tls } }) => reachEngine(asAddress(socket), { ...options, tls })),
  );
  options.signal?.throwIfAborted();
  const faults = tried.flatMap((end, at) =>
    end.status === "rejected"
      ? [`  sandbox.endpoints.${at} (${endpoints[at]?.settings.socket ?? ""}): ${messageOf(end.reason)}`]
      : [],
  );
  if (faults.length === 0) return;
  throw new UserError(
    `${faults.length} of ${endpoints.length} engines cannot be used:\n${faults.join("\n")}\n` +
      "Start them, correct their address or certificates, or take them out of sandbox.endpoints.",
  );
}
