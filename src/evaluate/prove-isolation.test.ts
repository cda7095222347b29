import { expect, test } from "vitest";
import type { Canary } from "../artefacts/canary.ts";
import { InfrastructureError } from "../errors.ts";
import type { PipelineEvent } from "../events.ts";
import { type Container, SandboxError } from "../sandbox/port.ts";
import { deliverableWith, plannedArm } from "../testing/arms.ts";
import { answerBenchmark, sampleInputs, treeOf } from "../testing/benchmark.ts";
import { fakeContainer } from "../testing/fake-container.ts";
import type { CanaryRequest } from "./canary.ts";
import { planTrials } from "./plan-trials.ts";
import { oneOfEachArm, proveIsolation } from "./prove-isolation.ts";

const subject = deliverableWith("sample", { "SKILL.md": "# S" });
const request: CanaryRequest = {
  campaign: "c",
  skill: "sample",
  arm: plannedArm("without_skill"),
  delivery: "inject",
  benchmark: answerBenchmark(),
  subject,
  skills: [],
  deliver: () => null,
};

/** Fixtures, reference, grader; the skill's files and its description. */
const markersPerCanary = 5;

/** What the script prints in a closed container, but for the names of interfaces. */
function answerWith(interfaces: readonly string[], found: readonly string[]): string {
  const counts = { files: 1, bytes: 1, unreadableFiles: 0, filesOfImage: 0 };
  return JSON.stringify({
    // The first marker is that of the fixtures.
    found: { "0": found },
    searched: { ...counts, processes: 1, unreadableProcesses: 0 },
    interfaces,
    routes: [],
    resolved: "refused: no",
    connections: [["192.0.2.1", "ENETUNREACH"]],
    mounts: ["/"],
    there: [],
  });
}

function setting(options: { interfaces?: readonly string[]; image?: string; lost?: number } = {}) {
  const shelf: Canary[] = [];
  const events: PipelineEvent[] = [];
  let opened = 0;
  const container = (): Container => ({
    ...fakeContainer({
      run: () => ({
        stdout: answerWith(options.interfaces ?? ["lo"], [
          "/workspace/canary-m0.txt",
          "the name of /workspace/canary-m0.txt",
        ]),
      }),
    }),
    unpack: () => Promise.resolve({ refused: "" }),
  });
  let made = 0;
  return {
    shelf,
    events,
    opened: () => opened,
    tools: {
      sandbox: {
        image: { id: options.image ?? "sha256:1", recipe: "r", base: "packages" as const },
        open: () =>
          ++opened <= (options.lost ?? 0)
            ? Promise.reject(new SandboxError("gone"))
            : Promise.resolve(container()),
      },
      pack: async function* (): AsyncGenerator<Uint8Array> {
        await Promise.resolve();
      },
      newMarker: () => `m${made++ % markersPerCanary}`,
      listen: (event: PipelineEvent) => void events.push(event),
      shelf: {
        readCanaries: () => Promise.resolve(shelf),
        writeCanary: (canary: Canary) => {
          shelf.push(canary);
          return Promise.resolve("canaries/1.json");
        },
      },
    },
  };
}

test("one trial of each skill and arm stands for the others, in the plan's order", () => {
  const trials = planTrials(sampleInputs(), "recipe");
  const chosen = oneOfEachArm(trials);
  expect(chosen).toHaveLength(2);
  expect(chosen[0]).toBe(trials[0]);
  expect(chosen[1]?.arm).not.toBe(chosen[0]?.arm);
});

test("what was proven is not proven again; another image, another skill, another delivery or a failure is", async () => {
  const { tools, opened, shelf, events } = setting();
  await proveIsolation([request], tools);
  await proveIsolation([request], tools);
  expect([opened(), shelf.length]).toEqual([1, 1]);
  expect(events).toEqual([
    { kind: "stage", stage: "canary", words: "sample/without_skill: 11 of 11 isolation probes passed" },
  ]);
  const image = { ...tools.sandbox.image, id: "sha256:2" };
  await proveIsolation([request], { ...tools, sandbox: { ...tools.sandbox, image } });
  const files = treeOf({ "SKILL.md": "# S", more: "x" });
  await proveIsolation([{ ...request, subject: { ...subject, files } }], tools);
  await proveIsolation([{ ...request, arm: { ...request.arm, delivered: "other" } }], tools);
  expect(opened()).toBe(4);
  shelf.forEach((canary, n) => (shelf[n] = { ...canary, passed: false }));
  await proveIsolation([request], tools);
  expect(opened()).toBe(5);
});

