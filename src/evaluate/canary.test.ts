import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Canary } from "../artefacts/canary.ts";
import { overlay, textOf } from "../artefacts/tree.ts";
import { type DockerSandbox, dockerSandbox } from "../sandbox/docker-sandbox.ts";
import type { Container, ContainerRequest, Sandbox } from "../sandbox/port.ts";
import { defaultSettings } from "../sandbox/settings.ts";
import { packTree } from "../sandbox/tar.ts";
import { answerBenchmark, answerBundle, treeOf } from "../testing/benchmark.ts";
import { openChanged } from "../testing/changed-container.ts";
import { type CanaryRequest, type CanaryTools, probeArm } from "./canary.ts";

const markdown = "---\nname: sample\n---\n\n# Sample\n\nWrite right.\n";
const secret = "expected = sorted({'alpha': 1, 'beta': 22, 'gamma': 333}.items())\n";
const treatment = {
  skill: { name: "sample", markdown },
  files: treeOf({ "SKILL.md": markdown, "scripts/answer.sh!": "echo right\n" }),
};

let docker: DockerSandbox;
beforeAll(async () => {
  docker = await dockerSandbox(defaultSettings);
}, 1_800_000);
afterAll(() => docker.close());

function requestFor(arm: CanaryRequest["arm"], over: Partial<CanaryRequest> = {}): CanaryRequest {
  const bundle = {
    ...answerBundle(),
    reference: treeOf({ "answer.py": secret }),
    grader: treeOf({ "grade!": `#!/usr/bin/env python3\nCONVICTING_VALUES = (4711, 815)\n` }),
  };
  return {
    campaign: "test",
    skill: "sample",
    arm,
    benchmark: answerBenchmark("sample", bundle),
    treatment,
    deliver: (planted) => (arm === "with_skill" ? planted : null),
    ...over,
  };
}

function send(request: CanaryRequest, over: Partial<CanaryTools> = {}): Promise<Canary> {
  return probeArm(request, { sandbox: docker, pack: packTree, ...over });
}

function failed(canary: Canary): string[] {
  return canary.probes.filter(({ passed }) => !passed).map(({ probe }) => probe);
}

/** The sandbox with an `open` of its own, for faults that a canary must find. */
function sandboxThat(open: Sandbox["open"], image = docker.image): Sandbox {
  return { image, open };
}

/** Opens as asked and then does something to the container that should not have been done. */
function after(act: (container: Container) => Promise<unknown>): Sandbox {
  return sandboxThat(async (request, signal) => {
    const container = await docker.open(request, signal);
    await act(container);
    return container;
  });
}

function run(container: Container, command: string): Promise<unknown> {
  return container.run({ command, timeoutMs: 10_000, maxOutputBytes: 1000 });
}

test("both arms pass, and the evidence says what was asked and found", async () => {
  const skilled = await send(requestFor("with_skill"));
  const bare = await send(requestFor("without_skill"));
  expect([failed(skilled), failed(bare)]).toEqual([[], []]);
  const found = ({ probes }: Canary, name: string) => probes.find(({ probe }) => probe === name)?.answered;
  expect(found(skilled, "skill_in_files")).toMatch(
    /^\/skill\/SKILL\.md, \/skill\/(canary-[0-9a-f]{32}\.txt), the name of \/skill\/\1$/,
  );
  expect([found(skilled, "skill_in_prompt"), found(bare, "skill_in_prompt")]).toEqual(["skill", "none"]);
  expect([found(bare, "skill_in_files"), found(bare, "interfaces")]).toEqual(["none", "lo"]);
  expect(found(bare, "outside_connections")).toContain("169.254.169.254 ENETUNREACH");
  expect(bare).toMatchObject({
    format: "skillproof/canary@2",
    endpoint: null,
    image: docker.image.id,
    passed: true,
  });
  expect(bare.searched.files).toBeGreaterThan(0);
  expect(bare.probes.find(({ probe }) => probe === "reference")?.asked).toContain("1 piece(s)");
});

const marker = "0123456789abcdef-planted";
const markerTree = treeOf({ "SKILL.md": marker });

