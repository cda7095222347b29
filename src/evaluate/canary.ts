import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Benchmark } from "../artefacts/benchmark.ts";
import {
  type Canary,
  canaryFormat,
  type Probe,
  type ProbeName,
  searchedSchema,
} from "../artefacts/canary.ts";
import { type FileTree, hashTree } from "../artefacts/tree.ts";
import type { Arm } from "../artefacts/trial.ts";
import { InfrastructureError, unreachable } from "../errors.ts";
import type { Sandbox } from "../sandbox/port.ts";
import { canaryScript } from "./canary-script.ts";
import { type Needle, plantMarkers, type Planted } from "./markers.ts";
import { openTrial, type OpenedTrial, type Treatment } from "./open-trial.ts";

const limitMs = 120_000;
const maxOutputBytes = 512 * 1024;

export type CanaryRequest = {
  readonly campaign: string;
  readonly skill: string;
  readonly arm: Arm;
  readonly benchmark: Benchmark;
  readonly treatment: NonNullable<Treatment>;
  /** What the arm's agent gets of a treatment, decided by whoever decides it for trials. */
  readonly deliver: (treatment: NonNullable<Treatment>) => Treatment;
};

export type CanaryTools = {
  readonly sandbox: Sandbox;
  /** Its engine's address, where there are several. */
  readonly endpoint?: string;
  readonly pack: (tree: FileTree) => AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
  /** A new random text of letters and digits at each call. */
  readonly newMarker?: () => string;
};

/**
 * Opens a container as the trials of an arm open theirs, with markers planted in copies of the skill and the bundle,
 * and looks from inside for a network and for what the agent must not see. A failed probe is in the answer. Throws
 * `SandboxError` for a lost container and `InfrastructureError` when the probes could not be carried out.
 */
export async function probeArm(request: CanaryRequest, tools: CanaryTools): Promise<Canary> {
  const { skill, arm, benchmark, treatment } = request;
  const { image } = tools.sandbox;
  const born = performance.now();
  const newMarker = tools.newMarker ?? (() => randomBytes(16).toString("hex"));
  const planted = plantMarkers(benchmark, treatment, newMarker);
  const labels = { campaign: request.campaign, trial: `canary ${skill} ${arm}` };
  const delivered = request.deliver(planted.treatment);
  const skilled = hasSkill(arm);
  const opened = await openTrial(planted.benchmark, delivered, { ...tools, labels });
  try {
    const ageSeconds = Math.ceil((performance.now() - born) / 1000);
    const asked = { ageSeconds, wholeImage: image.base === "user" };
    const answer = await ask(opened, planted.needles, asked, tools.signal);
    const probes = [
      ...networkProbes(answer),
      mountProbe(answer, skilled),
      ...searchProbes(answer, planted, skilled),
      promptProbe(opened, planted.needles, skilled),
    ];
    return {
      format: canaryFormat,
      skill,
      arm,
      endpoint: tools.endpoint ?? null,
      benchmark: benchmark.bundle.id,
      bundleHash: benchmark.bundle.hash,
      treeHash: hashTree(treatment.files),
      image: image.id,
      searched: answer.searched,
      probes,
      passed: probes.every(({ passed }) => passed),
    };
  } finally {
    await opened.container.dispose();
  }
}

/** By the arm and not by what was delivered: a wrong delivery must be found. */
function hasSkill(arm: Arm): boolean {
  switch (arm) {
    case "with_skill":
      return true;
    case "without_skill":
      return false;
    default:
      return unreachable(arm);
  }
}

const answerSchema = z.object({
  found: z.record(z.string(), z.array(z.string())),
  searched: searchedSchema,
  interfaces: z.array(z.string()),
  routes: z.array(z.string()),
  resolved: z.string(),
  connections: z.array(z.tuple([z.string(), z.string()])),
  mounts: z.array(z.string()),
  there: z.array(z.string()),
});

