import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { load, YAMLException } from "js-yaml";
import { z } from "zod";
import { type FileTree, overlay } from "../artefacts/tree.ts";
import type { Author, AuthorAnswer, AuthorRequest } from "../author/port.ts";
import { messageOf, UserError } from "../errors.ts";
import { readTree } from "../store/tree.ts";

export const replayFormat = "skillproof/replay@1";

const attemptSchema = z
  .strictObject({
    /** Folder of a whole draft, relative to the recording. */
    from: z.string().min(1).optional(),
    /** Folder of files laid over it. */
    overlay: z.string().min(1).optional(),
  })
  .refine(({ from, overlay: over }) => from !== undefined || over !== undefined, "needs `from` or `overlay`");

const replaySchema = z.strictObject({
  format: z.literal(replayFormat),
  drafts: z.array(
    z.strictObject({
      /** Title of a unit in the cluster. */
      title: z.string().min(1),
      attempts: z.array(attemptSchema).min(1),
    }),
  ),
});

type Recording = z.infer<typeof replaySchema>["drafts"][number];

/** Written beside a draft by us; no part of it. */
const notRecorded = new Set(["gate.json", "FAILED.md", "chunks.json", "clusters.json"]);

/**
 * An author that hands out recorded drafts: for a demo and for tests, which spend nothing. The recording is found by
 * the title of any unit in the cluster, the leading unit's first. Throws `UserError` that lists every fault of the
 * recording; a folder that is missing is one when it is asked for.
 */
export async function replayAuthor(file: string): Promise<Author> {
  const recordings = await readRecordings(file);
  return {
    backend: "replay",
    // Nothing is executed, on the host or elsewhere.
    isolated: true,
    draft: async (request, signal) => {
      signal?.throwIfAborted();
      return replayed(request, recordings, file);
    },
  };
}

async function replayed(
  request: AuthorRequest,
  recordings: readonly Recording[],
  file: string,
): Promise<AuthorAnswer> {
  const nothing = (reason: string): AuthorAnswer => ({ kind: "nothing", reason, log: "" });
  const recording = request.titles.flatMap((title) => recordings.filter((draft) => draft.title === title))[0];
  if (recording === undefined) {
    const titles = request.titles.map((title) => `"${title}"`).join(", ");
    return nothing(`no draft is recorded for a cluster with the sections ${titles}`);
  }
  const attempt = recording.attempts[request.attempt - 1];
  if (attempt === undefined) {
    return nothing(
      `"${recording.title}" has ${recording.attempts.length} recorded attempts; this is attempt ${request.attempt}`,
    );
  }
  const base = attempt.from === undefined ? [] : await recordedTree(file, attempt.from);
  const over = attempt.overlay === undefined ? [] : await recordedTree(file, attempt.overlay);
  const places = [attempt.from, attempt.overlay].filter((place) => place !== undefined);
  return { kind: "draft", tree: overlay(base, over), log: `replayed from ${places.join(" with ")}` };
}

async function recordedTree(file: string, folder: string): Promise<FileTree> {
  try {
    return (await readTree(resolve(dirname(file), folder))).filter((entry) => !notRecorded.has(entry.path));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      `${file}: cannot read ${folder}: ${messageOf(error)}. Name a folder relative to the recording.`,
      {
        cause: error,
      },
    );
  }
}

async function readRecordings(file: string): Promise<readonly Recording[]> {
  let raw: unknown;
  try {
    raw = load(await readFile(file, "utf8"));
  } catch (error) {
    const what = error instanceof YAMLException ? "not valid YAML" : "cannot be read";
    throw new UserError(`${file}: ${what}: ${messageOf(error)}. authoring.recording must name a recording.`, {
      cause: error,
    });
  }
  const parsed = replaySchema.safeParse(raw);
  if (parsed.success) return parsed.data.drafts;
  const faults = parsed.error.issues.map(
    (issue) => `  ${issue.path.map(String).join(".") || "(top)"}: ${issue.message}`,
  );
  throw new UserError(`${file}: not a recording of drafts:\n${faults.join("\n")}`);
}
