import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openChanged, type SpecChange } from "../testing/changed-container.ts";
import { tell, testLabels } from "../testing/sandbox-containers.ts";
import { type DockerSandbox, dockerSandbox } from "./docker-sandbox.ts";
import { type Container, type ContainerUser, SandboxError } from "./port.ts";
import { defaultSettings } from "./settings.ts";

import { server, tried } from "../testing/twins.ts";
import { network, privileges } from "../testing/twins-isolation.ts";
import { files, limits, serverItself } from "../testing/twins-limits.ts";

let sandbox: DockerSandbox;
let plain: Container;
let grading: Container;
beforeAll(async () => {
  sandbox = await dockerSandbox(defaultSettings);
  plain = await openChanged(sandbox, { role: "agent", labels: testLabels }, {});
  grading = await openChanged(sandbox, { role: "grader", labels: testLabels }, {});
}, 1_800_000);
afterAll(async () => {
  await Promise.all([plain.dispose(), grading.dispose()]);
  await sandbox.close();
});

/** What the probe printed, without the last newline; `lost` when it cost the container. */
async function answer(container: Container, command: string, user?: ContainerUser): Promise<string> {
  try {
    return (await tell(container, command, user === undefined ? {} : { user })).out.trimEnd();
  } catch (error) {
    if (error instanceof SandboxError) return "lost";
    throw error;
  }
}

async function answerWith(change: SpecChange, command: string): Promise<string> {
  const container = await openChanged(sandbox, { role: "agent", labels: testLabels }, change);
  try {
    return await answer(container, command);
  } finally {
    await container.dispose();
  }
}

describe.each([
  ["network", network],
  ["privileges", privileges],
  ["server", serverItself],
  ["limits", limits],
  ["files", files],
])("%s", (_group, rows) => {
  test.each(rows)("$probe: closed, and open in the twin", async ({ command, closed, open, base, off }) => {
    expect(await (base === undefined ? answer(plain, command) : answerWith(base, command))).toMatch(closed);
    const twin = await answerWith(off, command);
    expect(twin).toMatch(open);
    expect(twin).not.toMatch(closed);
  });
});

test.each<[string, ContainerUser, string, RegExp, SpecChange, RegExp]>([
  [
    "capabilities within reach of a grading container's commands",
    "grader",
    "grep CapBnd /proc/self/status",
    /\t0{14}e0$/,
    { HostConfig: { CapAdd: ["SETUID", "SETGID", "KILL", "SYS_ADMIN"] } },
    /\t0{10}2000e0$/,
  ],
  [
    "capabilities that they have",
    "grader",
    "grep -E 'Cap(Prm|Eff|Inh|Amb)' /proc/self/status | grep -vc 0000000000000000",
    /^0$/,
    // The server's user gives up nothing when it is not root.
    {
      ...server("processes.GRADER = processes.Identity('grader', 0, 0, [0], 0o002, '/tmp/grader', 500)"),
    },
    /^2$/,
  ],
  [
    "/grader for the agent's code",
    "agent",
    tried("ls /grader"),
    /^refused$/,
    {
      HostConfig: {
        Tmpfs: { "/grader": "mode=0755,uid=1001,gid=1001", "/tmp": "mode=1777", "/workspace": "" },
      },
    },
    /^done$/,
  ],
])("grading, %s: closed, and open in the twin", async (_probe, user, command, closed, off, open) => {
  expect(await answer(grading, command, user)).toMatch(closed);
  const { Cmd, ...rest } = off;
  const change = Cmd === undefined ? rest : { ...rest, Cmd: [...Cmd.slice(0, -2), "grader", "600"] };
  const twin = await openChanged(sandbox, { role: "grader", labels: testLabels }, change);
  try {
    expect(await answer(twin, command, user)).toMatch(open);
  } finally {
    await twin.dispose();
  }
});