/** Places by needle, in the order of the needles. */
type CanaryAnswer = Omit<z.infer<typeof answerSchema>, "found"> & { readonly places: readonly string[][] };

async function ask(
  { container }: OpenedTrial,
  needles: readonly Needle[],
  asked: { readonly ageSeconds: number; readonly wholeImage: boolean },
  signal: AbortSignal | undefined,
): Promise<CanaryAnswer> {
  const hexed = needles.map(({ bytes }, n) => ({ name: String(n), hex: Buffer.from(bytes).toString("hex") }));
  const env = { CANARY: JSON.stringify({ ...asked, needles: hexed }), CANARY_SCRIPT: canaryScript };
  const command = 'exec python3 -I -c "$CANARY_SCRIPT"';
  const outcome = await container.run({ command, timeoutMs: limitMs, maxOutputBytes, env }, signal);
  const text = Buffer.concat([outcome.stdout.head, outcome.stdout.tail]).toString("utf8");
  if (outcome.exitCode !== 0 || outcome.stdout.totalBytes > maxOutputBytes) {
    const ended = outcome.timedOut
      ? "it took too long"
      : `exit code ${outcome.exitCode ?? outcome.signal ?? ""}`;
    const words = Buffer.concat([outcome.stderr.head, outcome.stderr.tail]).toString("utf8").slice(-1000);
    throw new InfrastructureError(`the isolation probes could not be carried out (${ended}): ${words}`);
  }
  const { found, ...answer } = answerSchema.parse(JSON.parse(text));
  return { ...answer, places: needles.map((_, n) => found[String(n)] ?? []) };
}

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

function networkProbes(answer: CanaryAnswer): Probe[] {
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

function mountProbe({ there, mounts }: CanaryAnswer, skilled: boolean): Probe {
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

function searchProbes(answer: CanaryAnswer, planted: Planted, skilled: boolean): Probe[] {
  const placesOf = (of: Needle["of"]): string[] => [
    ...new Set(planted.needles.flatMap((needle, n) => (needle.of === of ? (answer.places[n] ?? []) : []))),
  ];
  const inProcess = (place: string): boolean => place.startsWith("/proc/");
  const skill = placesOf("skill");
  const marked = (path: string): string[] => [path, `the name of ${path}`];
  const delivered = [`/skill/${planted.skillMarkdown}`, ...marked(`/skill/${planted.skillFile}`)];
  const files = "contents, names and link targets of all files";
  const processes = "command line, environment and mounts of all processes";
  const absent = (of: "reference" | "grader"): Probe => {
    const known = planted.needles.filter((needle) => needle.of === of).length;
    const asked = `a marker and ${known - 1} piece(s) of the ${of} in ${files}, in ${processes}`;
    return probe(of, asked, "none", list(placesOf(of)));
  };
  return [
    probe(
      "skill_in_files",
      `the skill's marker in ${files}`,
      list(skilled ? delivered : []),
      list(skill.filter((place) => !inProcess(place))),
    ),
    probe(
      "skill_in_processes",
      `the skill's marker in ${processes}`,
      "none",
      list(skill.filter((place) => inProcess(place))),
    ),
    absent("reference"),
    absent("grader"),
    probe(
      "fixtures",
      "the fixtures' marker, which must be found",
      list(marked(`/workspace/${planted.fixture}`)),
      list(placesOf("fixtures")),
    ),
  ];
}

function promptProbe({ system, task }: OpenedTrial, needles: readonly Needle[], skilled: boolean): Probe {
  const prompt = Buffer.from(`${system}\n${task}`);
  const found = needles.filter(({ bytes }) => prompt.includes(Buffer.from(bytes))).map(({ of }) => of);
  const asked = "the markers and pieces of skill, reference and grader in system prompt and task";
  return probe("skill_in_prompt", asked, skilled ? "skill" : "none", list([...new Set(found)]));
}
