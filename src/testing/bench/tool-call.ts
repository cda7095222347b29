import { spawn } from "node:child_process";
import { once } from "node:events";
import type { DockerSandbox } from "../../sandbox/docker-sandbox.ts";
import { interleaved, median, quantile } from "./statistics.ts";

export type ToolCallFigures = {
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Ours ÷ a bash spawned by Node on the host. */
  readonly vsHostBash: number;
  /** The engine's exec ÷ ours. */
  readonly vsEngineExec: number;
};

/** A turn of an agent often has several calls, one after the other. */
const callsAtOnce = 5;

/** One call of `true` over the tool server, beside the two things it is compared with. */
export async function measureToolCall(sandbox: DockerSandbox, rounds: number): Promise<ToolCallFigures> {
  const labels = { campaign: "bench", trial: "tool call" };
  const container = await sandbox.open({ role: "agent", labels, skill: null });
  const { image, docker } = sandbox;
  const other = await docker.createContainer({
    Image: image.id,
    Cmd: ["sleep", "1000000"],
    NetworkDisabled: true,
  });
  try {
    await other.start();
    const times = await interleaved(
      {
        ours: () => container.run({ command: "true", timeoutMs: 10_000, maxOutputBytes: 1024 }),
        host: hostBash,
        engine: () => engineExec(other),
      },
      rounds,
      callsAtOnce,
    );
    return {
      p50Ms: median(times.ours),
      p95Ms: quantile(times.ours, 0.95),
      vsHostBash: median(times.ours) / median(times.host),
      vsEngineExec: median(times.engine) / median(times.ours),
    };
  } finally {
    await container.dispose();
    await other.remove({ force: true, v: true });
  }
}

async function hostBash(): Promise<void> {
  const bash = spawn("bash", ["-c", "true"], { stdio: ["ignore", "pipe", "pipe"] });
  bash.stdout.resume();
  bash.stderr.resume();
  await once(bash, "close");
}

/** Create, start, read to the end, and ask for the exit code: what a tool call over exec needs. */
async function engineExec(
  container: Awaited<ReturnType<DockerSandbox["docker"]["createContainer"]>>,
): Promise<void> {
  const exec = await container.exec({ Cmd: ["bash", "-c", "true"], AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({ hijack: true, stdin: false });
  stream.resume();
  await once(stream, "end");
  await exec.inspect();
}
