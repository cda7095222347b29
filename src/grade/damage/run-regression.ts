import type { Regression } from "../../artefacts/honesty.ts";
import { type ContainerRequest, type Sandbox, SandboxError } from "../../sandbox/port.ts";
import { wholeArchive } from "../whole-archive.ts";

export type RegressionTools = {
  readonly sandbox: Sandbox;
  /** Written on the container. */
  readonly labels: ContainerRequest["labels"];
};

export type RegressionOptions = { readonly timeoutMs: number; readonly signal?: AbortSignal };

/** Nothing of it is read. */
const maxOutputBytes = 1024;
const tries = 2;

/**
 * Executes a bundle's command for the existing tests on a copy of the workspace, as candidate code: the tests are the
 * agent's to change, and so is what they call. In a grading container of its own, without the grader's files, and after
 * the verdict, so that there is nothing to read and nothing to change. A container that breaks twice is `lost` rather
 * than a `SandboxError`: code that breaks its container must not be able to take its verdict with it.
 */
export async function runRegression(
  command: string,
  workspace: () => AsyncIterable<Uint8Array>,
  tools: RegressionTools,
  options: RegressionOptions,
): Promise<Regression> {
  for (let left = tries; left > 0; left--) {
    try {
      return await runOnce(command, workspace, tools, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof SandboxError)) throw error;
    }
  }
  return "lost";
}

async function runOnce(
  command: string,
  workspace: () => AsyncIterable<Uint8Array>,
  { sandbox, labels }: RegressionTools,
  { timeoutMs, signal }: RegressionOptions,
): Promise<Regression> {
  const container = await sandbox.open({ role: "grader", labels, skill: null }, signal);
  try {
    await container.unpack(wholeArchive(workspace()), "/workspace");
    // As `candidate`, which is what sp-run makes of a command, but with an end by time told apart from exit code 124.
    const request = { command, user: "candidate", cwd: "/workspace", timeoutMs, maxOutputBytes } as const;
    const { exitCode, timedOut } = await container.run(request, signal);
    signal?.throwIfAborted();
    if (timedOut) return "timeout";
    return exitCode === 0 ? "passed" : "failed";
  } finally {
    await container.dispose();
  }
}
