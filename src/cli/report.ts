import { join, relative, resolve } from "node:path";
import { reportCampaign } from "../campaign-report.ts";
import { campaignFolder } from "./campaign-folder.ts";
import type { AddCommand } from "./io.ts";
import { sayReport } from "./say-report.ts";

/** `skillproof report CAMPAIGN`: every number again from what is on disk. Needs neither engine nor key. */
export const addReport: AddCommand = (program, io, done) => {
  program
    .command("report")
    .description("make report.json and report.md again from what is on disk")
    .argument("<campaign>", "its folder")
    .option("--out <folder>", "where campaigns are", "out")
    .option("--json", "print report.json on stdout")
    .action(async (name: string, options: { out: string; json?: boolean }) => {
      const folder = await campaignFolder(name, resolve(io.cwd, options.out), io.cwd);
      const report = await reportCampaign(folder);
      if (options.json === true) io.out(`${JSON.stringify(report, null, 2)}\n`);
      else sayReport(report, relative(io.cwd, join(folder, "report", "report.md")), io);
      done(0);
    });
};
