import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { main } from "../../cli/main.ts";
import { capturedIo } from "../captured-io.ts";

const benchmark = fileURLToPath(new URL("../../../benchmarks/house-style/crate-tags", import.meta.url));

const toldSchema = z.object({
  benchmarks: z.array(
    z.object({
      passed: z.boolean(),
      checks: z.array(z.object({ name: z.string(), ms: z.number().nullable() })),
    }),
  ),
});

/** Seconds of the whole gate on one shipped benchmark, and of each check. The target is three minutes on two cores. */
export async function measureGate(): Promise<Record<string, number>> {
  const folder = await mkdtemp(join(tmpdir(), "bench-gate-"));
  try {
    await cp(benchmark, join(folder, "crate-tags"), { recursive: true });
    await writeFile(join(folder, "skillproof.config.yaml"), "name: bench\n");
    const io = capturedIo(folder);
    const code = await main(["validate", "--json", "crate-tags"], io);
    if (code !== 0) throw new Error(`validate ended with ${code}: ${io.stderr()}`);
    const [told] = toldSchema.parse(JSON.parse(io.stdout())).benchmarks;
    const seconds = (told?.checks ?? []).map(({ name, ms }) => [name, (ms ?? 0) / 1000] as const);
    const total = seconds.reduce((sum, [, one]) => sum + one, 0);
    return { total, ...Object.fromEntries(seconds) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
