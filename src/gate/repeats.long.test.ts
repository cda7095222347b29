import pLimit from "p-limit";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Bundle } from "../artefacts/bundle.ts";
import { parseDraft } from "../author/draft.ts";
import { gradeSnapshot } from "../grade/grade-snapshot.ts";
import { type DockerSandbox, dockerSandbox } from "../sandbox/docker-sandbox.ts";
import { defaultSettings } from "../sandbox/settings.ts";
import { packTree, readTarMember } from "../sandbox/tar.ts";
import { readBundle } from "../store/benchmarks.ts";
import { answerBundle } from "../testing/benchmark.ts";
import { collect, streamOf, testLabels } from "../testing/sandbox-containers.ts";
import type { CheckTools, Finding } from "./check.ts";
import { repeatsAgree } from "./checks/repeats-agree.ts";
import { defaultGateSettings } from "./run-gate.ts";
import { referenceWorkspace } from "./workspaces.ts";

let sandbox: DockerSandbox;
beforeAll(async () => {
  sandbox = await dockerSandbox(defaultSettings);
}, 600_000);
afterAll(() => sandbox.close());

const limit = pLimit(2);

/** The check in real containers, two at a time. */
async function prove(bundle: Bundle, gradings = defaultGateSettings.gradings): Promise<Finding> {
  const panel = { judges: [], seed: 7 };
  const tools = { sandbox, pack: packTree, readMembers: readTarMember, panel, labels: testLabels };
  const grade: CheckTools["grade"] = (workspace, { packing, ...under } = {}) => {
    const open = typeof workspace === "function" ? workspace : () => packTree(workspace, packing);
    return limit(() => gradeSnapshot(bundle, open, tools, under));
  };
  const first = grade(referenceWorkspace(bundle));
  return repeatsAgree.prove(bundle, {
    grade,
    gradeReferenceOnce: () => first,
    actAsAgent,
    seen: [],
    settings: { ...defaultGateSettings, gradings },
    context: { sections: null, skill: null },
    cheats: [],
  });
}

const actAsAgent: CheckTools["actAsAgent"] = async ({ workspace, script }) => {
  const container = await sandbox.open({ role: "agent", labels: testLabels, skill: null });
  try {
    await container.unpack(packTree(workspace), "/workspace");
    await container.run({ command: script, timeoutMs: 30_000, maxOutputBytes: 4096 });
    const tar = await collect(container.snapshot());
    return () => streamOf(tar);
  } finally {
    await container.dispose();
  }
};

/** A grader that finds every work right, in words that hold the value of a Python expression. */
function noticing(expression: string): Bundle {
  return answerBundle("noticing", {
    grade: `#!/usr/bin/env python3
import json, os, subprocess, sys, threading, time
def candidate(program):
    told = subprocess.run(["sp-run", "--", "python3", "-c", program], capture_output=True, text=True)
    return told.stdout.strip() + told.stderr.strip()
def waits(act, least, most):
    began = time.monotonic()
    try:
        act()
    except subprocess.TimeoutExpired:
        pass
    return least <= time.monotonic() - began < most
value = ${expression}
os.write(3, (json.dumps({"assertion": f"it is {value}", "passed": True}) + "\\n").encode())
`,
  });
}

/**
 * A time limit on the container's own clock, the processor time of all that is in it: on the machine's clock this test
 * would itself depend on the load of the machine.
 */
const hurried = `
import time
def container():
    try:
        return int(open("/sys/fs/cgroup/cpu.stat").read().split()[1]) / 1e6
    except OSError:
        return int(open("/sys/fs/cgroup/cpuacct/cpuacct.usage").read()) / 1e9
began, used = container(), time.process_time()
while time.process_time() - used < 0.2:
    pass
print(container() - began < 0.4)
`;

test.each<[string, string]>([
  ["the clock", 'time.strftime("%Y")'],
  ["the time zone", `candidate("import time; print(time.strftime('%H', time.localtime(0)))")`],
  ["the locale", `candidate("import locale; locale.setlocale(locale.LC_ALL, ''); print(locale.str(1.5))")`],
  ["the hash seed", `candidate("print(*{'ash', 'elm', 'fir', 'oak', 'pine', 'yew'})")`],
  ["the order of files", "os.listdir()[0]"],
  ["the number of cores", "os.cpu_count()"],
  ["the load of the machine", `candidate(${JSON.stringify(hurried)})`],
  ["the times of files", `os.stat("notes.txt").st_mtime`],
])("%s is named as what a grader depends on", async (cause, expression) => {
  const finding = await prove(noticing(expression));
  expect(finding.warnings).toEqual([]);
  expect(finding.passed).toBe(false);
  expect(finding.evidence).toMatchObject({ causes: [expect.stringContaining(cause)] });
  expect(finding.words).toContain(`It depends on ${cause} (`);
});

test("chance wavers by itself", async () => {
  const finding = await prove(noticing("os.urandom(8).hex()"), 2);
  expect(finding.passed).toBe(false);
  expect(finding.evidence).toMatchObject({ causes: ["by itself"] });
});

const patient = `[
    waits(lambda: time.sleep(0.2), 0.15, 20),
    waits(lambda: subprocess.run(["sleep", "60"], timeout=0.2), 0.15, 20),
    waits(lambda: threading.Event().wait(0.2), 0.15, 20),
    subprocess.run(["sp-run", "--timeout", "0.3", "--", "sleep", "60"]).returncode,
]`;

test.each<[string, () => Bundle | Promise<Bundle>]>([
  ["the smallest bundle", () => answerBundle()],
  ["a shipped benchmark", () => readBundle("benchmarks/house-style/crate-tags", parseDraft)],
  ["a grader that sleeps, waits, and limits programs", () => noticing(patient)],
])("%s agrees, and nothing is left untried", async (_what, bundle) => {
  const finding = await prove(await bundle());
  expect(finding.words).toMatch(
    /^5 independent gradings of the reference agree\. Changed between them: (.+, ){7}/,
  );
  expect(finding).toMatchObject({ passed: true, warnings: [] });
});
