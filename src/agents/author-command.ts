import { lstat, mkdtemp, mkdir, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { Author, AuthorAnswer, AuthorRequest } from "../author/port.ts";
import { messageOf, UserError } from "../errors.ts";
import { readTree, writeTree } from "../store/tree.ts";
import { type ProgramEnd, startProgram } from "./program.ts";

export type CommandAuthorSettings = {
  /** Program and arguments. A program named by a relative path (`./author.sh`) is found below `cwd`. */
  readonly command: readonly string[];
  readonly timeoutSeconds: number;
  /** Default: the current directory. Not the program's own, which is the draft folder. */
  readonly cwd?: string;
  /** Default: this process's environment. The program is the user's own and may need keys. */
  readonly env?: Readonly<Record<string, string | undefined>>;
};

/** Above these a draft folder is not even read; the limits of a bundle are far lower. */
const readableDraft = { entries: 5000, bytes: 64 * 1024 * 1024 } as const;

/**
 * An author that is any program on this host. It gets the prompt on standard input and an otherwise empty folder to
 * fill, which is its current directory and `SKILLPROOF_DRAFT_DIR` and holds its previous draft, if any; files to
 * look at are below `SKILLPROOF_ASSETS_DIR`. Exit code 0 delivers the folder; anything else, or the timeout, delivers
 * nothing. Throws `UserError` when the program cannot be started.
 */
export function commandAuthor(settings: CommandAuthorSettings): Author {
  const [program, ...args] = settings.command;
  if (program === undefined)
    throw new UserError("authoring.command: empty. Name a program and its arguments.");
  return {
    backend: `command ${program}`,
    isolated: false,
    draft: async (request, signal) => {
      const folder = await mkdtemp(join(tmpdir(), `skillproof-author-${process.pid}-`));
      try {
        return await draftIn(
          folder,
          request,
          { ...settings, program: located(program, settings.cwd), args },
          signal,
        );
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

async function draftIn(
  folder: string,
  request: AuthorRequest,
  settings: CommandAuthorSettings & { readonly program: string; readonly args: readonly string[] },
  signal: AbortSignal | undefined,
): Promise<AuthorAnswer> {
  const draft = join(folder, "draft");
  const assets = join(folder, "assets");
  await mkdir(draft);
  await writeTree(draft, request.previous);
  await writeTree(assets, request.assets);
  const env = {
    ...(settings.env ?? process.env),
    SKILLPROOF_DRAFT_DIR: draft,
    SKILLPROOF_ASSETS_DIR: assets,
    SKILLPROOF_BENCHMARK: request.id,
    SKILLPROOF_ATTEMPT: String(request.attempt),
  };
  const { program, args, timeoutSeconds } = settings;
  const end = await startProgram(
    { program, args, cwd: draft, env, input: request.prompt, timeoutMs: timeoutSeconds * 1000 },
    signal,
  );
  if (end.kind === "not started") {
    throw new UserError(
      `authoring.command: cannot start ${program}: ${end.reason}. Install it, or name another program.`,
    );
  }
  const log = end.log;
  const fault = endFault(end, timeoutSeconds) ?? (await sizeFault(draft));
  if (fault !== null) return { kind: "nothing", reason: fault, log };
  try {
    const tree = await readTree(draft);
    if (tree.length === 0)
      return { kind: "nothing", reason: "the program ended well but left the draft folder empty", log };
    return { kind: "draft", tree, log };
  } catch (error) {
    // A socket or a device in the folder is the author's fault, not the user's.
    if (error instanceof UserError)
      return { kind: "nothing", reason: messageOf(error).replaceAll(`${draft}/`, ""), log };
    throw error;
  }
}

function endFault(end: Exclude<ProgramEnd, { kind: "not started" }>, timeoutSeconds: number): string | null {
  if (end.timedOut) return `the program did not end within ${timeoutSeconds} seconds and was stopped`;
  if (end.exitCode === 0) return null;
  return end.exitCode === null
    ? `the program was ended by ${end.signal ?? "a signal"}`
    : `the program ended with exit code ${end.exitCode}`;
}

/** Looked at before anything is read, so that a forgotten node_modules does not fill memory. */
async function sizeFault(folder: string): Promise<string | null> {
  let entries = 0;
  let bytes = 0;
  const open = [folder];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const name of await readdir(next)) {
      const path = join(next, name);
      const stat = await lstat(path);
      entries++;
      if (stat.isDirectory()) open.push(path);
      else bytes += stat.size;
      if (entries > readableDraft.entries)
        return `the draft folder holds more than ${readableDraft.entries} files and folders`;
      if (bytes > readableDraft.bytes) return `the draft folder holds more than ${readableDraft.bytes} bytes`;
    }
  }
  return null;
}

function located(program: string, cwd = process.cwd()): string {
  return program.includes("/") && !isAbsolute(program) ? resolve(cwd, program) : program;
}
