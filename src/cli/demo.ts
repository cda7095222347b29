import { rm } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { loadConfig } from "../config-load.ts";
import { buildSkills } from "./build.ts";
import { evaluate } from "./eval.ts";
import type { AddCommand } from "./io.ts";
import { sayReport } from "./say-report.ts";
import { withoutDraining } from "./signals.ts";

/** The demo's recorded drafts and policies are data, so they stay in src/ beside the compiled code. */
const demoConfig = fileURLToPath(new URL("../../src/testing/demo/demo.config.yaml", import.meta.url));

/** `skillproof demo`: the whole pipeline on a bundled skill, no key needed. */
export const addDemo: AddCommand = (program, io, done) => {
  program
    .command("demo")
    .description("the whole pipeline on a bundled skill with stand-in models; needs no key")
    .option("--out <folder>", "where to put what it makes; emptied first", "out/demo")
    .action(async (options: { out: string }) => {
      const out = resolve(io.cwd, options.out);
      await rm(out, { recursive: true, force: true });
      const config = await loadConfig(demoConfig, { out, benchmarks: join(out, "benchmarks") });
      const loaded = { config, env: io.env };
      const folders = config.skills.map(({ folder }) => folder);
      const built = await buildSkills(folders, loaded, {}, withoutDraining(io));
      const { report, folder } = await evaluate(loaded, { only: null, yes: true }, io);
      for (const { chunks, kept, givenUp } of built) {
        io.out(`${chunks.skill.id}: kept ${kept.join(", ")}; given up ${givenUp.join(", ") || "none"}\n`);
      }
      sayReport(report, relative(io.cwd, join(folder, "report", "index.html")), io);
      done(0);
    });
};
