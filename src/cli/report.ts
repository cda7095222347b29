import { join, relative, resolve } from "node:path";
import { Option } from "commander";
import { type LeakyHandling, leakyHandlingSchema } from "../artefacts/plan.ts";
import { reportCampaign } from "../campaign-report.ts";
import { campaignFolder } from "./campaign-folder.ts";
import type { AddCommand } from "./io.ts";
import { sayReport } from "./say-report.ts";

type Options = { readonly out: string; readonly leaky?: LeakyHandling; readonly json?: boolean };

/** `skillproof report CAMPAIGN`: every number again from what is on disk. Needs neither engine nor key. */
export const addReport: AddCommand = (program, io, done) => {
  program
    .command("report")
    .description("make report.json and report.md again from what is on disk")
    .argument("<campaign>", "its folder")
    .option("--out <folder>", "where campaigns are", "out")
    .addOption(
      new Option(
        "--leaky <how>",
        "count leaky benchmarks or leave them out, instead of what the plan says",
      ).choices(leakyHandlingSchema.options),
    )
    .option("--json", "print report.json on stdout")
    .action(async (name: string, options: Options) => {
      const folder = await campaignFolder(name, resolve(io.cwd, options.out), io.cwd);
      const report = await reportCampaign(folder, options.leaky);
      if (options.json === true) io.out(`${JSON.stringify(report, null, 2)}\n`);
      else sayReport(report, relative(io.cwd, join(folder, "report", "report.md")), io);
      done(0);
    });
};
