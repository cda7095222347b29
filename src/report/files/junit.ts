import xmlbuilder from "xmlbuilder2";
import { groupBy } from "../group-by.ts";
import { outcomeOf, type TrialOnDisk, trialName } from "../outcome.ts";
import { notCalled } from "./not-called.ts";
import { oneLine } from "./one-line.ts";

/** `error` is what infrastructure or the panel left without a verdict; `skipped` was not run at all. */
type Told = {
  readonly entry: TrialOnDisk;
  readonly kind: "passed" | "failure" | "error" | "skipped";
  readonly message: string;
};
type Counts = { tests: number; failures: number; errors: number; skipped: number };

const closing = "</testsuites>";

/**
 * junit.xml in pieces: a suite per benchmark × model, a case per planned trial; those that are not `counted` are
 * skipped. A trial that failed is a failure of its arm, not of the campaign: without the skill that may be what is hoped
 * for.
 */
export function* junitPieces(
  campaign: string,
  entries: readonly TrialOnDisk[],
  counted: ReadonlySet<TrialOnDisk> = new Set(entries),
): Generator<string> {
  const tell = (entry: TrialOnDisk): Told => (counted.has(entry) ? tellOf(entry) : left(entry));
  const suites = groupBy(entries, ({ planned }) =>
    JSON.stringify([planned.skill, planned.benchmark, planned.model]),
  );
  // What is told of a hundred thousand trials is told twice rather than held.
  const counts = suites
    .map((suite) => countsOf(suite.map(tell)))
    .reduce(added, { tests: 0, failures: 0, errors: 0, skipped: 0 });
  const opening = xmlbuilder
    .create({ version: "1.0", encoding: "UTF-8" })
    .ele("testsuites", { name: written(campaign), ...counts })
    .end({ allowEmptyTags: true, prettyPrint: true });
  yield `${opening.slice(0, -closing.length)}\n`;
  // One tree a suite: a tree of a hundred thousand trials would take half a gigabyte.
  for (const suite of suites) yield `${suiteOf(suite.map(tell))}\n`;
  yield `${closing}\n`;
}

function left(entry: TrialOnDisk): Told {
  return { entry, kind: "skipped", message: notCalled };
}

function tellOf(entry: TrialOnDisk): Told {
  const outcome = outcomeOf(entry);
  if (outcome.kind === "ungraded") {
    const notRun = entry.trial === null && entry.voids === 0 && (entry.torn ?? null) === null;
    const { cause, reason } = outcome;
    // Some reasons begin with their cause, which report.md does not name.
    const message = written(reason.startsWith(`${cause}: `) ? reason : `${cause}: ${reason}`);
    return { entry, kind: notRun ? "skipped" : "error", message };
  }
  if (outcome.passed) return { entry, kind: "passed", message: "" };
  const where = `verdict.json of ${trialName(entry.planned)} says which assertions`;
  return { entry, kind: "failure", message: written(entry.verdict?.reason ?? where) };
}

function suiteOf(told: readonly Told[]): string {
  const [first] = told;
  if (first === undefined) return "";
  const { skill, benchmark, model } = first.entry.planned;
  const suite = xmlbuilder.create().ele("testsuite", {
    name: written(`${skill}/${benchmark} ${model}`),
    ...countsOf(told),
  });
  for (const { entry, kind, message } of told) {
    const { arm, n } = entry.planned;
    const testcase = suite.ele("testcase", {
      classname: written(`${skill}.${benchmark}`),
      name: written(`${model} ${arm} ${n}`),
    });
    if (kind === "skipped") testcase.ele("skipped", { message });
    else if (kind !== "passed") testcase.ele(kind, { message, type: typeOf(entry, kind) }).txt(message);
  }
  return suite.end({ headless: true, prettyPrint: true });
}

/** The library leaves `&name;` as it stands, and a name that nobody declared is no XML. */
function written(text: string): string {
  return oneLine(text).replaceAll("&", "&amp;");
}

function typeOf(entry: TrialOnDisk, kind: "failure" | "error"): string {
  if (kind === "error") return "ungraded";
  return entry.verdict?.reason?.startsWith("grader_error") === true ? "grader_error" : "failed";
}

function countsOf(told: readonly Told[]): Counts {
  const counts = { tests: told.length, failures: 0, errors: 0, skipped: 0 };
  for (const { kind } of told) {
    if (kind === "failure") counts.failures += 1;
    if (kind === "error") counts.errors += 1;
    if (kind === "skipped") counts.skipped += 1;
  }
  return counts;
}

function added(a: Counts, b: Counts): Counts {
  return {
    tests: a.tests + b.tests,
    failures: a.failures + b.failures,
    errors: a.errors + b.errors,
    skipped: a.skipped + b.skipped,
  };
}
