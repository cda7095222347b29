import { readdir, rm } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { loadConfig } from "../config-load.ts";
import { messageOf, UserError } from "../errors.ts";
import { buildSkills } from "./build.ts";
import { evaluate } from "./eval.ts";
import type { AddCommand } from "./io.ts";
import { printable } from "./progress.ts";
import { sayReport } from "./say-report.ts";
import { withoutDraining } from "./signals.ts";

/** The demo's recorded drafts and policies are data, so they stay in src/ beside the compiled code. */
const demoConfig = fileURLToPath(new URL("../../src/testing/demo/demo.config.yaml", import.meta.url));

/** `skillproof demo`: the whole pipeline on a bundled skill, no key needed. */
export const addDemo: AddCommand = (program, io, done) => {
  program
    .command("demo")
    .description("the whole pipeline on a bundled skill with stand-in models; needs no key")
    .option(
      "--out <folder>",
      "where to put what it makes; what an earlier demo left is removed first",
      "out/demo",
    )
    .action(async (options: { out: string }) => {
      const out = resolve(io.cwd, options.out);
      await refuseForeign(out, options.out);
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

/** What a demo makes below its folder. */
const made = /^(benchmarks|cache|demo-[0-9a-f]+)$/;

/** A folder that holds anything else is somebody's: it is not emptied. */
async function refuseForeign(out: string, shown: string): Promise<void> {
  const foreign = (await namesIn(out)).find((name) => !made.test(name));
  if (foreign === undefined) return;
  throw new UserError(
    `${printable(shown)}: holds ${printable(foreign)}, which no demo made, and the demo empties its folder first. Name another one with --out.`,
  );
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw new UserError(
      `${printable(folder)}: no folder to empty (${messageOf(error)}). Name one with --out.`,
      {
        cause: error,
      },
    );
  }
}
