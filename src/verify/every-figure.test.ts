import { describe, expect, test } from "vitest";
import { reportSchema } from "../artefacts/report.ts";
import { settingsOf } from "../testing/arm-cells.ts";
import { figuredCampaign, type FiguredOptions, withReport } from "../testing/figured-campaign.ts";
import { verified, walked, type WholeCampaign } from "../testing/found-campaign.ts";
import { checkConclusions } from "./check-conclusions.ts";
import { checkNumbers } from "./check-report.ts";
import type { Check } from "./observer.ts";
import { reportedFiles } from "./reported-files.ts";

type Path = readonly (string | number)[];
/** A figure of a report, and what it is a figure of: its path without numbers of list entries. */
type Leaf = { readonly path: Path; readonly value: number | null };

function leavesIn(value: unknown, path: Path = []): readonly Leaf[] {
  if (typeof value === "number" || value === null) return [{ path, value }];
  if (Array.isArray(value)) return value.flatMap((one, at) => leavesIn(one, [...path, at]));
  if (typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, one]) => leavesIn(one, [...path, name]));
}

function kindOf({ path, value }: Leaf): string {
  const words = path.map((part) => (typeof part === "number" ? "[]" : part)).join(".");
  return value === null ? `${words} (unavailable)` : words;
}

/** Ways to change a figure a little, the first that a report's schema takes is used: shares stay shares, counts counts. */
const changes: readonly ((value: number | null) => unknown)[] = [
  (value) => (value === null ? 0.25 : Number.isInteger(value) ? value + 1 : nudged(value)),
  (value) => (value === null ? 1 : nudged(value)),
  (value) => (value === null ? [0.1, 0.2] : value > 0 ? value - 1 : value + 1),
];

function nudged(value: number): number {
  return value > 0.5 ? value - 0.001 : value + 0.001;
}

type Change = (typeof changes)[number];
type Kind = { readonly name: string; readonly leaves: readonly Leaf[] };
type ChangedKind = Kind & { readonly change: Change };

function changed(report: unknown, kinds: readonly ChangedKind[]): unknown {
  const copy: unknown = structuredClone(report);
  for (const { leaves, change } of kinds) {
    for (const { path, value } of leaves) {
      const parent = path.slice(0, -1).reduce<unknown>((of, part) => Reflect.get(Object(of), part), copy);
      Reflect.set(Object(parent), path.at(-1) ?? "", change(value));
    }
  }
  return copy;
}

/** Each kind with the first change that the schema takes. A null that is no figure takes none: it stands for a part or a word. */
function changesFor(report: unknown, kinds: readonly Kind[]): readonly ChangedKind[] {
  const refused = new Map<string, number>();
  for (;;) {
    const open = kinds.flatMap((kind) => {
      const change = changes[refused.get(kind.name) ?? 0];
      return change === undefined ? [] : [{ ...kind, change }];
    });
    const parsed = reportSchema.safeParse(changed(report, open));
    if (parsed.success) return open;
    const faulty = open.filter(({ leaves }) =>
      parsed.error.issues.some(({ path }) => leaves.some((leaf) => isWithin(path, leaf.path))),
    );
    for (const { name } of faulty) refused.set(name, (refused.get(name) ?? 0) + 1);
  }
}

function isWithin(path: readonly PropertyKey[], of: Path): boolean {
  return of.every((part, at) => path[at] === part);
}

function kindsIn(report: unknown): readonly Kind[] {
  const kinds = new Map<string, Leaf[]>();
  for (const leaf of leavesIn(report)) {
    const leaves = kinds.get(kindOf(leaf)) ?? [];
    kinds.set(kindOf(leaf), leaves);
    leaves.push(leaf);
  }
  return [...kinds].map(([name, leaves]) => ({ name, leaves }));
}

/** The two checks that hold figures, with all trials seen; each look is at another report. */
function lookingAt(whole: WholeCampaign): (report: unknown) => readonly string[] {
  const filesOf = ({ report }: WholeCampaign) =>
    reportedFiles(report["report.json"] ?? null, report["timings.json"] ?? null);
  let files = filesOf(whole);
  const found = Object.defineProperty(walked(whole), "report", { get: () => files });
  const observers = [checkNumbers, checkConclusions].map((check: Check) => check(found));
  for (const one of whole.trials) for (const observer of observers) observer.see(one);
  return (other) => {
    files = filesOf(withReport(whole, other));
    return observers.flatMap((observer) => observer.look().differences.map(({ place }) => place));
  };
}

