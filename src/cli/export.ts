import { readdir, readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf, UserError } from "../errors.ts";

import type { Loss } from "../formats/losses.ts";
import { writeTree } from "../store/tree.ts";
import { type AddCommand, commaList, type Io } from "./io.ts";
import { exportBenchmark } from "./wire-export.ts";

type Options = {
  readonly format: string;
  readonly out: string;
  readonly packages?: string;
  readonly force?: boolean;
  readonly json?: boolean;
};

type ExportedTo = { readonly id: string; readonly folder: string; readonly losses: readonly Loss[] };
type NotExported = { readonly id: string; readonly reasons: readonly string[] };

/** What the image is made of, beside both src/ and dist/. */
const packagesFile = fileURLToPath(new URL("../../docker/packages.txt", import.meta.url));
const formats = ["harbor"];

/** `skillproof export BENCHMARK…`: benchmarks as tasks of another format, with what each loses there. */
export const addExport: AddCommand = (program, io, done) => {
  program
    .command("export")
    .description("write benchmarks as Harbor tasks, and say what each loses there")
    .argument("<benchmark...>", "folders of benchmarks")
    .requiredOption("--out <folder>", "where to put a folder for each")
    .option("--format <format>", `one of: ${formats.join(", ")}`, "harbor")
    .option("--packages <names>", "Debian packages beyond those of the sandbox's image, comma-separated")
    .option("--force", "write over folders that are not empty")
    .option("--json", "print what was exported on stdout")
    .action(async (folders: readonly string[], options: Options) => {
      if (!formats.includes(options.format))
        throw new UserError(`--format ${options.format}: no such format. There is: ${formats.join(", ")}`);
      const { exported, refused } = await exportAll(folders, options, io);
      if (options.json === true) io.out(`${JSON.stringify({ exported, refused }, null, 2)}\n`);
      done(refused.length === 0 ? 0 : 1);
    });
};

async function exportAll(
  folders: readonly string[],
  options: Options,
  io: Io,
): Promise<{ readonly exported: readonly ExportedTo[]; readonly refused: readonly NotExported[] }> {
  const packages = [...(await imagePackages()), ...furtherPackages(options.packages)];
  const read = [];
  for (const folder of folders) read.push(await exportBenchmark(resolve(io.cwd, folder), { packages }));
  const twice = read.map(({ id }) => id).find((id, at, ids) => ids.indexOf(id) !== at);
  if (twice !== undefined)
    throw new UserError(`two of the benchmarks are called ${twice}. Export them into different folders.`);
  const placed = read.map((one) => ({ ...one, folder: join(resolve(io.cwd, options.out), one.id) }));
  for (const { folder } of placed)
    requireApart(
      folder,
      folders.map((source) => resolve(io.cwd, source)),
    );
  if (options.force !== true)
    for (const { kind, folder } of placed) if (kind === "exported") await requireEmpty(folder);

  const exported: ExportedTo[] = [];
  const refused: NotExported[] = [];
  for (const one of placed) {
    if (one.kind === "refused") {
      refused.push({ id: one.id, reasons: one.reasons });
      io.err(`${one.id}: not exported\n${one.reasons.map((reason) => `  ${reason}\n`).join("")}`);
      continue;
    }
    io.drain.throwIfAborted();
    await writeTree(one.folder, one.tree);
    const folder = relative(io.cwd, one.folder);
    exported.push({ id: one.id, folder, losses: one.losses });
    const lost = one.losses.map(({ part, words }) => `  ${part}: ${words}\n`).join("");
    io.err(`${one.id}: exported to ${folder}. What it loses there:\n${lost}`);
  }
  return { exported, refused };
}

/** What tasks and graders may count on in a container here. */
async function imagePackages(): Promise<readonly string[]> {
  const text = await readFile(packagesFile, "utf8");
  return text
    .replace(/#.*/g, "")
    .split(/\s+/)
    .filter((name) => name !== "");
}

function furtherPackages(names: string | undefined): readonly string[] {
  const packages = commaList(names ?? "");
  const odd = packages.find((name) => !/^[a-z0-9][a-z0-9.+-]+$/.test(name));
  if (odd !== undefined) throw new UserError(`--packages ${odd}: not the name of a Debian package.`);
  return packages;
}

/** Writing a task empties its folder first, which must not be where a benchmark lies. */
function requireApart(folder: string, sources: readonly string[]): void {
  const holds = (outer: string, inner: string): boolean => inner === outer || inner.startsWith(`${outer}/`);
  const met = sources.find((source) => holds(folder, source) || holds(source, folder));
  if (met !== undefined)
    throw new UserError(`${folder}: overlaps with the benchmark ${met}. Choose an --out that is elsewhere.`);
}

async function requireEmpty(folder: string): Promise<void> {
  let members: readonly string[];
  try {
    members = await readdir(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    throw new UserError(`${folder}: not a folder to write to (${messageOf(error)}).`, { cause: error });
  }
  if (members.length > 0)
    throw new UserError(
      `${folder}: not empty. Choose another --out, or say --force to replace what is there.`,
    );
}
