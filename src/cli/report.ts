import { join, relative, resolve } from "node:path";
import { Option } from "commander";
import { type LeakyHandling, leakyHandlingSchema } from "../artefacts/plan.ts";
import { reportCampaign } from "../campaign-report.ts";
import { campaignFolder } from "./campaign-folder.ts";
import { campaignFindings, campaignWords, endOn, failOnFrom, failOnHelp } from "./fail-on.ts";
import type { AddCommand } from "./io.ts";
import { bundlesFor } from "./material-places.ts";
import { sayReport } from "./say-report.ts";

type Options = {
  readonly out: string;
  readonly leaky?: LeakyHandling;
  readonly failOn?: string;
  readonly json?: boolean;
};

/** `skillproof report CAMPAIGN`: every number again from what is on disk. Needs neither engine nor key. */
export const addReport: AddCommand = (program, io, done) => {
  program
    .command("report")
    .description("make every page and file of a report again from what is on disk")
    .argument("<campaign>", "its folder")
    .option("--out <folder>", "where campaigns are", "out")
    .addOption(
      new Option(
        "--leaky <how>",
        "count leaky benchmarks or leave them out, instead of what the plan says; nothing is concluded then",
      ).choices(leakyHandlingSchema.options),
    )
    .option("--fail-on <words>", "end with exit code 1 when one of them holds, see below")
    .option("--json", "print report.json on stdout")
    .addHelpText("after", failOnHelp(campaignWords))
    .action(async (name: string, options: Options) => {
      const failOn = failOnFrom(options.failOn, campaignWords);
      const folder = await campaignFolder(name, resolve(io.cwd, options.out), io.cwd);
      const report = await reportCampaign(folder, {
        leaky: options.leaky,
        findBundle: await bundlesFor(folder, io),
      });
      if (options.json === true) io.out(`${JSON.stringify(report, null, 2)}\n`);
      else sayReport(report, relative(io.cwd, join(folder, "report", "index.html")), io);
      done(endOn(failOn, { findings: campaignFindings(report), code: 0, io }));
    });
};
