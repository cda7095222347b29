import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { relative, resolve } from "node:path";
import { findDeadOutput, findDeadTemporary } from "../store/leftovers.ts";
import { type AddCommand, defaultConfigFile, type Io, loadCampaignFile } from "./io.ts";
import { withoutDraining } from "./signals.ts";
import { living, wireLeftovers } from "./wire-sandbox.ts";

type Options = {
  readonly config?: string;
  readonly out?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
};

/** One thing that a dead process left; `bytes` is null where the engine does not tell. */
type Found = {
  readonly kind: "container" | "volume" | "files";
  readonly name: string;
  readonly bytes: number | null;
};

/** `skillproof clean`: containers, volumes and temporary files whose owner is dead; never those of a living one. */
export const addClean: AddCommand = (program, io, done) => {
  program
    .command("clean")
    .description("remove containers, volumes and temporary files that dead processes left")
    .option("-c, --config <file>", "the campaign's YAML, for its engine and its out folder")
    .option("--out <folder>", "where campaigns are, instead of the YAML's")
    .option("--dry-run", "only say what would be removed")
    .option("--json", "print what was removed on stdout as JSON")
    .action(async (options: Options) => {
      const found = await clean(options, withoutDraining(io));
      if (options.json === true) io.out(`${JSON.stringify(found, null, 2)}\n`);
      else io.out(describe(found, options.dryRun === true, io.cwd));
      done(0);
    });
};

async function clean(options: Options, io: Io): Promise<readonly Found[]> {
  const hasFile = options.config !== undefined || existsSync(resolve(io.cwd, defaultConfigFile));
  const config = hasFile ? (await loadCampaignFile(io, options.config, {})).config : null;
  const out =
    options.out === undefined ? (config?.out ?? resolve(io.cwd, "out")) : resolve(io.cwd, options.out);
  const dryRun = options.dryRun === true;
  const files = [...(await findDeadOutput(out, living)), ...(await findDeadTemporary(tmpdir(), living))];
  // First what needs no engine: one that does not answer ends the command.
  if (!dryRun) for (const { path } of files) await rm(path, { recursive: true, force: true });
  const engines = await wireLeftovers(config, io.signal);
  const found: Found[] = files.map(({ path, bytes }) => ({ kind: "files", name: path, bytes }));
  for (const { leftovers, remove } of engines) found.push(...(dryRun ? leftovers : await remove()));
  return found.map(({ kind, name, bytes }) => ({ kind, name, bytes }));
}

function describe(found: readonly Found[], dryRun: boolean, cwd: string): string {
  if (found.length === 0) return "nothing to remove: no dead process left anything\n";
  const verb = dryRun ? "would remove" : "removed";
  const lines = found.map(({ kind, name, bytes }) => {
    const shown = kind === "files" ? shortest(name, cwd) : name;
    return `${verb} ${kind.padEnd(9)} ${shown} (${bytes === null ? "size unknown" : `${bytes} bytes`})`;
  });
  const known = found.filter(({ bytes }) => bytes !== null);
  const bytes = known.reduce((sum, entry) => sum + (entry.bytes ?? 0), 0);
  const total = `${verb} ${found.length} in all, ${bytes} bytes as far as known (of ${known.length})`;
  return `${[...lines, total].join("\n")}\n`;
}

function shortest(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  return inside.startsWith("..") ? path : inside;
}
