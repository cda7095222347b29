import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Canary } from "./artefacts/canary.ts";
import { claimSchema } from "./artefacts/honesty.ts";
import type { Bundle } from "./artefacts/bundle.ts";
import type { Plan } from "./artefacts/plan.ts";
import { type PlannedTrial, type Trial, trialName } from "./artefacts/trial.ts";
import { hashJson } from "./hash.ts";
import { style } from "./report/html/style.ts";
import { cutText } from "./report/trial-page/cut-text.ts";
import { neighbourFinder } from "./report/trial-page/neighbours.ts";
import type { TrialView, WorkspaceView } from "./report/trial-page/trial-view.ts";
import { readTurns, type Turns } from "./report/trial-page/turns.ts";
import { workspaceChanges } from "./report/trial-page/workspace-changes.ts";
import { SandboxError } from "./sandbox/port.ts";
import { tarMembers } from "./sandbox/tar-members.ts";
import { hashFiles } from "./store/file-hash.ts";
import type { FoundTrial } from "./store/find-trial.ts";
import { readTranscript } from "./store/read-transcript.ts";
import { readRecord } from "./store/record.ts";
import { openSnapshot } from "./store/spool.ts";
import { fileInside, readHead, trialFilesThere, trialFolder } from "./store/trial-files.ts";

/** The bundle that a plan names by its hash; null when it is not to be had any more. */
export type FindBundle = (planned: PlannedTrial, bundleHash: string) => Promise<Bundle | null>;

/** No benchmark is to be had. */
export const nowhere: FindBundle = () => Promise.resolve(null);

/** Reads trials of one campaign for people, each when it is asked for. */
export type TrialReader = {
  /** Hash of all that a page shows, without reading snapshots: of them trial.json has the hash. */
  readonly fingerprint: (found: FoundTrial) => Promise<string>;
  readonly read: (found: FoundTrial) => Promise<TrialView>;
};

/** To be raised when the markup of a page of the same trial changes; how it looks is told by its style itself. */
const pageFormat = hashJson(["skillproof/trial-page@2", style]);
/** A grader's log has four streams that are cut before it is written (grade/grader-log.ts). */
const mostLogBytes = 1024 * 1024;

/** `plan` and `canaries` as they are now; a campaign under way has more canaries later. */
export function trialReader(
  folder: string,
  { plan, canaries }: { readonly plan: Plan; readonly canaries: readonly Canary[] },
  findBundle: FindBundle,
): TrialReader {
  const neighboursOf = neighbourFinder(plan.trials);
  const bundleOf = (planned: PlannedTrial): Promise<Bundle | null> =>
    findBundle(planned, bundleHashOf(plan, planned));
  const common = (found: FoundTrial) => {
    const { planned, trial, verdict, voids, torn } = found;
    const sent = canaries.filter(({ skill, arm }) => skill === planned.skill && arm === planned.arm);
    return {
      ...{ campaign: plan.campaign, planned, title: titleOf(plan, planned), trial, verdict, voids },
      torn: torn?.reason ?? null,
      canaries: { passed: sent.filter(({ passed }) => passed).length, sent: sent.length },
      neighbours: neighboursOf(planned),
    };
  };
  return {
    fingerprint: async (found) => {
      const { planned } = found;
      const files = await hashFiles(trialFolder(folder, planned), [
        "transcript.jsonl",
        "grader.log",
        "claim.json",
      ]);
      const bundle = await bundleOf(planned);
      const there = await trialFilesThere(folder, planned);
      return hashJson([pageFormat, common(found), files, there, bundle?.hash ?? null]);
    },
    read: async (found) => {
      const { planned, trial } = found;
      const bundle = await bundleOf(planned);
      const transcript = await turnsOf(folder, planned);
      return {
        ...common(found),
        task: taskIn(transcript) ?? (bundle === null ? null : cutText(bundle.task)),
        transcript,
        workspace: await workspaceOf(folder, planned, trial, bundle),
        graderLog: await graderLogOf(folder, planned),
        claim: await claimOf(folder, planned),
        files: await trialFilesThere(folder, planned),
      };
    },
  };
}

function bundleHashOf(plan: Plan, { skill, benchmark }: PlannedTrial): string {
  const planned = plan.inputs.skills.find(({ id }) => id === skill);
  return planned?.benchmarks.find(({ id }) => id === benchmark)?.bundleHash ?? "";
}

