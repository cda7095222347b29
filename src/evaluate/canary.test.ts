import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Canary } from "../artefacts/canary.ts";
import { overlay, textOf } from "../artefacts/tree.ts";
import { type DockerSandbox, dockerSandbox } from "../sandbox/docker-sandbox.ts";
import type { Container, ContainerRequest, Sandbox } from "../sandbox/port.ts";
import { defaultSettings } from "../sandbox/settings.ts";
import { packTree } from "../sandbox/tar.ts";
import { type bothArms, deliverableWith, plannedArm } from "../testing/arms.ts";
import { answerBenchmark, answerBundle, treeOf } from "../testing/benchmark.ts";
import { openChanged } from "../testing/changed-container.ts";
import { type CanaryRequest, type CanaryTools, probeArm } from "./canary.ts";
import { deliver, type Delivery } from "./treatments/deliver.ts";
import type { Deliverable } from "./treatments/deliverable.ts";

const markdown = "---\nname: sample\n---\n\n# Sample\n\nWrite right.\n";
const secret = "expected = sorted({'alpha': 1, 'beta': 22, 'gamma': 333}.items())\n";
const subject = deliverableWith("sample", { "SKILL.md": markdown, "scripts/answer.sh!": "echo right\n" });

let docker: DockerSandbox;
beforeAll(async () => {
  docker = await dockerSandbox(defaultSettings);
}, 1_800_000);
afterAll(() => docker.close());

