import { resolve } from "node:path";
import { validateBenchmark } from "../pipeline.ts";
import { type AddCommand, listenOn, loadCampaignFile } from "./io.ts";
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
      const listen = listenOn(io);
      const { gate, close } = await openGate(loaded, withoutDraining(io));
      const records = [];
      try {
        for (const folder of folders) {
          const record = await validateBenchmark(resolve(io.cwd, folder), gate);
          listen({
            kind: "gated",
            benchmark: record.benchmark,
            passed: record.passed,
            words: record.checks.at(-1)?.words.split("\n")[0] ?? "",
          });
          records.push(record);
        }
      } finally {
        await close();
      }
      if (options.json === true) io.out(`${JSON.stringify(records, null, 2)}\n`);
      done(records.every((record) => record.passed) ? 0 : 1);
    });
};
