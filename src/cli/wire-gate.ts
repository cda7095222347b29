import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pLimit from "p-limit";
import type { Cheat } from "../artefacts/cheat.ts";
import type { GateSettings } from "../artefacts/gate.ts";
import type { FileTree } from "../artefacts/tree.ts";
import { contractHash } from "../author/contract.ts";
import type { Config } from "../config.ts";
import { InfrastructureError } from "../errors.ts";
import type { Archive, CheckTools } from "../gate/check.ts";
import { checks, type GateOptions, runGate } from "../gate/run-gate.ts";
import type { Gate } from "../pipeline.ts";
import type { Sandbox } from "../sandbox/port.ts";
import { packTree } from "../sandbox/tar.ts";
import { readCheats } from "../store/cheats.ts";
import { openSnapshot, spoolSnapshot } from "../store/spool.ts";
import type { Io, Loaded } from "./io.ts";
import type { PaidModels } from "./paid-models.ts";
import { wireExistingTests, wireGrade } from "./wire-grade.ts";
import { wireSandbox } from "./wire-sandbox.ts";

/** Copied beside the compiled code by docker/build.mjs. */
const cheatsFolder = fileURLToPath(new URL("../gate/cheats", import.meta.url));
const agentSeconds = 60;

export type OpenGate = {
  readonly gate: Gate;
  /** The same, for all checks or some. */
  readonly gateWith: (options: GateOptions) => Gate;
  readonly sandbox: Sandbox;
  /** Everything besides a bundle and what it was made from that can change what the gate finds. */
  readonly circumstances: unknown;
  readonly close: () => Promise<void>;
};

/** The gate, with an engine of its own. */
export async function openGate({ config }: Loaded, paid: PaidModels, io: Io): Promise<OpenGate> {
  const sandbox = await wireSandbox(config, io);
  const scratch = await mkdtemp(join(tmpdir(), `skillproof-gate-${process.pid}-`));
  const cheats = await readCheats(cheatsFolder);
  // Judges are made at the first question: most bundles never ask one.
  const judges = once(() => paid.judges());
  const limit = pLimit(config.gate.concurrency);
  const actAsAgent = agentIn(sandbox, scratch, io.signal);
  const gateWith =
    (options: GateOptions): Gate =>
    async (bundle, { provenance, known, context }) => {
      const panel = bundle.spec.judged ? await judges() : [];
      const gradeUnder = wireGrade(config, sandbox, panel, io.signal);
      const grade: CheckTools["grade"] = (workspace, { packing, ...under } = {}) => {
        const open = typeof workspace === "function" ? workspace : () => packTree(workspace, packing);
        return limit(() => gradeUnder({ bundle }, open, { known, subject: `gate/${bundle.id}` }, under));
      };
      const { regression } = bundle.spec;
      const runTests = wireExistingTests(config, sandbox, io.signal);
      const tools = {
        grade,
        ...(regression === undefined
          ? {}
          : {
              runExistingTests: (tree: FileTree) => limit(() => runTests(regression, () => packTree(tree))),
            }),
        actAsAgent: (request: Parameters<typeof actAsAgent>[0]) => limit(() => actAsAgent(request)),
        settings: settingsOf(config),
        context,
        cheats,
        image: sandbox.image,
      };
      return runGate(bundle, provenance, tools, options);
    };
  const close = async (): Promise<void> => {
    await sandbox.close();
    await rm(scratch, { recursive: true, force: true });
  };
  return {
    gate: gateWith({}),
    gateWith,
    sandbox,
    circumstances: circumstancesOf(config, sandbox, cheats),
    close,
  };
}

function circumstancesOf(config: Config, { image }: Sandbox, cheats: readonly Cheat[]): unknown {
  return {
    settings: settingsOf(config),
    seconds: config.gate.graderSeconds,
    recipe: image.recipe,
    sandbox: config.sandbox,
    judges: config.judge.models,
    standIn: config.models.standIn ?? null,
    checks: checks.map(({ name }) => name),
    cheats,
    contractHash,
  };
}

function settingsOf({ gate, seed }: Config): GateSettings {
  const { gradings, mutants, killRate, leaks } = gate;
  return { seed, gradings, mutants, killRate, leaks };
}

/** Carries scripts out in fresh agents' containers, and keeps what they leave in `scratch`. */
export function agentIn(sandbox: Sandbox, scratch: string, signal: AbortSignal): CheckTools["actAsAgent"] {
  let count = 0;
  return async ({ workspace, files, script }): Promise<Archive> => {
    const spooled = join(scratch, `${++count}.tar.gz`);
    const labels = { campaign: "gate", trial: "a script in an agent's place" };
    const container = await sandbox.open({ role: "agent", labels, skill: null }, signal);
    try {
      await container.unpack(packTree(workspace), "/workspace");
      for (const [path, text] of Object.entries(files)) {
        const written = await container.writeFile(path, new TextEncoder().encode(text));
        if (written.kind === "refused") throw new InfrastructureError(`${path}: ${written.reason}`);
      }
      const request = { command: script, timeoutMs: agentSeconds * 1000, maxOutputBytes: 65_536 };
      await container.run(request, signal);
      await spoolSnapshot(container.snapshot(), spooled);
    } finally {
      await container.dispose();
    }
    return () => openSnapshot(spooled);
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
