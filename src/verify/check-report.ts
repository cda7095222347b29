import type { FileText } from "../artefacts/file-text.ts";
import { reportSchema } from "../artefacts/report.ts";
import { timingsSchema } from "../artefacts/timings.ts";
import { messageOf } from "../errors.ts";
import { type Chain, oneLine } from "./chain.ts";
import { Figures } from "./figures.ts";
import { type CampaignFound, type PagesFound, valueOf } from "./found.ts";
import { recount } from "./recount.ts";
import { recountMoney } from "./recount-money.ts";
import { recountSections } from "./recount-sections.ts";
import { countSeconds } from "./recount-usage.ts";
import { earlierLine } from "./report-line.ts";
import { frozenSections } from "./check-sections.ts";
import { figuresIn, figuresOfTimings } from "./reported-figures.ts";
import type { Difference } from "../artefacts/verification.ts";
import { type Look, short } from "./look.ts";

const reportName = "report.json";
const timingsName = "timings.json";
const none: Look = {
  differences: [],
  words: "nothing: there is no report yet (skillproof report makes one)",
  partial: true,
};

/** The report was made from all of this evidence. */
export function checkReportHead(found: CampaignFound, chain: Chain): Look {
  if (isAbsent(found)) return none;
  const words = `${timingsName}: evidenceHead against the last line of evidence.jsonl`;
  const read = readArtefact(found, timingsName, timingsSchema);
  if ("fault" in read) return { differences: [read.fault], words };
  const came = read.value.evidenceHead;
  if (came === chain.head) return { differences: [], words };
  const line = earlierLine(found, chain);
  const why =
    line === null
      ? ""
      : `: the report is of line ${line} of ${found.lines.length}: make it again with skillproof report`;
  const place = `report/${timingsName}: evidenceHead`;
  const expected = `${short(chain.head)}, the hash of the last of ${found.lines.length} line(s)`;
  return { differences: [{ place, expected, came: `${short(came)}${why}` }], words };
}

/** Every figure of the report, counted again from the records by other code. */
export function checkNumbers(found: CampaignFound): Look {
  if (isAbsent(found)) return none;
  const { ofReport, ofTimings } = recountOf(found);
  const words =
    `${ofReport.size} figures of ${reportName} and ${ofTimings.size} of ${timingsName} against a second count of ` +
    "trials, verdicts and ledger";
  const report = readArtefact(found, reportName, reportSchema);
  const timings = readArtefact(found, timingsName, timingsSchema);
  if ("fault" in report) return { differences: [report.fault], words };
  if ("fault" in timings) return { differences: [timings.fault], words };
  const { handling } = report.value.leaks;
  const leaky: readonly Difference[] =
    handling === found.plan.leaky
      ? []
      : [
          {
            place: `report/${reportName}: leaks.handling`,
            expected: `${found.plan.leaky}, as the plan froze it`,
            came: `${handling}: make the report without --leaky`,
          },
        ];
  return {
    differences: [
      ...leaky,
      ...ofReport.differencesIn(figuresIn(report.value), `report/${reportName}`),
      ...ofTimings.differencesIn(figuresOfTimings(timings.value), `report/${timingsName}`),
    ],
    words,
  };
}

/** The report's files are, byte for byte, what the report's maker makes of the records. */
export function checkBytes({ report, rebuilt }: CampaignFound): Look {
  if (Object.values(report).every((text) => text === null)) return none;
  const compared = rebuilt.kind === "made" ? rebuilt.compared : [];
  const names =
    rebuilt.kind === "made"
      ? [...Object.keys(rebuilt.files), ...compared.map(({ name }) => name)]
      : [reportName];
  const pages = rebuilt.kind === "made" ? rebuilt.pages : null;
  const words = `${names.join(", ")}${pageWords(pages)}`;
  if (rebuilt.kind === "impossible") {
    const expected = "records that a report can be made of";
    return { differences: [{ place: `report/${reportName}`, expected, came: rebuilt.words }], words };
  }
  return {
    differences: [
      ...Object.entries(rebuilt.files).flatMap(([name, text]) =>
        unlikeFile(name, () => [text], report[name] ?? null),
      ),
      ...compared.flatMap(({ differences }) => differences),
      ...(pages?.differences ?? []),
      ...rebuilt.foreign,
    ],
    words,
    partial: pages !== null && pages.left.withoutFixtures + pages.left.underWay > 0,
  };
}

/** How many pages were held against their like, and which were not and why. */
function pageWords(pages: PagesFound | null): string {
  const words = "against the same made anew in memory";
  if (pages === null) return ` ${words}`;
  const { withoutFixtures, underWay } = pages.left;
  const all = pages.compared + withoutFixtures + underWay;
  const left = [
    ...(withoutFixtures === 0
      ? []
      : [`${withoutFixtures} of ${all}, since the benchmark that the plan names is not at hand`]),
    ...(underWay === 0 ? [] : [`${underWay} of ${all}, since the trial is under way`]),
  ];
  const rest = left.length === 0 ? "" : `; pages not compared: ${left.join("; ")}`;
  return ` and ${pages.compared} of ${all} page(s) of trials ${words}${rest}`;
}

function isAbsent({ report }: CampaignFound): boolean {
  return (report[reportName] ?? null) === null;
}

function recountOf(found: CampaignFound): { readonly ofReport: Figures; readonly ofTimings: Figures } {
  const counted = found.trials.filter(({ planned }) => found.released.has(planned.key));
  const trials = counted.map(({ planned, trial, verdict, claim, voids }) => ({
    planned,
    trial: valueOf(trial),
    verdict: valueOf(verdict),
    claim: valueOf(claim),
    voids,
  }));
  const ofTimings = new Figures();
  countSeconds(trials, ofTimings);
  recountMoney(valueOf(found.ledger) ?? [], found.plan.trials, ofTimings);
  const ofReport = recount(trials, found.plan);
  recountSections(trials, frozenSections(found), found.plan, ofReport);
  return { ofReport, ofTimings };
}

function readArtefact<T>(
  { report }: CampaignFound,
  name: string,
  schema: { readonly parse: (value: unknown) => T },
): { readonly value: T } | { readonly fault: Difference } {
  try {
    return { value: schema.parse(JSON.parse(report[name] ?? "null")) };
  } catch (error) {
    const came = oneLine(messageOf(error));
    const expected = "one of this version (skillproof report makes it)";
    return { fault: { place: `report/${name}`, expected, came } };
  }
}

/** Holds a file of the report against the same made anew; names the first line that differs. */
export function unlikeFile(name: string, made: FileText, came: string | null): readonly Difference[] {
  const place = `report/${name}`;
  if (came === null) return [{ place, expected: "the file beside the other", came: "nothing" }];
  if (isMadeOf(made(), came)) return [];
  const [expected, found] = [[...made()].join("").split("\n"), came.split("\n")];
  const at = expected.findIndex((line, index) => line !== found[index]);
  const line = at === -1 ? expected.length : at;
  return [
    {
      place: `${place}:${line + 1}`,
      expected: oneLine(expected[line] ?? "the end of the file"),
      came: oneLine(found[line] ?? "the end of the file"),
    },
  ];
}

function isMadeOf(pieces: Iterable<string>, text: string): boolean {
  let at = 0;
  for (const piece of pieces) {
    if (!text.startsWith(piece, at)) return false;
    at += piece.length;
  }
  return at === text.length;
}