test("each of several engines is proven by itself, and again only where its image is another", async () => {
  const { tools, shelf, events } = setting();
  const opened: string[] = [];
  const on = (name: string, id: string) => ({
    name,
    sandbox: {
      image: { ...tools.sandbox.image, id },
      open: () => {
        opened.push(name);
        return tools.sandbox.open();
      },
    },
  });
  const over = (...endpoints: ReturnType<typeof on>[]) => ({
    ...tools,
    sandbox: { ...tools.sandbox, endpoints },
  });
  const next = { ...request, skill: "next" };
  await proveIsolation([request, next], over(on("tcp://a", "sha256:1"), on("tcp://b", "sha256:2")));
  expect(opened).toEqual(["tcp://a", "tcp://b", "tcp://a", "tcp://b"]);
  expect(shelf.map(({ skill, endpoint, image }) => [skill, endpoint, image])).toEqual([
    ["sample", "tcp://a", "sha256:1"],
    ["sample", "tcp://b", "sha256:2"],
    ["next", "tcp://a", "sha256:1"],
    ["next", "tcp://b", "sha256:2"],
  ]);
  expect(events[1]).toMatchObject({
    words: "sample/without_skill on tcp://b: 11 of 11 isolation probes passed",
  });
  opened.length = 0;
  const changed = over(on("tcp://b", "sha256:2"), on("tcp://a", "sha256:3"), on("tcp://c", "sha256:2"));
  await proveIsolation([request], changed);
  expect(opened).toEqual(["tcp://a", "tcp://c"]);
  await proveIsolation([request], tools);
  expect(shelf.at(-1)).toMatchObject({ endpoint: null, passed: true });
});

test("an arm that is closed on one engine and open on another is not isolated", async () => {
  const { tools, shelf } = setting();
  const open = setting({ interfaces: ["eth0", "lo"] });
  const endpoints = [
    { name: "tcp://a", sandbox: tools.sandbox },
    { name: "tcp://b", sandbox: open.tools.sandbox },
  ];
  const proving = proveIsolation([request], { ...tools, sandbox: { ...tools.sandbox, endpoints } });
  await expect(proving).rejects.toThrow("isolation of sample/without_skill on tcp://b is not proven");
  expect(shelf.map(({ endpoint, passed }) => [endpoint, passed])).toEqual([
    ["tcp://a", true],
    ["tcp://b", false],
  ]);
});

test("an engine that takes no canary is named, and stops", async () => {
  const { tools } = setting();
  const open = () => Promise.reject(new SandboxError("gone"));
  const endpoints = [{ name: "tcp://b", sandbox: { image: tools.sandbox.image, open } }];
  const proving = proveIsolation([request], { ...tools, sandbox: { ...tools.sandbox, endpoints } });
  await expect(proving).rejects.toThrow("no canary could be sent to tcp://b, 3 times: gone");
});

test("a failed canary is kept, named and stops", async () => {
  const { tools, shelf } = setting({ interfaces: ["eth0", "lo"] });
  const proving = proveIsolation([request, { ...request, skill: "next" }], tools);
  await expect(proving).rejects.toThrow(InfrastructureError);
  await expect(proving).rejects.toThrow(/interfaces: .* expected lo, found eth0, lo\n.*canaries\/1\.json/);
  expect(shelf.map(({ skill, passed }) => [skill, passed])).toEqual([["sample", false]]);
});

test("a lost probe container is sent again, three times at most", async () => {
  const twice = setting({ lost: 2 });
  await proveIsolation([request], twice.tools);
  expect([twice.opened(), twice.shelf.length]).toEqual([3, 1]);
  const always = setting({ lost: 3 });
  await expect(proveIsolation([request], always.tools)).rejects.toThrow(
    "no canary could be sent, 3 times: gone",
  );
  expect(always.shelf).toEqual([]);
});
