import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import type { FileTree } from "../../artefacts/tree.ts";
import type { DockerSandbox } from "../../sandbox/docker-sandbox.ts";
import { packTree } from "../../sandbox/tar.ts";
import { openSnapshot, spoolSnapshot } from "../../store/spool.ts";
import { writeTree } from "../../store/tree.ts";
import { treeOf } from "../benchmark.ts";

export const toolCallsPerTrial = 10;
const call = "echo step >> log.txt; ls | wc -l";
const grade = `#!/usr/bin/env bash
test "$(wc -l < log.txt)" = ${toolCallsPerTrial} && test -f src/f19.txt || exit 1
echo '{"assertion":"ten steps","passed":true}' >&3
`;
export const fixtures: FileTree = treeOf(
  Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`src/f${index}.txt`, "a fixture\n".repeat(50)]),
  ),
);
const grader = treeOf({ "grade!": grade });
const labels = { campaign: "bench", trial: "bench" };
const limits = { timeoutMs: 60_000, maxOutputBytes: 64 * 1024 };

/** A whole trial whose model answers at once: container, fixtures in, ten calls, snapshot, second container, grade. */
export async function emptyTrial(sandbox: DockerSandbox, folder: string, name: string): Promise<void> {
  const snapshot = join(folder, `${name}.tar.gz`);
  const agent = await sandbox.open({ role: "agent", labels, skill: null });
  try {
    await agent.unpack(packTree(fixtures), "/workspace");
    for (let n = 0; n < toolCallsPerTrial; n++) await agent.run({ command: call, ...limits });
    await spoolSnapshot(agent.snapshot(), snapshot);
  } finally {
    await agent.dispose();
  }
  const grading = await sandbox.open({ role: "grader", labels, skill: null });
  try {
    await grading.unpack(openSnapshot(snapshot), "/workspace");
    await grading.unpack(packTree(grader), "/grader");
    const { exitCode } = await grading.run({ command: "exec /grader/grade", descriptor3: true, ...limits });
    if (exitCode !== 0) throw new Error(`the grader of an empty trial ended with ${exitCode}`);
  } finally {
    await grading.dispose();
  }
  await rm(snapshot);
}

const limited = ["--network", "none", "--pids-limit", "256", "--memory", "512m", "--cpus", "1", "--init"];
const hardened = [
  ...limited,
  ...["--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--user", "1000:1000"],
  ...["--read-only", "--tmpfs", "/tmp"],
];

/** The floor of the command line: an empty hardened container, twice. */
export async function twoRuns(image: string): Promise<void> {
  for (let n = 0; n < 2; n++) {
    await execa("docker", ["run", "--rm", ...hardened, image, "true"]);
  }
}

/** The same trial as scripts usually do it: one `docker` process for every step, as root, nothing dropped. */
export async function naiveTrial(image: string, folder: string): Promise<void> {
  const work = await mkdtemp(join(folder, "naive-"));
  const docker = async (...args: string[]): Promise<string> => (await execa("docker", args)).stdout.trim();
  const start = (): Promise<string> =>
    docker("run", "-d", ...limited, "-w", "/workspace", image, "sleep", "1000000");
  await writeTree(join(work, "in"), fixtures);
  const agent = await start();
  await docker("cp", `${work}/in/.`, `${agent}:/workspace`);
  for (let n = 0; n < toolCallsPerTrial; n++) await docker("exec", agent, "bash", "-c", call);
  await docker("cp", `${agent}:/workspace/.`, `${work}/out`);
  await docker("rm", "-f", agent);
  const grading = await start();
  await docker("cp", `${work}/out/.`, `${grading}:/workspace`);
  await docker("exec", grading, "bash", "-c", `test "$(wc -l < log.txt)" = ${toolCallsPerTrial}`);
  await docker("rm", "-f", grading);
  await rm(work, { recursive: true });
}

export function benchFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "skillproof-bench-"));
}
