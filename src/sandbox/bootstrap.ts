import { spawn } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { access, constants } from "node:fs/promises";
import type { Readable } from "node:stream";
import type Docker from "dockerode";
import { InfrastructureError, UserError } from "../errors.ts";
import { bounded } from "./bounded.ts";
import { engineLines } from "./engine-answers.ts";

const limitMs = 20 * 60_000;
const importMs = 10 * 60_000;
const keptBytes = 8192;
/** The release of docker/packages.txt. */
export const release = "bookworm";

/**
 * Makes a base image of Debian packages where no registry answers: mmdebstrap with this machine's own package sources,
 * imported as `tag`. Throws `UserError` when mmdebstrap is missing and cannot be installed.
 */
export async function bootstrapBase(
  docker: Docker,
  tag: string,
  options: { readonly log: (line: string) => void; readonly signal?: AbortSignal },
): Promise<void> {
  await ensureMmdebstrap(options);
  const folder = await mkdtemp(join(tmpdir(), `skillproof-base-${process.pid}-`));
  try {
    const tar = join(folder, "base.tar");
    const sources = await packageSources(options.signal);
    const sourcesFile = join(folder, "sources.list");
    await writeFile(sourcesFile, `${sources.join("\n")}\n`);
    options.log(`no registry answers: making a Debian ${release} base from packages (about a minute)`);
    const include = "--include=ca-certificates,usr-is-merged";
    const from = sources.length === 0 ? [] : [sourcesFile];
    await execute(
      "mmdebstrap",
      ["--quiet", "--variant=minbase", include, release, tar, ...from],
      options.signal,
    );
    await importBase(docker, createReadStream(tar), tag, { ...options, limitMs: importMs });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Makes an image of a root file system, within `limitMs`. Throws `SandboxError` when the engine does not answer in it. */
export async function importBase(
  docker: Docker,
  tar: Readable,
  tag: string,
  options: { readonly limitMs: number; readonly signal?: AbortSignal },
): Promise<void> {
  const [repo = tag, version = "latest"] = tag.split(":");
  try {
    await bounded("importing the base image", options.limitMs, options.signal, async (abortSignal) => {
      const answer = await docker.importImage(tar, { repo, tag: version, abortSignal });
      for await (const { error } of engineLines(answer)) {
        if (error !== undefined)
          throw new InfrastructureError(`the base image could not be imported: ${error}`);
      }
    });
  } finally {
    tar.destroy();
  }
}

async function ensureMmdebstrap(options: {
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal;
}): Promise<void> {
  if (await isOnPath("mmdebstrap")) return;
  if (process.getuid?.() !== 0 || !(await isOnPath("apt-get"))) {
    throw new UserError(
      "No registry answers, so that debian:bookworm-slim cannot be pulled, and mmdebstrap, which would make it from " +
        "packages, is not installed. Do one of: connect to a registry; install mmdebstrap (Debian and Ubuntu: " +
        "`sudo apt-get install mmdebstrap`); `docker load` a saved debian:bookworm-slim; name an image of yours as " +
        "sandbox.image in the configuration file.",
    );
  }
  options.log("installing mmdebstrap");
  const quiet = ["-qq", "-y", "--no-install-recommends"];
  await execute("apt-get", ["update", "-qq"], options.signal);
  await execute("apt-get", ["install", ...quiet, "mmdebstrap", "debian-archive-keyring"], options.signal);
}

/**
 * One-line sources of this machine for the release, as apt itself lists them. None when this is another system: then
 * mmdebstrap takes Debian's default.
 */
async function packageSources(signal: AbortSignal | undefined): Promise<string[]> {
  if (!(await isOnPath("apt-get"))) return [];
  const format = "$(ORIGIN)|$(RELEASE)|$(REPO_URI)|$(COMPONENT)";
  const listed = await execute(
    "apt-get",
    ["indextargets", "--format", format, "Created-By: Packages"],
    signal,
  );
  const lines = listed.split("\n").flatMap((line) => {
    const [origin, suite = "", uri = "", component = ""] = line.split("|");
    const wanted = origin === "Debian" && (suite === release || suite.startsWith(`${release}-`));
    return wanted ? [`deb ${uri} ${suite} ${component}`] : [];
  });
  return [...new Set(lines)];
}

async function isOnPath(program: string): Promise<boolean> {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"];
  const found = await Promise.allSettled(
    folders.map((folder) => access(join(folder, program), constants.X_OK)),
  );
  return found.some(({ status }) => status === "fulfilled");
}

/** stdout of a program; throws with the end of its stderr when it fails, and `SandboxError` when it does not end. */
function execute(program: string, args: readonly string[], signal: AbortSignal | undefined): Promise<string> {
  return bounded(program, limitMs, signal, (abortSignal) => outputOf(program, args, abortSignal));
}

async function outputOf(program: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const child = spawn(program, args, { env, signal, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(-keptBytes)));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (code === 0) return stdout;
  throw new InfrastructureError(
    `${program} ${args.join(" ")} ended with exit code ${String(code)}: ${stderr.trim()}`,
  );
}
