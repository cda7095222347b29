import { join } from "node:path";
import { stat } from "node:fs/promises";
import type { DockerSandbox } from "../../sandbox/docker-sandbox.ts";
import { spoolSnapshot } from "../../store/spool.ts";
import { timed } from "./statistics.ts";

export type SnapshotFigures = {
  /** Of 100 MB that do not compress. */
  readonly mbPerS: number;
  readonly files10kMs: number;
  /** Of a 2 GB file that is one hole. */
  readonly sparseMs: number;
};

const bigMb = 100;

/** Freezes and stores three workspaces: one large file, ten thousand small ones, one sparse one. */
export async function measureSnapshots(sandbox: DockerSandbox, folder: string): Promise<SnapshotFigures> {
  const big = await snapshotOf(sandbox, folder, `head -c ${bigMb}M /dev/urandom > big.bin`);
  const files = 'python3 -c \'for n in range(10000): open(f"f{n}", "w").write("x" * 1000)\'';
  const many = await snapshotOf(sandbox, folder, files);
  const sparse = await snapshotOf(sandbox, folder, "truncate -s 2G hole.bin");
  return { mbPerS: bigMb / (big / 1000), files10kMs: many, sparseMs: sparse };
}

async function snapshotOf(sandbox: DockerSandbox, folder: string, command: string): Promise<number> {
  const labels = { campaign: "bench", trial: "snapshot" };
  const container = await sandbox.open({ role: "agent", labels, skill: null });
  try {
    const { exitCode, stderr } = await container.run({ command, timeoutMs: 120_000, maxOutputBytes: 4096 });
    if (exitCode !== 0) throw new Error(`${command}: ${Buffer.from(stderr.head).toString()}`);
    const file = join(folder, "snapshot.tar.gz");
    const milliseconds = await timed(() => spoolSnapshot(container.snapshot(), file));
    if ((await stat(file)).size === 0) throw new Error("the snapshot is empty");
    return milliseconds;
  } finally {
    await container.dispose();
  }
}
