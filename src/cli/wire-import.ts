import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { FileTree } from "../artefacts/tree.ts";
import { draftLimits } from "../author/draft-paths.ts";
import { parseDraft } from "../author/draft.ts";
import { parseConfig } from "../config-load.ts";
import { InfrastructureError } from "../errors.ts";
import type { ImportTools } from "../formats/losses.ts";
import type { CommandOutcome, Sandbox } from "../sandbox/port.ts";
import { packTree, readTarTree } from "../sandbox/tar.ts";
import { defaultConfigFile, type Io, loadCampaignFile } from "./io.ts";
import { wireSandbox } from "./wire-sandbox.ts";

/** For one script of a task that is imported. */
const scriptSeconds = 300;
/** More than a bundle may hold, so that its own limits are what is told. */
const limits = {
  bytes: 4 * draftLimits.bytes,
  entries: 10 * draftLimits.files,
  depth: 2 * draftLimits.depth,
  nameBytes: 4 * draftLimits.pathBytes,
};

export type OpenImport = {
  readonly tools: ImportTools;
  /** What is wrong with the form of an imported bundle. */
  readonly faultsOf: (id: string, tree: FileTree) => readonly string[];
  readonly close: () => Promise<void>;
};

/** An engine is asked for only once a script must be carried out: most tasks are read without one. */
export function openImport(configFile: string | undefined, io: Io): OpenImport {
  let opened: ReturnType<typeof wireSandbox> | undefined;
  const open = async (): ReturnType<typeof wireSandbox> => {
    const hasFile = configFile !== undefined || existsSync(resolve(io.cwd, defaultConfigFile));
    const config = hasFile
      ? (await loadCampaignFile(io, configFile, {})).config
      : parseConfig("name: import\n", resolve(io.cwd, defaultConfigFile));
    return wireSandbox(config, io);
  };
  return {
    tools: { perform: async (request) => performIn(await (opened ??= open()), io, request) },
    faultsOf: (id, tree) => {
      const parsed = parseDraft(id, tree);
      return parsed.kind === "faults" ? parsed.faults : [];
    },
    close: async () => {
      // What could not be opened was already told.
      const sandbox = await opened?.catch(() => undefined);
      await sandbox?.close();
    },
  };
}

async function performIn(
  sandbox: Sandbox,
  io: Io,
  { workspace, files, script }: Parameters<ImportTools["perform"]>[0],
): Promise<FileTree> {
  const labels = { campaign: "import", trial: "the solution of an imported task" };
  const container = await sandbox.open({ role: "agent", labels, skill: null }, io.signal);
  try {
    await container.unpack(packTree(workspace), "/workspace");
    for (const [path, text] of Object.entries(files)) {
      const written = await container.writeFile(path, new TextEncoder().encode(text));
      if (written.kind === "refused") throw new InfrastructureError(`${path}: ${written.reason}`);
    }
    const request = { command: script, timeoutMs: scriptSeconds * 1000, maxOutputBytes: 16_384 };
    const ended = await container.run(request, io.signal);
    io.signal.throwIfAborted();
    if (ended.exitCode !== 0) io.err(`the solution's script did not end well: ${endWords(ended)}\n`);
    const { tree, faults } = await readTarTree(container.snapshot(), limits);
    for (const fault of faults) io.err(`left out of what the solution's script made: ${fault}\n`);
    return tree;
  } finally {
    await container.dispose();
  }
}

function endWords({ exitCode, signal, timedOut, stderr }: CommandOutcome): string {
  if (timedOut) return `it was still at work after ${scriptSeconds} seconds`;
  const last = new TextDecoder()
    .decode(Buffer.concat([stderr.head, stderr.tail]))
    .trim()
    .slice(-2000)
    .replace(/[^\P{C}\n\t]/gu, "\ufffd");
  return `${exitCode === null ? `signal ${signal ?? "unknown"}` : `exit code ${exitCode}`}\n${last}`;
}
