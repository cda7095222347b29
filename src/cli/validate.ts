import { resolve } from "node:path";
import type { GateRecord } from "../artefacts/gate.ts";
import { validateBenchmark } from "../pipeline.ts";
import { type AddCommand, type Io, listenOn, type Loaded, loadCampaignFile } from "./io.ts";
import { withPaidModels } from "./paid-models.ts";
import { withoutDraining } from "./signals.ts";
import { openGate } from "./wire.ts";

/** `skillproof validate BENCHMARK…`: the gate again. */
export const addValidate: AddCommand = (program, io, done) => {
  program
    .command("validate")
    .description("put benchmarks through the gate again")
    .argument("<benchmark...>", "folders of benchmarks")
    .option("-c, --config <file>", "the campaign's YAML")
    .option("--json", "print the gate records on stdout")
    .action(async (folders: readonly string[], options: { config?: string; json?: boolean }) => {
      const loaded = await loadCampaignFile(io, options.config, {});
      const records = await validateAll(
        folders.map((folder) => resolve(io.cwd, folder)),
        loaded,
        withoutDraining(io),
      );
      if (options.json === true) io.out(`${JSON.stringify(records, null, 2)}\n`);
      done(records.every((record) => record.passed) ? 0 : 1);
    });
};

function validateAll(folders: readonly string[], loaded: Loaded, io: Io): Promise<GateRecord[]> {
  const listen = listenOn(io);
  return withPaidModels(loaded, io, async (paid) => {
    const { gate, close } = await openGate(loaded, paid, io);
    const records: GateRecord[] = [];
    try {
      for (const folder of folders) {
        const record = await validateBenchmark(folder, gate);
        const words = record.checks.at(-1)?.words.split("\n")[0] ?? "";
        listen({ kind: "gated", benchmark: record.benchmark, passed: record.passed, words });
        records.push(record);
      }
    } finally {
      await close();
    }
    return records;
  });
}
