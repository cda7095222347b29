import { resolve } from "node:path";
import { type AskedSide, compareCampaigns } from "../compare-campaigns.ts";
import { UserError } from "../errors.ts";
import { campaignFolder } from "./campaign-folder.ts";
import { comparisonFindings, comparisonWords, endOn, failOnFrom, failOnHelp } from "./fail-on.ts";
import { type AddCommand, commaList, type Io } from "./io.ts";

type Options = {
  readonly out: string;
  readonly arms?: string;
  readonly control: string;
  readonly failOn?: string;
  readonly json?: boolean;
};

const examples = `
Examples:
  skillproof compare out/base-1a2b out/head-3c4d --fail-on hurts,regression
  skillproof compare out/mine-5e6f --arms version-v1,with_skill    two arms of one campaign`;

/** `skillproof compare A B`: what became better or worse. Needs neither engine nor key, and writes nothing. */
export const addCompare: AddCommand = (program, io, done) => {
  program
    .command("compare")
    .description("hold one campaign, or one arm, against another: difference of uplifts, regressions named")
    .argument("<a>", "the baseline's folder, or its name below --out")
    .argument("[b]", "the other's; the same campaign when it is left out")
    .option("--out <folder>", "where campaigns are", "out")
    .option("--arms <a,b>", "the arm of A and the arm of B, or one for both; with_skill for both when absent")
    .option("--control <arm>", "the arm that uplifts are measured from", "without_skill")
    .option("--fail-on <words>", "end with exit code 1 when one of them holds, see below")
    .option("--json", "print the comparison as JSON instead of Markdown")
    .addHelpText("after", `${failOnHelp(comparisonWords)}\n${examples}`)
    .action(async (a: string, b: string | undefined, options: Options) => {
      const failOn = failOnFrom(options.failOn, comparisonWords);
      const asked = await sidesFrom(a, b, options, io);
      const { comparison, markdown, reportOfB } = await compareCampaigns(asked, options.control);
      io.out(options.json === true ? `${JSON.stringify(comparison, null, 2)}\n` : markdown);
      done(endOn(failOn, { findings: comparisonFindings(comparison, reportOfB), code: 0, io }));
    });
};

async function sidesFrom(
  a: string,
  b: string | undefined,
  options: Options,
  io: Io,
): Promise<{ readonly a: AskedSide; readonly b: AskedSide }> {
  const [armA = "with_skill", armB = armA, ...more] = commaList(options.arms ?? "");
  const isTwo = b !== undefined || armA !== armB;
  if (more.length > 0 || !isTwo) {
    const came = options.arms === undefined ? "no --arms" : `--arms ${options.arms}`;
    throw new UserError(
      `compare: expected two campaigns, or one with two arms (--arms version-v1,with_skill); came ${b === undefined ? "one campaign" : "two campaigns"} and ${came}.`,
    );
  }
  const out = resolve(io.cwd, options.out);
  const folderA = await campaignFolder(a, out, io.cwd);
  const folderB = b === undefined ? folderA : await campaignFolder(b, out, io.cwd);
  return { a: { folder: folderA, arm: armA }, b: { folder: folderB, arm: armB } };
}
