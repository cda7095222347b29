import type {
  MappedSection,
  NoSections,
  SectionEffect,
  SectionMap,
  SectionNote,
} from "../../artefacts/section-map.ts";
import { ofGraded, pointsInterval, signedPoints } from "../html/figures.ts";
import { foreign } from "../html/foreign.ts";

export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}

/** As it stands beside a section. */
export function noteWords(note: SectionNote): string {
  switch (note) {
    case "carries":
      return "carries";
    case "no_effect_seen":
      return "no effect seen";
    case "hurts":
      return "hurts";
    case "cannot_tell":
      return "cannot tell";
    case "not_tested":
      return "not tested";
  }
}

/** Why a skill has no map, and what gives it one. */
export function missingWords(missing: NoSections, skill: string): string {
  const remedy = `Run: skillproof build ${skill}, and begin a new campaign.`;
  switch (missing) {
    case "not_built":
      return `no section map: build the skill first. Its sections were not known when this was planned. ${remedy}`;
    case "other_text":
      return `no section map: the chunks and clusters beside its benchmarks are of another state of the skill. ${remedy}`;
    case "unreadable":
      return `no section map: the chunks and clusters beside its benchmarks are not of this version. ${remedy}`;
    case "changed":
      return "no section map: the sections kept in this campaign's folder are gone or are not those that the plan froze.";
  }
}

/** A difference with its interval, and both arms' passes of their graded trials. */
export function effectWords({ difference, interval, with: more, without: less }: SectionEffect): string {
  const rates = `${ofGraded(more)} against ${ofGraded(less)}`;
  if (difference === null) return `unavailable (${rates})`;
  return `${signedPoints(difference)} points (${pointsInterval(interval)}; ${rates})`;
}

/** Tokens and their share of the skill's. */
export function tokenWords(tokens: number, whole: number): string {
  if (whole === 0) return `${tokens} tokens`;
  return `${tokens} of ${whole} tokens (${((tokens / whole) * 100).toFixed(1)} %)`;
}

/** The benchmarks of a section, and how many sections they are about. */
export function benchmarkWords({ benchmarks, clusterSections }: MappedSection): string {
  if (benchmarks.length === 0) return "none";
  const names = benchmarks.map((id) => foreign(id)).join(", ");
  return clusterSections > 1 ? `${names} (made from ${clusterSections} sections)` : names;
}

/** What an ablation of the section showed: on its own benchmarks where it has any, and on all. */
export function ablationWords({ ablation }: MappedSection): string {
  if (ablation === null) return "not done";
  const { sections, own, all } = ablation;
  const more = sections > 1 ? `, left out with ${counted(sections - 1, "other section")}` : "";
  if (own === null) return `on all benchmarks ${effectWords(all)}${more}`;
  return `on its own benchmarks ${effectWords(own)}, on all ${effectWords(all)}${more}`;
}

/** The note with what it rests on. */
export function verdictWords(section: MappedSection): string {
  const words = noteWords(section.note);
  if (section.basis === null)
    return section.benchmarks.length === 0 ? words : `${words}: no trial graded yet`;
  return `${words} (by ${section.basis === "ablation" ? "ablation" : "its benchmarks"})`;
}

/** Sections by what is said of them, each kind that occurs in one sentence; those that change nothing are always named. */
export function summaryWords(map: SectionMap): readonly string[] {
  const named = (note: SectionNote, more: (section: MappedSection) => boolean = () => true): string[] =>
    map.sections.filter((section) => section.note === note && more(section)).map(({ name }) => foreign(name));
  const untouched = named("not_tested", ({ benchmarks }) => benchmarks.length === 0);
  const waiting = named("not_tested", ({ benchmarks }) => benchmarks.length > 0);
  const nothing = named("no_effect_seen");
  const unclear = named("cannot_tell");
  const of = `of ${counted(map.sections.length, "section")}`;
  const margin = `the interval lies within ±${Number((map.delta * 100).toFixed(1))} points`;
  const line = (words: string, names: readonly string[]): readonly string[] =>
    names.length === 0 ? [] : [`${words}, ${names.length} ${of}: ${listed(names)}.`];
  return [
    ...line("Carry the effect", named("carries")),
    ...line("Hurt", named("hurts")),
    ...(nothing.length === 0
      ? [`Change nothing (${margin}): none ${of} is shown to.`]
      : [`Change nothing (${margin}), ${nothing.length} ${of}: ${nothing.join("; ")}.`]),
    ...(unclear.length === 0 ? [] : [`Cannot tell: ${unclear.length} ${of}.`]),
    ...line("Tested, but no trial in both arms is graded yet", waiting),
    ...line("No benchmark touches", untouched),
    ...tieWords(map),
  ];
}

/** All of them are in the tables and notes below. */
const mostNames = 30;

function listed(names: readonly string[]): string {
  const rest = names.length - mostNames;
  return `${names.slice(0, mostNames).join("; ")}${rest > 0 ? `; and ${rest} more` : ""}`;
}

function tieWords({ unknown, byName }: SectionMap): readonly string[] {
  const list = (ids: readonly string[]): string => ids.map((id) => foreign(id)).join(", ");
  return [
    ...(unknown.length === 0
      ? []
      : [
          `Of ${counted(unknown.length, "benchmark")} the sections are unknown, they came from no cluster: ${list(unknown)}.`,
        ]),
    ...(byName.length === 0
      ? []
      : [
          `Tied to a cluster by its name alone, since they were made by hand or from an earlier text: ${list(byName)}.`,
        ]),
  ];
}
