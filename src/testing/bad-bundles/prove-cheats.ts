import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pLimit from "p-limit";
import type { Bundle } from "../../artefacts/bundle.ts";
import type { Cheat } from "../../artefacts/cheat.ts";
import type { Grading } from "../../artefacts/grading.ts";
import { agentIn } from "../../cli/wire-gate.ts";
import type { CheckTools, Finding } from "../../gate/check.ts";
import { cheatsFail } from "../../gate/checks/cheats-fail.ts";
import { referenceWorkspace } from "../../gate/workspaces.ts";
import { gradeSnapshot } from "../../grade/grade-snapshot.ts";
import type { ChatModel } from "../../models/port.ts";
import type { Sandbox } from "../../sandbox/port.ts";
import { packTree, readTarMember } from "../../sandbox/tar.ts";
import { readCheats } from "../../store/cheats.ts";
import { gateTools } from "../gate-tools.ts";

export const cheatsFolder = fileURLToPath(new URL("../../gate/cheats", import.meta.url));

/** Tools of checks in real containers, three at once; and the check of cheats with them. */
export type CheatYard = {
  readonly cheats: readonly Cheat[];
  readonly toolsFor: (bundle: Bundle, judges?: readonly ChatModel[]) => CheckTools;
  /** With all cheats, or those of these names. */
  readonly prove: (
    bundle: Bundle,
    options?: { readonly names?: readonly string[]; readonly judges?: readonly ChatModel[] },
  ) => Promise<Finding>;
  readonly close: () => Promise<void>;
};

export async function openCheatYard(sandbox: Sandbox): Promise<CheatYard> {
  const scratch = await mkdtemp(join(tmpdir(), "skillproof-cheats-"));
  const cheats = await readCheats(cheatsFolder);
  const limit = pLimit(3);
  const act = agentIn(sandbox, scratch, new AbortController().signal);
  const toolsFor: CheatYard["toolsFor"] = (bundle, judges = []) => {
    const grade: CheckTools["grade"] = (workspace) =>
      limit(() =>
        gradeSnapshot(
          bundle,
          typeof workspace === "function" ? workspace : () => packTree(workspace),
          {
            sandbox,
            pack: packTree,
            readMembers: readTarMember,
            panel: { judges, seed: 7 },
            labels: { campaign: "test", trial: "cheats" },
          },
          { timeoutMs: 60_000 },
        ),
      );
    let reference: Promise<Grading> | undefined;
    const told = gateTools(() => Promise.reject(new Error("graded in containers")));
    return {
      ...told,
      grade,
      gradeReferenceOnce: () => (reference ??= grade(referenceWorkspace(bundle))),
      actAsAgent: (request) => limit(() => act(request)),
      seen: [],
      cheats,
    };
  };
  return {
    cheats,
    toolsFor,
    prove: (bundle, { names, judges } = {}) => {
      const chosen = cheats.filter(({ name }) => names === undefined || names.includes(name));
      return cheatsFail.prove(bundle, { ...toolsFor(bundle, judges), cheats: chosen });
    },
    close: () => rm(scratch, { recursive: true, force: true }),
  };
}
