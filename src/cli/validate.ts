import { join, resolve } from "node:path";
import { fileGateCache, writeOnly } from "../store/gate-cache.ts";
import { checkNames, checksNamed, type Validated, validateBenchmark } from "../validate-benchmark.ts";
import { type AddCommand, commaList, type Io, listenOn, type Loaded, loadCampaignFile } from "./io.ts";
import { withPaidModels } from "./paid-models.ts";
import { withoutDraining } from "./signals.ts";
import { validateTable } from "./validate-table.ts";
import { openGate } from "./wire-gate.ts";

type Options = {
  readonly config?: string;
  readonly checks?: string;
  readonly cache: boolean;
  readonly json?: boolean;
};

/** `skillproof validate BENCHMARK…`: the gate again. */
export const addValidate: AddCommand = (program, io, done) => {
  program
    .command("validate")
    .description(
      "put benchmarks through the gate again: every check, with what it found and how long it took",
    )
    .argument("<benchmark...>", "folders of benchmarks")
    .option("-c, --config <file>", "the campaign's YAML")
    .option("--checks <names>", `only these, comma-separated: ${checkNames().join(", ")}`)
    .option("--no-cache", "try again what was found before for the same content")
    .option("--json", "print what was found on stdout")
    .action(async (folders: readonly string[], options: Options) => {
      const chosen = options.checks === undefined ? null : checksNamed(commaList(options.checks));
      const loaded = await loadCampaignFile(io, options.config, {});
      const places = folders.map((folder) => resolve(io.cwd, folder));
      const validated = await validateAll(
        places,
        { chosen, cache: options.cache },
        loaded,
        withoutDraining(io),
      );
      if (options.json === true)
        io.out(`${JSON.stringify({ benchmarks: validated.map(summaryOf) }, null, 2)}\n`);
      else io.out(validated.map(validateTable).join("\n"));
      done(validated.every(({ passed }) => passed) ? 0 : 1);
    });
};

async function validateAll(
  folders: readonly string[],
  options: { readonly chosen: ReturnType<typeof checksNamed> | null; readonly cache: boolean },
  loaded: Loaded,
  io: Io,
): Promise<Validated[]> {
  const { config } = loaded;
  const cache = fileGateCache(join(config.out, "cache", "gate"));
  return withPaidModels(loaded, io, async (paid) => {
    const { gateWith, circumstances, close } = await openGate(loaded, paid, io);
    const ports = {
      gate: gateWith,
      cache: options.cache ? cache : writeOnly(cache),
      circumstances,
      skills: config.skills.map(({ folder }) => folder),
    };
    const validated: Validated[] = [];
    try {
      const say = listenOn(io);
      say({ kind: "began", title: config.name, part: "benchmarks validated", stages: ["gate"] });
      for (const folder of folders) {
        say({ kind: "counted", stage: "gate", done: validated.length, of: folders.length });
        validated.push(await validateBenchmark(folder, options.chosen, ports));
      }
      say({ kind: "counted", stage: "gate", done: validated.length, of: folders.length });
    } finally {
      await close();
    }
    return validated;
  });
}

function summaryOf({ id, passed, killRate, checks: tried }: Validated): Record<string, unknown> {
  return {
    id,
    passed,
    killRate,
    checks: tried.map(({ check, passed: held, words, warnings, ms }) => ({
      name: check,
      passed: held,
      reason: words,
      warnings,
      ms,
    })),
  };
}
