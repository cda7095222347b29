import type { FileText } from "../artefacts/file-text.ts";
import { oneLine } from "./chain.ts";
import { FiguresAgain } from "./check-figures.ts";
import { compareCells } from "./compare-cells.ts";
import { countedOf } from "./counted.ts";
import { Figures } from "./figures.ts";
import { type CampaignFound, type PagesFound, valueOf } from "./found.ts";
import { type Check, withoutTrials } from "./observer.ts";
import { Recount } from "./recount.ts";
import { MoneyWalk } from "./recount-money.ts";
import { recountSections } from "./recount-sections.ts";
import { seconds, UsageMeans } from "./recount-usage.ts";
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

const nothing = { leaves: 0, differences: [] };

/** The report was made from all of this evidence. */
export function checkReportHead(found: CampaignFound): Look {
  const { chain } = found;
  if (isAbsent(found)) return none;
  const words = `${timingsName}: evidenceHead against the last line of evidence.jsonl`;
  const { timings } = found.report;
  if (timings.kind !== "there") return { differences: [faultOf(timingsName, timings.words)], words };
  const came = timings.value.evidenceHead;
  if (came === chain.head) return { differences: [], words };
  const line = earlierLine(found);
  const why =
    line === null
      ? ""
      : `: the report is of line ${line} of ${chain.lines}: make it again with skillproof report`;
  const place = `report/${timingsName}: evidenceHead`;
  const expected = `${short(chain.head)}, the hash of the last of ${chain.lines} line(s)`;
  return { differences: [{ place, expected, came: `${short(came)}${why}` }], words };
}

/** Every figure of the report, counted again from the records by other code. */
export const checkNumbers: Check = (found) => {
  if (isAbsent(found)) return withoutTrials(() => none)(found);
  const recount = new Recount();
  const taken = new UsageMeans(seconds);
  const further = new FiguresAgain();
  return {
    see: (one) => {
      if (!found.released.has(one.planned.key)) return;
      const counted = countedOf(one);
      recount.see(counted);
      taken.see(counted);
      further.see(counted);
    },
    look: () => compareNumbers(found, { recount, taken, further }),
  };
};

type Again = { readonly recount: Recount; readonly taken: UsageMeans; readonly further: FiguresAgain };

function compareNumbers(found: CampaignFound, { recount, taken, further }: Again): Look {
  const cells = recount.cells.all();
  const ofReport = recount.figures(found.plan);
  recountSections(cells, frozenSections(found), found.plan, ofReport);
  const { report, timings } = found.report;
  const place = `report/${reportName}`;
  const ofCells = compareCells(cells, report.kind === "there" ? report.value.cells : [], place);
  const counted = recount.circumstances.size + ofCells.figures + ofReport.size;
  const ofTimings = new Figures();
  taken.setFigures(ofTimings);
  ofTimings.take(valueOf(found.ledger)?.money ?? new MoneyWalk([], new Map()).figures());
  const wordsOf = (beside: number): string =>
    `${counted + beside} figures of ${reportName} and ${ofTimings.size} of ${timingsName} against a second count of ` +
    "trials, verdicts and ledger";
  if (report.kind !== "there") return { differences: [faultOf(reportName, report.words)], words: wordsOf(0) };
  if (timings.kind !== "there")
    return { differences: [faultOf(timingsName, timings.words)], words: wordsOf(0) };
  const { handling } = report.value.leaks;
  const leaky: readonly Difference[] =
    handling === found.plan.leaky
      ? []
      : [
          {
            place: `${place}: leaks.handling`,
            expected: `${found.plan.leaky}, as the plan froze it`,
            came: `${handling}: make the report without --leaky`,
          },
        ];
  const reported = figuresIn(report.value);
  // Of another handling every further figure may differ, for one reason.
  const beside = leaky.length > 0 ? nothing : further.compare(found, report.value);
  return {
    differences: [
      ...leaky,
      ...recount.circumstances.unlike(reported, place),
      ...ofCells.differences,
      ...ofReport.unlike(reported, place),
      ...ofCells.beyond,
      ...reported.beyond([recount.circumstances, ofReport], place),
      ...ofTimings.differencesIn(figuresOfTimings(timings.value), `report/${timingsName}`),
      ...beside.differences,
    ],
    words: wordsOf(beside.leaves),
  };
}

/** The report's files are, byte for byte, what the report's maker makes of the records. */
export function checkBytes({ report, rebuilt }: CampaignFound): Look {
  if (report.report.kind === "absent" && report.timings.kind === "absent") return none;
  const compared = rebuilt.kind === "made" ? rebuilt.compared : [];
  const names = rebuilt.kind === "made" ? compared.map(({ name }) => name) : [reportName];
  const pages = rebuilt.kind === "made" ? rebuilt.pages : null;
  const words = `${names.join(", ")}${pageWords(pages)}`;
  if (rebuilt.kind === "impossible") {
    const expected = "records that a report can be made of";
    return { differences: [{ place: `report/${reportName}`, expected, came: rebuilt.words }], words };
  }
  return {
    differences: [
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
  return report.report.kind === "absent";
}

function faultOf(name: string, came: string): Difference {
  return { place: `report/${name}`, expected: "one of this version (skillproof report makes it)", came };
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
