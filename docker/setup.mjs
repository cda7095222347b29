/**
 * Makes a fresh clone ready, with nothing but Node: packages, build, Docker engine, sandbox image. `npm test` and
 * `npm run demo` begin with it; when nothing is missing it says nothing and takes a moment.
 *
 * With `--for-tests` also Chromium and tmux.
 *
 * Exit code 2 with one message that names the next step when the user must do something.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const logs = join(root, "out", "setup");
const engineLimitMs = 60_000;
const lookEveryMs = 250;

class NextStep extends Error {}

function say(line) {
  process.stderr.write(`set-up   ${line}\n`);
}

/** Runs a program to its end with its output on stderr; a failure names it. */
function must(program, args, options = {}) {
  const { status, error, signal } = spawnSync(program, args, {
    cwd: root,
    stdio: ["ignore", 2, 2],
    ...options,
  });
  if (error !== undefined) throw new NextStep(`${program} cannot be started (${error.message}).`);
  if (status !== 0)
    throw new NextStep(
      `\`${program} ${args.join(" ")}\` failed (${signal ?? `exit code ${status}`}); see above.`,
    );
}

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new NextStep(`Node ${process.versions.node} is too old: install Node 20.19 or newer.`);
}

/** Whether node_modules holds what the lock file says, by npm's own record of what it installed. */
function packagesAreCurrent() {
  const record = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(record)) return false;
  const packagesOf = (path) => JSON.parse(readFileSync(path, "utf8")).packages;
  const installed = packagesOf(record);
  return Object.entries(packagesOf(join(root, "package-lock.json"))).every(
    ([path, { version, optional }]) =>
      path === "" || installed[path]?.version === version || (optional && !installed[path]),
  );
}

function ensurePackages() {
  if (packagesAreCurrent()) return;
  say("npm ci");
  must(process.platform === "win32" ? "npm.cmd" : "npm", [
    "ci",
    "--include=dev",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ]);
}

/** Names, sizes and times of all that the build reads: unchanged means that dist is what it would make. */
function sourcesStamp() {
  const hash = createHash("sha256").update(process.version);
  const add = (path) => {
    const { size, mtimeMs } = statSync(join(root, path));
    hash.update(`${path}\0${size}\0${mtimeMs}\n`);
  };
  for (const path of readdirSync(join(root, "src"), { recursive: true }).sort()) {
    if (path.endsWith(".ts") || /^gate\/cheats\/./.test(path)) add(join("src", path));
  }
  for (const path of ["tsconfig.json", "tsconfig.build.json", "package-lock.json"]) add(path);
  return hash.digest("hex");
}

function ensureBuild() {
  const stampFile = join(root, "dist", ".sources");
  const stamp = sourcesStamp();
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return;
  say("building dist");
  must(process.execPath, [join("docker", "build.mjs")]);
  writeFileSync(stampFile, stamp);
}

/** null when an engine answers, else the error that says what was tried. */
async function engineFault() {
  const { connectEngine } = await import(pathToFileURL(join(root, "dist", "sandbox", "engine.js")).href);
  try {
    await connectEngine(null);
    return null;
  } catch (error) {
    return error;
  }
}

/** Debian, Ubuntu and what says it is like them. */
function isDebianLike() {
  if (!existsSync("/etc/os-release")) return false;
  const fields = readFileSync("/etc/os-release", "utf8").match(/^ID(_LIKE)?=.*$/gm) ?? [];
  return fields.some((line) => /\b(debian|ubuntu)\b/.test(line));
}

function has(program) {
  return spawnSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status === 0;
}

function aptInstall(...packages) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  must("apt-get", ["update", "-qq"], { env });
  must("apt-get", ["install", "-qq", "-y", "--no-install-recommends", ...packages], { env });
}

async function ensureEngine() {
  const fault = await engineFault();
  if (fault === null) return;
  // An engine that somebody named is his to start, and where we are not root there is nothing we may install.
  if (process.env.DOCKER_HOST || process.platform !== "linux" || process.getuid() !== 0)
    throw new NextStep(fault.message);
  if (!has("dockerd")) {
    if (!isDebianLike() || !has("apt-get")) throw new NextStep(fault.message);
    say("installing the Docker engine (docker.io)");
    aptInstall("docker.io", "ca-certificates");
  }
  if (!readFileSync("/proc/mounts", "utf8").match(/ cgroup2? /)) mountCgroups();
  await startEngine();
}

function mountCgroups() {
  if (!has("cgroupfs-mount")) aptInstall("cgroupfs-mount");
  must("cgroupfs-mount", []);
}

async function startEngine() {
  say("starting the Docker engine");
  if (existsSync("/run/systemd/system")) {
    must("systemctl", ["start", "docker"]);
    await untilItAnswers(() => null);
    return;
  }
  mkdirSync(logs, { recursive: true });
  const log = join(logs, "dockerd.log");
  const output = openSync(log, "a");
  const daemon = spawn("dockerd", [], { detached: true, stdio: ["ignore", output, output] });
  closeSync(output);
  let ended = null;
  daemon.on("error", (error) => (ended = error.message));
  daemon.on("exit", (code, signal) => (ended = `it ended with ${signal ?? `exit code ${code}`}`));
  daemon.unref();
  await untilItAnswers(() => (ended === null ? null : `${ended}:\n${tailOf(log)}`));
}

/** Waits for the engine's ping, at most a minute, or until `trouble` has something to say. */
async function untilItAnswers(trouble) {
  const end = Date.now() + engineLimitMs;
  for (;;) {
    const fault = await engineFault();
    if (fault === null) return;
    const said = trouble();
    if (said !== null) throw new NextStep(`The Docker engine could not be started: ${said}`);
    if (Date.now() > end)
      throw new NextStep(`The Docker engine was started but does not answer. ${fault.message}`);
    await delay(lookEveryMs);
  }
}

function tailOf(path) {
  return readFileSync(path, "utf8").trim().split("\n").slice(-8).join("\n");
}

function ensureImage() {
  const { status } = spawnSync(process.execPath, [join("dist", "cli", "main.js"), "image"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) process.exit(status ?? 3); // it has said why
}

/** What tests look at reports and screens with. Installed like the engine, or named. */
function ensureEyes() {
  const missing = ["chromium", "tmux"].filter((program) => !has(program));
  if (missing.length === 0) return;
  if (process.platform !== "linux" || process.getuid() !== 0 || !isDebianLike() || !has("apt-get"))
    throw new NextStep(`The tests need ${missing.join(" and ")} on the PATH: install what is missing.`);
  say(`installing ${missing.join(" and ")} for the tests`);
  aptInstall(...missing, "fonts-dejavu-core");
}

try {
  checkNode();
  ensurePackages();
  ensureBuild();
  await ensureEngine();
  ensureImage();
  if (process.argv.includes("--for-tests")) ensureEyes();
} catch (error) {
  if (!(error instanceof NextStep)) throw error;
  say(error.message);
  process.exit(2);
}
