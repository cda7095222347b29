import { z } from "zod";
import { type Probe, type ProbeName, searchedSchema } from "../artefacts/canary.ts";
import type { Needle, Planted } from "./markers.ts";
import type { OpenedTrial } from "./open-trial.ts";

/** What the script prints. */
export const answerSchema = z.object({
  found: z.record(z.string(), z.array(z.string())),
  searched: searchedSchema,
  interfaces: z.array(z.string()),
  routes: z.array(z.string()),
  resolved: z.string(),
  connections: z.array(z.tuple([z.string(), z.string()])),
  mounts: z.array(z.string()),
  there: z.array(z.string()),
});

/** Places by needle. */
export type CanaryAnswer = Omit<z.infer<typeof answerSchema>, "found"> & {
  readonly places: ReadonlyMap<Needle, readonly string[]>;
};

function probe(
  name: ProbeName,
  asked: string,
  expected: string,
  answered: string,
  passed = expected === answered,
): Probe {
  return { probe: name, asked, expected, answered, passed };
}

function list(words: readonly string[]): string {
  return words.length === 0 ? "none" : [...words].sort().join(", ");
}

export function networkProbes(answer: CanaryAnswer): Probe[] {
  const { interfaces, routes, resolved, connections } = answer;
  return [
    probe("interfaces", "network interfaces in /proc/net/dev and /sys/class/net", "lo", list(interfaces)),
    probe(
      "routes",
      "routes in /proc/net/route and, but for lo, in /proc/net/ipv6_route",
      "none",
      list(routes),
    ),
    probe("name_resolution", "example.com", "refused", resolved, resolved.startsWith("refused")),
    probe(
      "outside_connections",
      "two UDP sockets and a TCP socket connected to addresses outside",
      list(connections.map(([address]) => `${address} ENETUNREACH`)),
      list(connections.map(([address, result]) => `${address} ${result}`)),
    ),
  ];
}

export function mountProbe({ there, mounts }: CanaryAnswer, skilled: boolean): Probe {
  const expected = skilled ? "/skill" : "none";
  const ours = mounts.filter((path) => !/^\/(proc|sys|dev)\//.test(path));
  const answered = `${list(there)}; mounted: ${list(ours)}`;
  return probe(
    "mounts",
    "whether /skill and /grader are there, and what is mounted",
    expected,
    answered,
    list(there) === expected,
  );
}

const inFiles = "contents, names and link targets of all files";
const inProcesses = "command line, environment and mounts of all processes";

/** A file whose contents and name hold a marker, as it is found. */
export function marked(path: string): readonly string[] {
  return [path, `the name of ${path}`];
}

function isProcess(place: string): boolean {
  return place.startsWith("/proc/");
}

/** Each marker by itself: one skill in the place of another must be found. */
export function skillProbes(
  { places }: CanaryAnswer,
  expected: ReadonlyMap<Needle, readonly string[]>,
): readonly Probe[] {
  const skills = [...places].filter(([{ of }]) => of === "skill" || of === "description");
  const found = skills.map(([needle, all]) => ({
    needle,
    files: all.filter((place) => !isProcess(place)),
    wanted: expected.get(needle) ?? [],
  }));
  const words = found.flatMap(({ needle, files, wanted }) =>
    files.map((place) => (wanted.includes(place) ? place : `${place} (${nameOf(needle)})`)),
  );
  const running = skills.flatMap(([, all]) => all.filter(isProcess));
  const asked = `the markers of ${skills.length / 2} skill(s)`;
  return [
    probe(
      "skill_in_files",
      `${asked} in ${inFiles}`,
      list([...expected.values()].flat()),
      list(words),
      found.every(({ files, wanted }) => list(files) === list(wanted)),
    ),
    probe("skill_in_processes", `${asked} in ${inProcesses}`, "none", list([...new Set(running)])),
  ];
}

export function bundleProbes({ places }: CanaryAnswer, planted: Planted): readonly Probe[] {
  const foundOf = (of: Needle["of"]): string[] => [
    ...new Set([...places].flatMap(([needle, found]) => (needle.of === of ? found : []))),
  ];
  const absent = (of: "reference" | "grader"): Probe => {
    const known = planted.needles.filter((needle) => needle.of === of).length;
    const asked = `a marker and ${known - 1} piece(s) of the ${of} in ${inFiles}, in ${inProcesses}`;
    return probe(of, asked, "none", list(foundOf(of)));
  };
  const asked = "the fixtures' marker, which must be found";
  return [
    absent("reference"),
    absent("grader"),
    probe("fixtures", asked, list(marked(`/workspace/${planted.fixture}`)), list(foundOf("fixtures"))),
  ];
}

export function promptProbe(
  { system, task }: OpenedTrial,
  needles: readonly Needle[],
  expected: readonly Needle[],
): Probe {
  const prompt = Buffer.from(`${system}\n${task}`);
  const found = needles.filter(({ bytes }) => prompt.includes(Buffer.from(bytes)));
  const names = (of: readonly Needle[]): string => list([...new Set(of.map(nameOf))]);
  const asked = "the markers and pieces of skills, reference and grader in system prompt and task";
  const passed = needles.every((needle) => found.includes(needle) === expected.includes(needle));
  return probe("skill_in_prompt", asked, names(expected), names(found), passed);
}

function nameOf({ of, from }: Needle): string {
  switch (of) {
    case "skill":
      return `SKILL.md of ${from}`;
    case "description":
      return `description of ${from}`;
    case "fixtures":
    case "reference":
    case "grader":
      return of;
  }
}
