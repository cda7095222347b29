import pLimit from "p-limit";
import type { DockerSandbox } from "../../sandbox/docker-sandbox.ts";
import { emptyTrial } from "./empty-trial.ts";
import { timed } from "./statistics.ts";

/** Empty trials per minute with so many at once, all containers gone at the end. */
export async function trialsPerMinute(
  sandbox: DockerSandbox,
  folder: string,
  concurrency: number,
): Promise<number> {
  const trials = Math.max(16, 2 * concurrency);
  const limit = pLimit(concurrency);
  const milliseconds = await timed(async () => {
    const names = Array.from({ length: trials }, (_, index) => `c${concurrency}-${index}`);
    await Promise.all(names.map((name) => limit(() => emptyTrial(sandbox, folder, name))));
    await sandbox.settled();
  });
  return (trials / milliseconds) * 60_000;
}
