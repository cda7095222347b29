import { fail, ok, type Row, warn } from "./row.ts";

/** What an engine says about itself; null: it does not. */
export type EngineFacts = {
  readonly version: string;
  readonly apiVersion: string;
  readonly kernel: string | null;
  readonly cgroup: string | null;
  readonly driver: string | null;
  /** Milliseconds since the epoch. */
  readonly timeMs: number | null;
  readonly memoryMiB: number | null;
  readonly cpus: number | null;
  /** Whether it can hold a container to a limit. */
  readonly limits: {
    readonly memory: boolean | null;
    readonly cpu: boolean | null;
    readonly pids: boolean | null;
  };
  /** Where it keeps images and containers. */
  readonly root: string | null;
};

/** What containers of the campaign ask for. */
export type EngineNeeds = { readonly cpus: number; readonly memoryMiB: number; readonly concurrency: number };

/** The oldest that the tests have met. */
const leastApi = [1, 41] as const;
/** Below it commands of an agent can write below /proc (Landlock). */
const leastKernel = [5, 19] as const;

export function engineRows(name: string, facts: EngineFacts, needs: EngineNeeds): readonly Row[] {
  const { version, apiVersion, kernel, cgroup, driver } = facts;
  const api = `${name} API`;
  return [
    ok(name, `Docker ${version} answers`),
    isBelow(apiVersion, leastApi)
      ? warn(api, `${apiVersion}, older than ${leastApi.join(".")}, the oldest tested`, updateEngine)
      : ok(api, apiVersion),
    kernelRow(`${name} kernel`, kernel),
    cgroup === null
      ? warn(`${name} cgroup`, "it does not tell the version of its cgroups")
      : ok(`${name} cgroup`, `version ${cgroup}`),
    driverRow(`${name} storage`, driver),
    limitsRow(`${name} limits`, facts, needs),
  ];
}

const updateEngine = "sudo apt-get install --only-upgrade docker-ce docker.io";

function kernelRow(check: string, kernel: string | null): Row {
  if (kernel === null) return warn(check, "it does not tell its kernel");
  if (!isBelow(kernel, leastKernel)) return ok(check, kernel);
  const words = `${kernel}: before ${leastKernel.join(".")} commands of an agent can write below /proc, which can void trials`;
  return warn(check, words, "uname -r   # then a newer kernel");
}

function driverRow(check: string, driver: string | null): Row {
  if (driver === null) return warn(check, "it does not tell its storage driver");
  if (driver !== "vfs") return ok(check, driver);
  return warn(check, "vfs copies the whole image for every container: slow, and the disk fills", overlay);
}

const overlay = `echo '{"storage-driver":"overlay2"}' | sudo tee /etc/docker/daemon.json && sudo systemctl restart docker`;

function limitsRow(check: string, { limits, memoryMiB, cpus }: EngineFacts, needs: EngineNeeds): Row {
  const cannot = Object.entries(limits).flatMap(([what, can]) => (can === false ? [what] : []));
  if (cannot.length > 0) {
    const words = `the engine cannot limit ${cannot.join(", ")} of a container: one agent could take the machine`;
    return fail(check, words, "docker info   # its warnings name what the kernel lacks");
  }
  if (cpus !== null && needs.cpus > cpus)
    return fail(check, `sandbox.cpus: ${needs.cpus}, and the engine has ${cpus}`, `sandbox.cpus: ${cpus}`);
  const wanted = needs.memoryMiB * needs.concurrency;
  const all = `${needs.concurrency} container(s) of ${needs.memoryMiB} MiB`;
  if (memoryMiB === null) return warn(check, `${all}; how much memory the engine has is unavailable`);
  if (wanted <= memoryMiB) return ok(check, `${all} in ${Math.floor(memoryMiB)} MiB`);
  const fit = Math.max(1, Math.floor(memoryMiB / needs.memoryMiB));
  return warn(
    check,
    `${all} are more than the engine's ${Math.floor(memoryMiB)} MiB`,
    `evaluation.concurrency: ${fit}`,
  );
}

/** `others`: images of ours that are of another recipe. */
export type ImageFacts =
  | { readonly kind: "ready"; readonly id: string; readonly recipe: string }
  | { readonly kind: "absent"; readonly recipe: string; readonly others: number }
  /** The user's own, which the engine does not have. */
  | { readonly kind: "unknown_base"; readonly image: string };

export function imageRow(check: string, image: ImageFacts, makeCommand: string, pullCommand: string): Row {
  switch (image.kind) {
    case "ready":
      return ok(check, `${image.id.slice(0, 19)}, of today's recipe ${image.recipe.slice(0, 12)}`);
    case "absent": {
      const old = image.others === 0 ? "" : ` (${image.others} of other recipes are)`;
      return warn(check, `none of today's recipe ${image.recipe.slice(0, 12)} is there${old}`, makeCommand);
    }
    case "unknown_base":
      return warn(check, `the engine does not have ${image.image} yet`, pullCommand);
  }
}

export function leftoversRow(check: string, names: readonly string[], mend: string): Row {
  if (names.length === 0) return ok(check, "none of dead processes");
  const shown = names.slice(0, 3).join(", ");
  const more = names.length > 3 ? ` and ${names.length - 3} more` : "";
  return warn(check, `${names.length} of dead processes: ${shown}${more}`, mend);
}

function isBelow(text: string, [major, minor]: readonly [number, number]): boolean {
  const [, has = "0", hasMinor = "0"] = /(\d+)\.(\d+)/.exec(text) ?? [];
  return Number(has) < major || (Number(has) === major && Number(hasMinor) < minor);
}
