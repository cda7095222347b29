import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DockerSandbox, dockerSandbox } from "../../sandbox/docker-sandbox.ts";
import { defaultSettings } from "../../sandbox/settings.ts";
import { packTree } from "../../sandbox/tar.ts";
import { tell, testLabels } from "../sandbox-containers.ts";
import type { Attack, AttackStep } from "./attack.ts";
import { type Carried, carryOut, freeze, gradeFrozen, type Yard } from "./carry-out.ts";
import { workspaceThatSays } from "./three-ways-bundle.ts";

const MiB = 2 ** 20;
const canaryText = "unharmed\n";
/** Test workers hold a few tens of MiB that come and go; an attack that reached us would cost hundreds. */
const growthLimit = 192 * MiB;
const lookEveryMs = 50;

/**
 * Each attack in a workspace with the right answer and in one with a wrong answer, while a neighbour works: the
 * host's file is unharmed, our memory bounded, the neighbour's answers and verdict right, nothing survives the end, and
 * the verdict is the one that the workspace deserves. A `SandboxError`, which would void the trial, fails the test.
 */
export function attackTests(attacks: readonly Attack[], timeoutMs: number): void {
  describe("an attack leaves host, harness and neighbour unharmed and the verdict right", () => {
    let sandbox: DockerSandbox;
    let yard: Yard;

    beforeAll(async () => {
      sandbox = await dockerSandbox(defaultSettings);
      const folder = await mkdtemp(join(tmpdir(), "skillproof-attacks-"));
      const canary = join(folder, "canary", "file");
      await mkdir(join(folder, "canary"));
      await writeFile(canary, canaryText);
      await chmod(canary, 0o666);
      yard = { sandbox, folder, canary };
    }, 600_000);
    afterAll(async () => {
      await sandbox.close();
      await rm(yard.folder, { recursive: true });
    });

    test.each(attacks.map((attack) => [attack.name, attack] as const))(
      "%s",
      async (_name, attack) => {
        const memory = watchMemory();
        const neighbour = startNeighbour(yard);
        try {
          const answers = ["right", "wrong"] as const;
          const both = await Promise.allSettled(
            answers.map(async (answer) => {
              const carried = await carryOut(attack.steps, answer, yard);
              expectAnswers(attack.steps, carried);
              expectVerdict(attack, answer, carried);
              expect(carried.survivors).toBe("");
            }),
          );
          for (const end of both) if (end.status === "rejected") throw end.reason;
        } finally {
          expect(await neighbour.stop()).toMatchObject({ wrong: [], verdict: { verdict: "passed" } });
          expect(memory.stop()).toBeLessThan(growthLimit);
        }
        await expectCanary(yard.canary);
      },
      timeoutMs,
    );
  });
}

/** Works beside a right answer until it is stopped, keeps every answer that was wrong, and is graded then. */
function startNeighbour(yard: Yard) {
  let stopped = false;
  const wrong: string[] = [];
  const work = async (): Promise<Pick<Carried, "verdict" | "log">> => {
    const container = await yard.sandbox.open({ role: "agent", labels: testLabels, skill: null });
    try {
      await container.unpack(packTree(workspaceThatSays("right")), "/workspace");
      do {
        const told = await tell(container, "seq 5000 | sort -rn > n && tail -1 n && wc -c < n");
        if (told.out !== "1\n23893\n") wrong.push(JSON.stringify(told));
      } while (!stopped);
      return await gradeFrozen(await freeze(container, yard), yard);
    } finally {
      await container.dispose();
    }
  };
  const working = work();
  working.catch(() => undefined); // awaited by `stop`
  return {
    stop: async () => {
      stopped = true;
      return { wrong, ...(await working) };
    },
  };
}

function expectAnswers(steps: readonly AttackStep[], { answers }: Carried): void {
  steps.forEach((step, at) => {
    if (step.says !== undefined) expect(answers[at], JSON.stringify(step).slice(0, 200)).toMatch(step.says);
  });
}

function expectVerdict(attack: Attack, answer: "right" | "wrong", { verdict, log }: Carried): void {
  const expected = answer === "wrong" ? "failed" : attack.rightBecomes;
  expect(verdict.verdict, `${answer}, ${JSON.stringify(verdict)}\n${log}`).toBe(expected);
  if (attack.answerIsGone === true) expect(verdict.assertions[0], log).toMatchObject({ passed: false });
  if (attack.graderMayBreak !== true) expect(verdict.reason, log).toBeNull();
}

async function expectCanary(path: string): Promise<void> {
  const { mode } = await stat(path);
  const found = {
    text: await readFile(path, "utf8"),
    mode: mode & 0o777,
    beside: await readdir(join(path, "..")),
  };
  expect(found).toEqual({ text: canaryText, mode: 0o666, beside: ["file"] });
}

/** How far our memory grew at most above what it was, in bytes. */
function watchMemory(): { readonly stop: () => number } {
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, lookEveryMs);
  return {
    stop: () => {
      clearInterval(timer);
      return most - before;
    },
  };
}
