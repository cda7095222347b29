import { resolve } from "node:path";
import { UserError } from "../errors.ts";
import type { CheckOutcome, Verification } from "../artefacts/verification.ts";
import { verifyCampaign } from "../verify-campaign.ts";
import { campaignFolder } from "./campaign-folder.ts";
import type { AddCommand, Io } from "./io.ts";
import { placesFrom } from "./material-places.ts";
import { harmless } from "./progress.ts";

type Options = {
  readonly out: string;
  readonly config?: string;
  readonly head?: string;
  readonly strict?: boolean;
  readonly json?: boolean;
};

/** `skillproof verify CAMPAIGN`: re-hashes everything and counts every number again. Needs neither engine nor key. */
export const addVerify: AddCommand = (program, io, done) => {
  program
    .command("verify")
    .description("hold a campaign's records against its evidence, and count its report's figures again")
    .argument("<campaign>", "its folder")
    .option("--out <folder>", "where campaigns are", "out")
    .option("-c, --config <file>", "the campaign's YAML, which says where skills and benchmarks are")
    .option("--head <hash>", "the head of its evidence as it was published elsewhere")
    .option("--strict", "what cannot be compared fails too")
    .option("--json", "print what was found as JSON on stdout")
    .action(async (name: string, options: Options) => {
      const folder = await campaignFolder(name, resolve(io.cwd, options.out), io.cwd);
      const publishedHead = headFrom(options.head);
      const placesOf = await placesFrom(options.config, io);
      const { passed, ...verification } = await verifyCampaign(folder, { publishedHead, placesOf });
      const left = verification.checks.filter(({ outcome }) => outcome === "not_compared");
      const holds = passed && (options.strict !== true || left.length === 0);
      const said = { passed: holds, ...verification };
      if (options.json === true) io.out(`${JSON.stringify(said, null, 2)}\n`);
      else say(said, options.strict === true, io);
      done(holds ? 0 : 1);
    });
};

function headFrom(text: string | undefined): string | null {
  if (text === undefined) return null;
  const head = text.trim().toLowerCase();
  if (/^[0-9a-f]{64}$/.test(head)) return head;
  throw new UserError(`--head ${text}: expected the 64 hexadecimal digits that verify prints as the head.`);
}

const outcomeWords: Readonly<Record<CheckOutcome, string>> = {
  passed: "passed",
  failed: "FAILED",
  not_compared: "not compared",
};

/** A line for each check, and below it one for each finding; the head last, since it is what to publish. */
function say({ passed, head, findings, checks }: Verification, strict: boolean, io: Io): void {
  for (const { name, outcome, words } of checks) {
    io.out(`${outcomeWords[outcome].padEnd(13)} ${name.padEnd(21)} ${inLine(words)}\n`);
    for (const { place, expected, came } of findings.filter(({ check }) => check === name)) {
      io.out(`    ${inLine(`${place}: expected ${expected}, came ${came}`)}\n`);
    }
  }
  const left = checks.filter(({ outcome }) => outcome === "not_compared").length;
  const of = `of ${checks.length} checks`;
  const rest = `${left} ${of} not or not wholly compared${strict && left > 0 ? ", which --strict refuses" : ""}`;
  io.out(
    passed
      ? `It holds: no finding, ${rest}.\n`
      : `It does not hold: ${findings.length} finding(s), ${rest}.\n`,
  );
  io.out(`head ${head ?? "none"}\n`);
  io.out(
    "Publish the head where this folder's keeper cannot change it: it alone tells of evidence rewritten as a whole.\n",
  );
}

/** Names of files are as foreign as what is in them: none becomes an order to the terminal or a line of its own. */
function inLine(words: string): string {
  return harmless(words).replace(/[\n\t]/g, " ");
}
