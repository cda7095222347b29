import { join } from "node:path";
import type { Verdict } from "../../artefacts/verdict.ts";
import { gradeSnapshot } from "../../grade/grade-snapshot.ts";
import { gradeTrial } from "../../grade/verdict.ts";
import type { Container, Sandbox } from "../../sandbox/port.ts";
import { packTree, readTarMember } from "../../sandbox/tar.ts";
import { openSnapshot, spoolSnapshot } from "../../store/spool.ts";
import { treeOf } from "../benchmark.ts";
import { tell } from "../sandbox-containers.ts";
import type { AttackStep } from "./attack.ts";
import { threeWaysBundle, workspaceThatSays } from "./three-ways-bundle.ts";

export type Yard = {
  readonly sandbox: Sandbox;
  /** Where snapshots are spooled. */
  readonly folder: string;
  /** A file of the host that no attack may reach. */
  readonly canary: string;
};

export type Carried = {
  /** What each step answered. */
  readonly answers: readonly string[];
  /** Processes that lived in the container after its snapshot was taken, besides the one that counts them. */
  readonly survivors: string;
  readonly verdict: Verdict;
  readonly log: string;
};

const labels = { campaign: "test", trial: "attack" };
const graderMs = 20_000;
const readBytes = 64 * 1024;
let spooled = 0;

/** A trial whose agent takes these steps in a workspace that held `answer`, and its verdict. */
export async function carryOut(
  steps: readonly AttackStep[],
  answer: "right" | "wrong",
  yard: Yard,
): Promise<Carried> {
  const skill = treeOf({ "SKILL.md": "# A skill\n", "notes.md": "more\n" });
  const container = await yard.sandbox.open({ role: "agent", labels, skill });
  try {
    await container.unpack(packTree(workspaceThatSays(answer)), "/workspace");
    const answers: string[] = [];
    for (const step of steps) answers.push(await answerTo(step, container, yard.canary));
    const frozen = await freeze(container, yard);
    const left = await tell(container, "ps -e -o args= | grep -v -e toolserver -e 'ps -e' -e grep", {
      cwd: "/",
    });
    return { answers, survivors: left.out, ...(await gradeFrozen(frozen, yard)) };
  } finally {
    await container.dispose();
  }
}

/** A workspace as it was at one moment. */
type Frozen = { readonly path: string; readonly sha256: string };

export async function freeze(container: Container, { folder }: Yard): Promise<Frozen> {
  const path = join(folder, `${++spooled}.tar.gz`);
  const { sha256 } = await spoolSnapshot(container.snapshot(), path);
  return { path, sha256 };
}

export async function gradeFrozen(
  { path, sha256 }: Frozen,
  { sandbox }: Yard,
): Promise<Pick<Carried, "verdict" | "log">> {
  const tools = {
    sandbox,
    pack: packTree,
    readMembers: readTarMember,
    panel: { judges: [], seed: 7 },
    labels,
  };
  const { verdict, gradings } = await gradeTrial(
    () => gradeSnapshot(threeWaysBundle, () => openSnapshot(path), tools, { timeoutMs: graderMs }),
    sha256,
  );
  return { verdict, log: gradings.map(({ log }) => log).join("\n") };
}

async function answerTo(step: AttackStep, container: Container, canary: string): Promise<string> {
  switch (step.kind) {
    case "bash":
      return commandAnswer(step, container, canary);
    case "read": {
      const read = await container.readFile(step.path, readBytes);
      return read.kind === "refused"
        ? `refused: ${read.reason}`
        : `read ${read.bytes.length} of ${read.totalBytes}`;
    }
    case "write": {
      const written = await container.writeFile(step.path, new TextEncoder().encode("written by a tool\n"));
      return written.kind === "refused" ? `refused: ${written.reason}` : "written";
    }
  }
}

async function commandAnswer(
  step: Extract<AttackStep, { kind: "bash" }>,
  container: Container,
  canary: string,
): Promise<string> {
  const { command, timeoutMs = 30_000 } = step;
  const told = await tell(container, command, { timeoutMs, env: { CANARY: canary } });
  const { out, err, exitCode, signal, timedOut, outOfMemory } = told;
  return [
    out,
    err === "" ? "" : `[stderr] ${err}`,
    timedOut ? "[timed out]" : "",
    outOfMemory ? "[out of memory]" : "",
    signal === null ? "" : `[${signal}]`,
    exitCode === null || exitCode === 0 ? "" : `[exit ${exitCode}]`,
  ].join("");
}