const bootstrap = { resamples: 30 };
const rich = { settings: settingsOf({ bootstrap, noiseFloor: 0.01 }), models: ["a/x"], trials: 3 } as const;
const withLooks = settingsOf({
  bootstrap,
  looks: { count: 2, boundary: "pocock", trials: 3, settle: { after: 2, mostPairs: 4 } },
});

/** The second brings what the first lacks; what both have is tried once. */
const worlds: readonly (readonly [string, FiguredOptions])[] = [
  ["every kind of figure", rich],
  ["trials missing in whole cells", { ...rich, missing: 0.75, seed: 2 }],
  ["leaky benchmarks left out", { ...rich, leaky: "exclude" }],
  ["looks", { settings: withLooks, models: ["a/x"], trials: 4, missing: 0 }],
];

/** The part of a report that a kind or a place is of. */
function partOf(name: string): string {
  return /^\w+/.exec(name)?.[0] ?? "";
}

/**
 * Kinds of which a look found every change, all of them made at once. A difference is named by the path of its figure,
 * or by the parts that a sum is over (`usage · skill · …`): then all changes of one part of the report are counted
 * together.
 */
function namedBy(places: ReadonlySet<string>, kinds: readonly Kind[]): ReadonlySet<string> {
  const plain = [...places].map((place) => place.replace("report/report.json: ", ""));
  const byPath = countsOf(plain.map((place) => [place.replaceAll(/\[[^[\]]*\]/g, ""), 1]));
  const bySum = countsOf(plain.flatMap((place) => (isSum(place) ? [[partOf(place), 1] as const] : [])));
  const changedAt = countsOf(kinds.map(({ name, leaves }) => [pathOf(name), leaves.length]));
  const isByPath = ({ name }: Kind): boolean =>
    (byPath.get(pathOf(name)) ?? 0) >= (changedAt.get(pathOf(name)) ?? Infinity);
  const rest = kinds.filter((kind) => !isByPath(kind));
  const changedIn = countsOf(rest.map(({ name, leaves }) => [partOf(name), leaves.length]));
  return new Set(
    kinds
      .filter(
        (kind) =>
          isByPath(kind) || (bySum.get(partOf(kind.name)) ?? 0) >= (changedIn.get(partOf(kind.name)) ?? 0),
      )
      .map(({ name }) => name),
  );
}

/** Named by what a sum is over, outside of any brackets. */
function isSum(place: string): boolean {
  return place.replaceAll(/\[[^[\]]*\]/g, "").includes(" · ");
}

function countsOf(counts: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
  return sums;
}

function pathOf(kind: string): string {
  return kind.replace(" (unavailable)", "").replaceAll(".[]", "");
}

/** Of these the second count reads other figures of the same report, so that they are changed one at a time. */
const readFrom = ["honesty", "looks"];

describe("every figure of a report is counted a second time", () => {
  const tried = new Set<string>();

  test.each(worlds)(
    "%s",
    (_name, options) => {
      const whole = figuredCampaign(options);
      const report: unknown = JSON.parse(whole.report["report.json"] ?? "");
      const look = lookingAt(whole);
      expect(look(report)).toEqual([]);
      const kinds = changesFor(report, kindsIn(report));
      const figures = kindsIn(report).filter(({ leaves }) => leaves[0]?.value !== null);
      expect(figures.filter(({ name }) => kinds.every((kind) => kind.name !== name))).toEqual([]);
      const batch = kinds.filter(({ name }) => !readFrom.includes(partOf(name)));
      const named = namedBy(new Set(look(changed(report, batch))), batch);
      // Those that are not told apart so: one kind at a time, in all its places and in the last alone.
      const unseen = kinds.flatMap((kind) => {
        if (named.has(kind.name) || tried.has(kind.name)) return [];
        tried.add(kind.name);
        const alone = { ...kind, leaves: kind.leaves.slice(-1) };
        if (look(changed(report, [kind])).length < kind.leaves.length) return [kind.name];
        return look(changed(report, [alone])).length === 0 ? [`${kind.name}, alone`] : [];
      });
      expect(unseen).toEqual([]);
    },
    120_000,
  );
});

test("found by the whole verification as well, and not by the bytes alone", () => {
  const whole = figuredCampaign(rich);
  const report: unknown = JSON.parse(whole.report["report.json"] ?? "");
  const kinds = changesFor(report, kindsIn(report)).filter(
    ({ name }) => name === "further.rates.[].interval.[]",
  );
  expect(kinds).toHaveLength(1);
  const failed = (of: WholeCampaign): readonly string[] =>
    verified(of).checks.flatMap(({ name, outcome }) => (outcome === "failed" ? name : []));
  expect(failed(withReport(whole, changed(report, kinds)))).toContain("report-numbers");
  expect(failed(whole)).not.toContain("report-numbers");
});
