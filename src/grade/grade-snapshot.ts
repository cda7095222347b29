import type { Bundle } from "../artefacts/bundle.ts";
import type { GraderOutcome, Grading } from "../artefacts/grading.ts";
import type { FileTree } from "../artefacts/tree.ts";
import type { Answer } from "../artefacts/verdict.ts";
import {
  type CommandOutcome,
  type Conditions,
  type Container,
  type ContainerRequest,
  type Sandbox,
  SandboxError,
} from "../sandbox/port.ts";
import type { Artefacts } from "./artefact-parts.ts";
import { askPanel, type Panel } from "./ask-panel.ts";
import { graderLog } from "./grader-log.ts";
import { readOutcome } from "./read-outcome.ts";
import { wholeArchive } from "./whole-archive.ts";

/** What of a bundle a grading needs. */
export type GradedBundle = Pick<Bundle, "id" | "grader" | "spec" | "hash">;

export type GradeTools = {
  readonly sandbox: Sandbox;
  readonly pack: (tree: FileTree) => AsyncIterable<Uint8Array>;
  /** The heads of some files of an archive, at most `bytesEach`, with their whole size. */
  readonly readMembers: (
    tar: AsyncIterable<Uint8Array>,
    wanted: (path: string) => boolean,
    limits: { readonly bytesEach: number },
  ) => Promise<Artefacts>;
  readonly panel: Panel;
  /** Written on the container. */
  readonly labels: ContainerRequest["labels"];
};

export type GradeOptions = {
  /** Default 120 s. */
  readonly timeoutMs?: number;
  /** Judges' answers by key (`askPanel`): those here are not asked again, those met are added. */
  readonly known?: Map<string, Answer>;
  /** Circumstances that are to make no difference. */
  readonly conditions?: Conditions;
  /** Processes that keep the cores busy beside the grader; none unless said. */
  readonly load?: number;
  /** False leaves the grader's questions unasked, and `answers` empty. */
  readonly askJudges?: boolean;
  /** What is graded, for the ledger; the bundle's id when absent. */
  readonly subject?: string;
  readonly signal?: AbortSignal;
};

const defaultTimeoutMs = 120_000;
/** For processes to be started, not to end. */
const startMs = 20_000;
/** Of each stream. Assertions and questions beyond it are a grader's fault. */
const maxOutputBytes = 1024 * 1024;
/** Of each file shown to the judges. */
const maxArtefactBytes = 8 * 1024 * 1024;

/**
 * Grades one workspace in a fresh grading container: unpacks the workspace, then the grader's files, executes
 * `/grader/grade`, and puts its questions, if any, to the panel. `workspace` is called once for the container and
 * once more when judges must see files, and gives a tar of /workspace each time. Nothing the workspace holds makes
 * this throw. Throws `SandboxError` for a container or archive that broke, and what `askPanel` throws.
 */
export async function gradeSnapshot(
  bundle: GradedBundle,
  workspace: () => AsyncIterable<Uint8Array>,
  tools: GradeTools,
  options: GradeOptions = {},
): Promise<Grading> {
  const executed = await executeGrader(bundle, workspace, tools, options);
  const { outcome } = executed;
  const answers =
    outcome.kind === "asks" && options.askJudges !== false
      ? await answersTo(outcome, workspace, tools, { subject: bundle.id, ...options })
      : [];
  return {
    ...executed,
    answers,
    standInJudges: answers.length > 0 && tools.panel.judges.some((judge) => judge.standIn),
    bundleHash: bundle.hash,
  };
}

async function executeGrader(
  bundle: GradedBundle,
  workspace: () => AsyncIterable<Uint8Array>,
  tools: GradeTools,
  options: GradeOptions,
): Promise<Pick<Grading, "outcome" | "grader" | "log">> {
  const { sandbox, pack, labels } = tools;
  const container = await sandbox.open({ role: "grader", labels, skill: null }, options.signal);
  try {
    // The workspace comes first, so that nothing of the grader exists while hostile members are unpacked.
    const { refused } = await container.unpack(wholeArchive(workspace()), "/workspace");
    const grader = await container.unpack(pack(bundle.grader), "/grader");
    if (options.load !== undefined) await keepBusy(container, options.load, options.signal);
    const ended = await container.run(
      {
        command: "exec /grader/grade",
        user: "grader",
        cwd: "/workspace",
        timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
        maxOutputBytes,
        descriptor3: true,
        ...(options.conditions === undefined ? {} : { conditions: options.conditions }),
      },
      options.signal,
    );
    options.signal?.throwIfAborted();
    const outcome = grader.refused === "" ? readOutcome(ended) : notUnpacked(grader.refused);
    return { outcome, grader: endOf(ended), log: graderLog(ended, refused) };
  } finally {
    await container.dispose();
  }
}

/**
 * Processes that work without end, in no relation to the grader's: not its children, for which it may wait, not of its
 * user, and with nothing of its output in hand. They end with the container.
 */
async function keepBusy(
  container: Container,
  processes: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const busy = "(while :; do :; done) < /dev/null > /dev/null 2>&1 &";
  const command = `for ((left = ${processes}; left > 0; left--)); do ${busy} done`;
  const request = { command, user: "agent", cwd: "/", timeoutMs: startMs, maxOutputBytes: 1024 } as const;
  const { exitCode } = await container.run(request, signal);
  if (exitCode !== 0) throw new SandboxError("the processes that load a grading did not start");
}

async function answersTo(
  outcome: Extract<GraderOutcome, { kind: "asks" }>,
  workspace: () => AsyncIterable<Uint8Array>,
  tools: GradeTools,
  options: GradeOptions,
): Promise<readonly Answer[]> {
  const wanted = new Set(outcome.questions.flatMap((question) => question.artefacts));
  // From the snapshot, not from the grading container: candidate code has been at work in there.
  const artefacts = await tools.readMembers(workspace(), (path) => wanted.has(path), {
    bytesEach: maxArtefactBytes,
  });
  return askPanel(outcome.questions, artefacts, tools.panel, options);
}

function notUnpacked(refused: string): GraderOutcome {
  return { kind: "error", assertions: [], reason: `the grader's files could not be unpacked: ${refused}` };
}

function endOf(ended: CommandOutcome): Grading["grader"] {
  const { exitCode, signal, timedOut, seconds } = ended;
  return { exitCode, signal, timedOut, seconds };
}