function requestFor(kind: (typeof bothArms)[number], over: Partial<CanaryRequest> = {}): CanaryRequest {
  const bundle = {
    ...answerBundle(),
    reference: treeOf({ "answer.py": secret }),
    grader: treeOf({ "grade!": `#!/usr/bin/env python3\nCONVICTING_VALUES = (4711, 815)\n` }),
  };
  return {
    campaign: "test",
    skill: "sample",
    arm: plannedArm(kind),
    delivery: "inject",
    benchmark: answerBenchmark("sample", bundle),
    subject,
    skills: [],
    deliver: (plant) => (kind === "with_skill" ? deliver([plant(subject)], "inject") : null),
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
  expect([found(skilled, "skill_in_prompt"), found(bare, "skill_in_prompt")]).toEqual([
    ...["SKILL.md of sample (under test)", "none"],
  ]);
  expect([found(bare, "skill_in_files"), found(bare, "interfaces")]).toEqual(["none", "lo"]);
  expect(found(bare, "outside_connections")).toContain("169.254.169.254 ENETUNREACH");
  expect(bare).toMatchObject({
    format: "skillproof/canary@3",
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
  // Fixtures, reference and grader have the first three, the skill has the fourth.
  const markers = [randomUUID(), randomUUID(), randomUUID(), marker];
  const newMarker = (): string => markers.shift() ?? randomUUID();
  const canary = await send(requestFor("without_skill"), { sandbox: sandboxOf(), newMarker });
  expect(failed(canary)).toEqual(probes);
  expect(canary.passed).toBe(false);
});

test("an arm that gets what it should not, or not what it should, fails", async () => {
  const leaked = await send(
    requestFor("without_skill", { deliver: (plant) => deliver([plant(subject)], "inject") }),
  );
  expect(failed(leaked)).toEqual(["mounts", "skill_in_files", "skill_in_prompt"]);
  const prompted = requestFor("without_skill", {
    deliver: (plant) => ({ ...deliver([plant(subject)], "inject"), files: [] }),
  });
  expect(failed(await send(prompted))).toContain("skill_in_prompt");
  const empty = await send(requestFor("with_skill", { deliver: () => null }));
  expect(failed(empty)).toEqual(["mounts", "skill_in_files", "skill_in_prompt"]);
  const unmounted = sandboxThat((request, signal) => docker.open({ ...request, skill: null }, signal));
  expect(failed(await send(requestFor("with_skill"), { sandbox: unmounted }))).toEqual([
    "mounts",
    "skill_in_files",
  ]);
});

const placebo = deliverableWith("steady-work", { "SKILL.md": "# Work\n\nTake care.\n" });
const careful = deliverableWith("careful", { "skill.md": "# Careful\n", "notes/a b.md": "Notes.\n" });
const lower: Deliverable = { ...careful, file: "skill.md", description: null };
const earlier = deliverableWith("sample", { "SKILL.md": "# Sample\n\nWrite left.\n" });

/** An arm that delivers other skills than the one under test. */
function requestOf(
  treatment: CanaryRequest["arm"]["treatment"],
  skills: readonly Deliverable[],
  delivery: Delivery = "inject",
): CanaryRequest {
  return requestFor("without_skill", {
    ...{ arm: { id: treatment.kind, treatment, delivered: "other" }, delivery, skills },
    deliver: (plant) => deliver(skills.map(plant), delivery),
  });
}

const pack = { kind: "pack", folders: ["careful", "steady-work"] } as const;
const version = { kind: "version", ref: "v1" } as const;

test.each<[string, CanaryRequest, prompt: string, files: RegExp]>([
  [
    "placebo",
    requestOf({ kind: "placebo" }, [placebo]),
    "SKILL.md of steady-work",
    /^\/skill\/SKILL\.md, \/skill\/canary-\w+\.txt, the name of \/skill\/canary-\w+\.txt$/,
  ],
  [
    "pack",
    requestOf({ ...pack, folders: [...pack.folders] }, [lower, placebo]),
    "SKILL.md of careful, SKILL.md of steady-work",
    /^\/skill\/careful\/canary-\w+\.txt, \/skill\/careful\/skill\.md, \/skill\/steady-work\/SKILL\.md, /,
  ],
  ["version", requestOf(version, [earlier]), "SKILL.md of sample", /^\/skill\/SKILL\.md, /],
  [
    "version that is the skill of today",
    requestOf(version, [subject]),
    "SKILL.md of sample (under test)",
    /^\/skill\/SKILL\.md, /,
  ],
  [
    "one skill by its description",
    requestOf({ kind: "placebo" }, [placebo], "discover"),
    "description of steady-work",
    /^\/skill\/steady-work\/SKILL\.md, /,
  ],
  [
    "several by their descriptions",
    requestOf({ ...pack, folders: [...pack.folders] }, [lower, placebo], "discover"),
    "description of careful, description of steady-work",
    /\/skill\/careful\/skill\.md, /,
  ],
])(
  "%s: its own is found in its place, and the skill under test nowhere",
  async (_, request, prompt, files) => {
    const canary = await send(request);
    expect(failed(canary)).toEqual([]);
    const found = (name: string) => canary.probes.find(({ probe }) => probe === name)?.answered;
    expect(found("skill_in_prompt")).toBe(prompt);
    expect(found("skill_in_files")).toMatch(files);
  },
);

test.each<[string, CanaryRequest]>([
  ["the skill under test comes in its place", requestOf({ kind: "placebo" }, [placebo])],
  ["the skill of today comes for an earlier one", requestOf(version, [earlier])],
])("an arm of others fails when %s", async (_, request) => {
  const wrong = await send({ ...request, deliver: (plant) => deliver([plant(subject)], "inject") });
  expect(failed(wrong)).toEqual(["skill_in_files", "skill_in_prompt"]);
  expect(wrong.probes.find(({ probe }) => probe === "skill_in_files")?.answered).toContain(
    "/skill/SKILL.md (SKILL.md of sample (under test))",
  );
});

test("what an arm delivers besides its own is found, and what comes in another way", async () => {
  const request = requestOf({ kind: "placebo" }, [placebo]);
  const both = await send({
    ...request,
    deliver: (plant) => deliver([placebo, careless].map(plant), "inject"),
  });
  expect(failed(both)).toEqual(["skill_in_files", "skill_in_prompt"]);
  const told = requestOf({ kind: "placebo" }, [placebo], "discover");
  const injected = await send({ ...told, deliver: (plant) => deliver([plant(placebo)], "inject") });
  expect(failed(injected)).toEqual(["skill_in_files", "skill_in_prompt"]);
});

const careless = deliverableWith("careless", { "SKILL.md": "# Careless\n" });

test.each<["reference" | "grader" | "fixtures"]>([["reference"], ["grader"], ["fixtures"]])(
  "%s: what is delivered wrongly is found",
  async (what) => {
    const request = requestFor("without_skill");
    const { bundle } = request.benchmark;
    const packed: CanaryTools["pack"] = (tree) =>
      packTree(what === "fixtures" ? bundle.fixtures : overlay(tree, bundle[what]));
    expect(failed(await send(request, { pack: packed }))).toEqual([what]);
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
