import { type Report, reportSchema } from "../artefacts/report.ts";
import { messageOf } from "../errors.ts";
import { type Chain, oneLine } from "./chain.ts";
import type { Figures } from "./figures.ts";
import { type CampaignFound, valueOf } from "./found.ts";
import { recount } from "./recount.ts";
import { recountMoney } from "./recount-money.ts";
import { figuresIn } from "./reported-figures.ts";
import type { Difference } from "../artefacts/verification.ts";
import { type Look, short } from "./look.ts";

const file = "report/report.json";
const none: Look = {
  differences: [],
  words: "nothing: there is no report yet (skillproof report makes one)",
  partial: true,
};

/** The report was made from all of this evidence. */
export function checkReportHead(found: CampaignFound, { head }: Chain): Look {
  if (found.report.json === null) return none;
  const words = "report.json: evidenceHead against the last line of evidence.jsonl";
  const read = readReport(found.report.json);
  if ("fault" in read) return { differences: [read.fault], words };
  const came = read.report.evidenceHead;
  if (came === head) return { differences: [], words };
  const expected = `${short(head)}, the hash of the last of ${found.lines.length} line(s)`;
  return { differences: [{ place: `${file}: evidenceHead`, expected, came: short(came) }], words };
}

/** Every figure of the report, counted again from the records by other code. */
export function checkNumbers(found: CampaignFound): Look {
  if (found.report.json === null) return none;
  const counted = recountOf(found);
  const words = `${counted.size} figures of report.json against a second count of trials, verdicts and ledger`;
  const read = readReport(found.report.json);
  if ("fault" in read) return { differences: [read.fault], words };
  const { handling } = read.report.leaks;
  const leaky: readonly Difference[] =
    handling === found.plan.leaky
      ? []
      : [
          {
            place: `${file}: leaks.handling`,
            expected: `${found.plan.leaky}, as the plan froze it`,
            came: `${handling}: make the report without --leaky`,
          },
        ];
  return { differences: [...leaky, ...counted.differencesIn(figuresIn(read.report), file)], words };
}

/** The report's files are, byte for byte, what the report's maker makes of the records. */
export function checkBytes({ report, rebuilt }: CampaignFound): Look {
  if (report.json === null && report.markdown === null) return none;
  const words = "report.json and report.md against the same made anew in memory";
  if (rebuilt.kind === "impossible") {
    const expected = "records that a report can be made of";
    return { differences: [{ place: file, expected, came: rebuilt.words }], words };
  }
  return {
    differences: [
      ...unlike(file, rebuilt.json, report.json),
      ...unlike("report/report.md", rebuilt.markdown, report.markdown),
    ],
    words,
  };
}

function recountOf(found: CampaignFound): Figures {
  const trials = found.trials.map(({ planned, trial, verdict, voids }) => ({
    planned,
    trial: valueOf(trial),
    verdict: valueOf(verdict),
    voids,
  }));
  const figures = recount(trials, found.plan);
  recountMoney(valueOf(found.ledger) ?? [], found.plan.trials, figures);
  return figures;
}

function readReport(text: string): { readonly report: Report } | { readonly fault: Difference } {
  try {
    return { report: reportSchema.parse(JSON.parse(text)) };
  } catch (error) {
    const came = oneLine(messageOf(error));
    return {
      fault: { place: file, expected: "a report of this version (skillproof report makes one)", came },
    };
  }
}

/** Names the first line that differs. */
function unlike(place: string, expected: string, came: string | null): readonly Difference[] {
  if (expected === came) return [];
  if (came === null) return [{ place, expected: "the file beside the other", came: "nothing" }];
  const [made, found] = [expected.split("\n"), came.split("\n")];
  const at = made.findIndex((line, index) => line !== found[index]);
  const line = at === -1 ? made.length : at;
  return [
    {
      place: `${place}:${line + 1}`,
      expected: oneLine(made[line] ?? "the end of the file"),
      came: oneLine(found[line] ?? "the end of the file"),
    },
  ];
}