test.each<[string, string[], () => Sandbox]>([
  [
    "the skill is mounted",
    ["mounts", "skill_in_files"],
    () => sandboxThat((request, signal) => docker.open({ ...request, skill: markerTree }, signal)),
  ],
  ["a file holds it", ["skill_in_files"], () => after((it) => run(it, `echo "see ${marker}" > /tmp/notes`))],
  ["a name holds it", ["skill_in_files"], () => after((it) => run(it, `mkdir -p /dev/shm/x-${marker}`))],
  ["a link holds it", ["skill_in_files"], () => after((it) => run(it, `ln -s /x/${marker} /tmp/link`))],
  [
    "a process has it in its command line",
    ["skill_in_processes"],
    () => after((it) => run(it, `(exec -a ${marker} sleep 600) > /dev/null 2>&1 &`)),
  ],
])("an arm without the skill fails when %s", async (_how, probes, sandboxOf) => {
  // The first marker is the skill's.
  const markers = [marker];
  const newMarker = (): string => markers.pop() ?? randomUUID();
  const canary = await send(requestFor("without_skill"), { sandbox: sandboxOf(), newMarker });
  expect(failed(canary)).toEqual(probes);
  expect(canary.passed).toBe(false);
});

test("an arm that gets what it should not, or not what it should, fails", async () => {
  const leaked = await send(requestFor("without_skill", { deliver: (planted) => planted }));
  expect(failed(leaked)).toEqual(["mounts", "skill_in_files", "skill_in_prompt"]);
  const prompted = requestFor("without_skill", { deliver: ({ skill }) => ({ skill, files: [] }) });
  expect(failed(await send(prompted))).toContain("skill_in_prompt");
  const empty = await send(requestFor("with_skill", { deliver: () => null }));
  expect(failed(empty)).toEqual(["mounts", "skill_in_files", "skill_in_prompt"]);
  const unmounted = sandboxThat((request, signal) => docker.open({ ...request, skill: null }, signal));
  expect(failed(await send(requestFor("with_skill"), { sandbox: unmounted }))).toEqual([
    "mounts",
    "skill_in_files",
  ]);
});

test.each<["reference" | "grader" | "fixtures"]>([["reference"], ["grader"], ["fixtures"]])(
  "%s: what is delivered wrongly is found",
  async (what) => {
    const request = requestFor("without_skill");
    const { bundle } = request.benchmark;
    const pack: CanaryTools["pack"] = (tree) =>
      packTree(what === "fixtures" ? bundle.fixtures : overlay(tree, bundle[what]));
    expect(failed(await send(request, { pack }))).toEqual([what]);
  },
);

test("a user's own image is searched whole", async () => {
  const container = await docker.open(agentRequest);
  const file = await container.readFile("/usr/lib/os-release", 10_000);
  await container.dispose();
  if (file.kind !== "read") throw new Error(file.reason);
  const reference = treeOf({ "answer.txt": new TextDecoder().decode(file.bytes) });
  expect(textOf(reference, "answer.txt")).toContain("Debian");
  const request = requestFor("without_skill");
  const benchmark = { ...request.benchmark, bundle: { ...request.benchmark.bundle, reference } };
  const user = sandboxThat((...args) => docker.open(...args), { ...docker.image, base: "user" });
  const canary = await send({ ...request, benchmark }, { sandbox: user });
  expect(failed(canary)).toEqual(["reference"]);
  expect(canary.searched.filesOfImage).toBe(0);
});

const agentRequest: ContainerRequest = {
  role: "agent",
  labels: { campaign: "test", trial: "canary" },
  skill: null,
};

test.each([
  [
    "a network",
    ["interfaces", "routes", "outside_connections"],
    { NetworkDisabled: false, HostConfig: { NetworkMode: "host", Sysctls: {} } },
  ],
  [
    "an answer to names",
    ["name_resolution"],
    { NetworkDisabled: false, HostConfig: { ExtraHosts: ["example.com:192.0.2.7"] } },
  ],
])("a container with %s fails", async (_what, probes, change) => {
  const open = (request: ContainerRequest): Promise<Container> => openChanged(docker, request, change);
  const canary = await send(requestFor("without_skill"), { sandbox: sandboxThat(open) });
  expect(failed(canary)).toEqual(expect.arrayContaining(probes));
});

test("probes that cannot be carried out are an infrastructure error", async () => {
  const broken = after(async (container) => {
    const runIt = container.run.bind(container);
    container.run = (request, signal) =>
      runIt({ ...request, command: "echo no python >&2; exit 127" }, signal);
    await Promise.resolve();
  });
  await expect(send(requestFor("without_skill"), { sandbox: broken })).rejects.toThrow(
    "the isolation probes could not be carried out (exit code 127): no python",
  );
});
