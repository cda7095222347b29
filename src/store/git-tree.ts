import { execFile } from "node:child_process";
import { gitRefSchema } from "../artefacts/arm.ts";
import { type FileTree, sortedTree, type TreeEntry } from "../artefacts/tree.ts";
import { InterruptedError, messageOf, UserError } from "../errors.ts";

/** A folder at a commit may have this much; a skill has far less. */
const mostBytes = 256 * 1024 * 1024;

export type GitTree = {
  /** Full id of the commit. */
  readonly commit: string;
  readonly tree: FileTree;
};

/** A row of ls-tree. */
type Row = { readonly mode: string; readonly kind: string; readonly id: string; readonly path: string };

/**
 * A folder of a git work tree as it was at `ref`, read from the repository: nothing is checked out, fetched or
 * filtered, and hooks do not come in. Throws `UserError` when there is no repository, no such ref, no such folder
 * there, or something in it that a skill cannot have, and `InterruptedError` on an abort.
 */
export async function readGitTree(folder: string, ref: string, signal?: AbortSignal): Promise<GitTree> {
  const sound = gitRefSchema.safeParse(ref);
  if (!sound.success) {
    throw new UserError(`${JSON.stringify(ref)} is not a git ref: name a tag, a branch or a commit.`);
  }
  const git = (args: readonly string[], input?: string): Promise<GitAnswer> =>
    runGit(folder, args, input, signal);
  const inside = await git(["rev-parse", "--show-prefix"]);
  if (inside.code !== 0) {
    throw new UserError(
      `${folder}: not in a git work tree, so it has no versions (${inside.said}). Leave the arm out, or name a skill ` +
        "that is kept in git.",
    );
  }
  const resolved = await git(["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
  const commit = textOf(resolved.out).trim();
  if (resolved.code !== 0) {
    throw new UserError(
      `${folder}: git knows no commit called ${JSON.stringify(ref)}. See: git -C ${folder} log --oneline -- .`,
    );
  }
  const prefix = textOf(inside.out).replace(/\n$/, "");
  const listed = await git(["ls-tree", "-r", "-z", "--full-tree", `${commit}:${prefix.replace(/\/$/, "")}`]);
  if (listed.code !== 0) {
    throw new UserError(
      `${folder}: at ${ref} (${commit.slice(0, 12)}) there was no folder ${prefix || "."}. (${listed.said})`,
    );
  }
  const rows = rowsOf(textOf(listed.out));
  refuseForeign(folder, ref, rows);
  const ids = [...new Set(rows.map(({ id }) => id))];
  const blobs = await git(["cat-file", "--batch"], ids.map((id) => `${id}\n`).join(""));
  if (blobs.code !== 0) throw new UserError(`${folder}: git cannot read ${ref}: ${blobs.said}`);
  const contents = contentsOf(blobs.out);
  return { commit, tree: sortedTree(rows.map((row) => entryOf(row, folder, contents))) };
}

type GitAnswer = { readonly code: number; readonly out: Buffer; readonly said: string };

/** Throws `UserError` when git cannot be started or says more than a skill can be; other failures are answers. */
function runGit(
  folder: string,
  args: readonly string[],
  input: string | undefined,
  signal: AbortSignal | undefined,
): Promise<GitAnswer> {
  // A programmable monitor is somebody's program, and a partial clone would fetch what is missing.
  const settings = ["-c", "core.fsmonitor=false", "-c", "protocol.allow=never", "-c", "core.quotePath=false"];
  const options = {
    cwd: folder,
    encoding: "buffer" as const,
    maxBuffer: mostBytes,
    env: environment(),
    ...(signal === undefined ? {} : { signal }),
  };
  return new Promise((resolve, reject) => {
    const child = execFile("git", [...settings, ...args], options, (error, out, err) => {
      const said = textOf(err).trim().split("\n")[0] ?? "";
      if (error === null) resolve({ code: 0, out, said });
      else if (typeof error.code === "number") resolve({ code: error.code, out, said });
      else if (signal?.aborted === true)
        reject(new InterruptedError("stopped while git was read", { cause: error }));
      else reject(cannotRun(folder, error));
    });
    // A git that ends before it has read everything says why on its own.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input ?? "");
  });
}

function cannotRun(folder: string, error: Error & { readonly code?: unknown }): UserError {
  const words =
    error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER"
      ? `holds more than ${mostBytes / 1024 / 1024} MiB at that commit, which no skill has`
      : `git cannot be executed there (${messageOf(error)}). Is it installed, and the folder there?`;
  return new UserError(`${folder}: ${words}`, { cause: error });
}

/** Inside a git hook these would lead to another repository. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  return { ...Object.fromEntries(own), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_NO_LAZY_FETCH: "1" };
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** `<mode> <kind> <id>TAB<path>`, ended by NUL. */
function rowsOf(listed: string): readonly Row[] {
  return listed
    .split("\0")
    .filter((row) => row !== "")
    .map((row) => {
      const [, mode, kind, id, path] = /^(\d+) (\w+) ([0-9a-f]+)\t(.+)$/s.exec(row) ?? [];
      if (mode === undefined || kind === undefined || id === undefined || path === undefined) {
        throw new Error(`unexpected row of git ls-tree: ${row}`);
      }
      return { mode, kind, id, path };
    });
}

function refuseForeign(folder: string, ref: string, rows: readonly Row[]): void {
  const foreign = rows.filter(({ kind }) => kind !== "blob");
  if (foreign.length === 0) return;
  const names = foreign.map(({ path }) => path).join(", ");
  throw new UserError(
    `${folder}: at ${ref} it holds another repository (${names}), which cannot be delivered.`,
  );
}

/** By id, from `<id> blob <size>LF<bytes>LF` for each. */
function contentsOf(batch: Buffer): ReadonlyMap<string, Buffer> {
  const contents = new Map<string, Buffer>();
  let at = 0;
  while (at < batch.length) {
    const end = batch.indexOf(0x0a, at);
    const header = batch.subarray(at, end === -1 ? batch.length : end).toString("latin1");
    const [, id, size] = /^([0-9a-f]+) blob (\d+)$/.exec(header) ?? [];
    // `<id> missing`: a shallow or partial clone. The entry that asked for it says so.
    if (id === undefined || size === undefined) {
      if (end === -1) break;
      at = end + 1;
      continue;
    }
    const start = end + 1;
    contents.set(id, batch.subarray(start, start + Number(size)));
    at = start + Number(size) + 1;
  }
  return contents;
}

function entryOf({ mode, id, path }: Row, folder: string, contents: ReadonlyMap<string, Buffer>): TreeEntry {
  const bytes = contents.get(id);
  if (bytes === undefined) {
    throw new UserError(
      `${folder}: git has no contents for ${path} at that commit. Fetch the whole repository first.`,
    );
  }
  if (mode === "120000") return { kind: "link", path, target: textOf(bytes) };
  if (textOf(bytes.subarray(0, 64)).startsWith("version https://git-lfs")) {
    throw new UserError(
      `${folder}: ${path} is kept outside git (LFS), so its contents at that commit are not here. Keep it in git.`,
    );
  }
  return { kind: "file", path, mode: mode === "100755" ? 0o755 : 0o644, bytes };
}