function titleOf(plan: Plan, { skill, benchmark }: PlannedTrial): string {
  const found = plan.benchmarks.find((one) => one.skill === skill && one.benchmark === benchmark);
  return found?.title ?? benchmark;
}

async function turnsOf(folder: string, planned: PlannedTrial): Promise<Turns> {
  const path = await trialFile(folder, planned, "transcript.jsonl");
  return path === null ? { turns: [], linesLeftOut: 0 } : readTurns(readTranscript(path));
}

/** The first thing a user says is the task, as the agent got it. */
function taskIn({ turns }: Turns): TrialView["task"] {
  for (const turn of turns) if (turn.kind === "user") return turn.text;
  return null;
}

async function graderLogOf(folder: string, planned: PlannedTrial): Promise<TrialView["graderLog"]> {
  const path = await trialFile(folder, planned, "grader.log");
  const log = path === null ? null : await readHead(path, mostLogBytes);
  if (log === null) return null;
  return { ...cutText(log.text), wholeBytes: log.bytes };
}

async function claimOf(folder: string, planned: PlannedTrial): Promise<TrialView["claim"]> {
  const path = await trialFile(folder, planned, "claim.json");
  const read = path === null ? null : await readRecord(path, claimSchema);
  return read?.kind === "there" ? read.value : null;
}

async function workspaceOf(
  folder: string,
  planned: PlannedTrial,
  trial: Trial | null,
  bundle: Bundle | null,
): Promise<WorkspaceView> {
  const nothing = { changes: null, isRecorded: null };
  if (trial === null) return { ...nothing, words: "There is no workspace yet." };
  if (trial.outcome.kind === "blocked")
    return { ...nothing, words: "There is no workspace: the request was blocked." };
  const path = await trialFile(folder, planned, "workspace.tar.gz");
  if (path === null)
    return { ...nothing, words: "workspace.tar.gz is missing, or is no plain file of this campaign." };
  const { snapshot } = trial.outcome;
  const said = [
    ...(bundle === null
      ? [
          "What changed cannot be shown: the benchmark that the plan names is not to be had here, or its files have changed. All files of the workspace are listed.",
        ]
      : []),
    ...(snapshot.leftOut === undefined ? [] : [`A limit kept out of the snapshot: ${snapshot.leftOut}.`]),
  ];
  const hash = createHash("sha256");
  try {
    const members = tarMembers(metered(openSnapshot(path), (piece) => hash.update(piece)));
    const changes = await workspaceChanges(bundle?.fixtures ?? null, members);
    const isRecorded = hash.digest("hex") === snapshot.sha256;
    return { words: said.length === 0 ? null : said.join(" "), changes, isRecorded };
  } catch (error) {
    const words = damageOf(error);
    if (words === null) throw error;
    return { ...nothing, words: `workspace.tar.gz cannot be read (${words}).` };
  }
}

async function* metered(
  tar: AsyncIterable<Uint8Array>,
  each: (piece: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of tar) {
    each(piece);
    yield piece;
  }
}

/** Null for what is no damage of the archive. */
function damageOf(error: unknown): string | null {
  if (error instanceof SandboxError) return error.message;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code.startsWith("Z_") || code === "ENOENT" ? code : null;
}

/** Null where there is none, or where it is a link to somewhere else. */
function trialFile(folder: string, planned: PlannedTrial, name: string): Promise<string | null> {
  return fileInside(folder, "trials", trialName(planned), name);
}

/** A finder that looks for a benchmark in several folders of benchmarks and takes the one whose hash fits. */
export function bundleFinder(
  placesOf: (skill: string) => readonly string[],
  read: (folder: string) => Promise<Bundle | null>,
): FindBundle {
  const known = new Map<string, Promise<Bundle | null>>();
  const look = async ({ skill, benchmark }: PlannedTrial, hash: string): Promise<Bundle | null> => {
    for (const place of placesOf(skill)) {
      const bundle = await read(join(place, benchmark));
      if (bundle?.hash === hash) return bundle;
    }
    return null;
  };
  return (planned, hash) => {
    const name = `${planned.skill}/${planned.benchmark}/${hash}`;
    const found = known.get(name) ?? look(planned, hash);
    known.delete(name);
    known.set(name, found);
    const [oldest] = known.keys();
    if (known.size > mostBundles && oldest !== undefined) known.delete(oldest);
    return found;
  };
}

/** Held at once: bundles may have fixtures of some MB. */
const mostBundles = 8;
