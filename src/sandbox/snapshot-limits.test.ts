import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { collect, streamOf, tell, testLabels } from "../testing/sandbox-containers.ts";
import { type DockerSandbox, dockerSandbox } from "./docker-sandbox.ts";
import type { Container, Sandbox } from "./port.ts";
import { defaultSettings } from "./settings.ts";
import { largestArchive, snapshotLimits } from "./snapshot-limits.ts";
import { readTarMember } from "./tar.ts";
import { tarMembers } from "./tar-members.ts";

const MiB = 2 ** 20;

let memory: DockerSandbox;
let disk: DockerSandbox;
beforeAll(async () => {
  memory = await dockerSandbox({ ...defaultSettings, workspaceMiB: 16 });
  disk = await dockerSandbox({ ...defaultSettings, workspace: "volume", workspaceMiB: 2 });
}, 1_800_000);
afterAll(() => Promise.all([memory.close(), disk.close()]));

async function openIn(sandbox: Sandbox): Promise<Container> {
  return sandbox.open({ role: "agent", labels: { ...testLabels, trial: randomUUID() }, skill: null });
}

type Kept = { readonly names: readonly string[]; readonly tar: Uint8Array; readonly leftOut: string | null };

async function keptAfter(container: Container, command: string): Promise<Kept> {
  const { exitCode, err } = await tell(container, command);
  if (exitCode !== 0) throw new Error(`the agent failed: ${err}`);
  let leftOut: string | null = null;
  const tar = await collect(container.snapshot((words) => (leftOut = words)));
  const names: string[] = [];
  for await (const { path } of tarMembers(streamOf(tar))) if (path !== "") names.push(path ?? "?");
  return { names, tar, leftOut };
}

test.each([
  [
    "more bytes than the limit",
    "head -c 3M /dev/urandom > a-big; echo kept > b",
    ["b"],
    "1 beyond 2097152 bytes in all",
  ],
  ["a sparse file of little data", "truncate -s 2T a; echo x >> a; echo kept > b", ["a", "b"], null],
  [
    "more entries than the limit",
    "mkdir d; cd d; seq 1000 | xargs touch",
    /^(d(\/\d+)?,){399}d\/\d+$/,
    "1 or more after the first 400",
  ],
  [
    "folders too deep",
    "echo kept > b; mkdir -p $(printf 'd/%.0s' $(seq 120))",
    /^b(,(d\/)*d){100}$/,
    "1 more than 100 folders deep",
  ],
  [
    "paths too long for a program",
    "echo kept > b; n=$(printf 'n%.0s' $(seq 250)); for i in $(seq 20); do mkdir $n && cd $n; done",
    /^b(,[n/]+){15}$/,
    "1 with a path of more than 4000 bytes",
  ],
  ["nothing to leave out", "echo kept > b; mkdir c; echo x > c/d", ["b", "c", "c/d"], null],
])("a workspace with %s counts, with what is within the limits", async (_name, command, names, words) => {
  const container = await openIn(disk);
  const kept = await keptAfter(container, command);
  if (names instanceof RegExp) expect(kept.names.join(",").replaceAll(/\/(?=,|$)/g, "")).toMatch(names);
  else expect(kept.names).toEqual(names);
  expect(kept.leftOut).toBe(words === null ? null : `left out, with what lies below: ${words}`);
  await container.dispose();
});

test("a folder with more names than anybody can hold costs neither the trial nor the memory", async () => {
  const container = await openIn(disk);
  const many = "mkdir m; cd m; python3 -c \"[open(str(i) + 'x' * 200, 'w').close() for i in range(20000)]\"";
  const kept = await keptAfter(container, `echo kept > b; ${many}`);
  expect(kept.names).toHaveLength(400);
  expect(kept.names[0]).toBe("b");
  await container.dispose();
}, 120_000);

test("a full memory workspace is kept whole, and hard links that would not fit stay links", async () => {
  const container = await openIn(memory);
  const fill = "head -c 10M /dev/urandom > a; ln a b; ln a c; (cat /dev/zero > rest || true) 2> /dev/null";
  const { names, tar, leftOut } = await keptAfter(container, fill);
  expect(names).toEqual(["a", "b", "c", "rest"]);
  expect(leftOut).toBeNull();
  expect(tar.length).toBeLessThan(17 * MiB);
  const second = await openIn(memory);
  expect(await second.unpack(streamOf(tar), "/workspace")).toEqual({ refused: "" });
  expect((await tell(second, "cmp a c && stat -c %h b")).out).toBe("3\n");
  await Promise.all([container.dispose(), second.dispose()]);
});

test("a hard link is a file of its own in the snapshot, so that judges can read either name", async () => {
  const container = await openIn(memory);
  const { tar } = await keptAfter(container, "echo text > draft.md; ln draft.md answer.md");
  const heads = await readTarMember(streamOf(tar), () => true, { bytesEach: 100 });
  expect([...heads].map(([path, { bytes }]) => [path, Buffer.from(bytes).toString()])).toEqual([
    ["answer.md", "text\n"],
    ["draft.md", "text\n"],
  ]);
  await container.dispose();
});

test("what its owner locked is in the snapshot, the workspace itself too", async () => {
  const container = await openIn(memory);
  const lock = "mkdir d; echo x > d/f; ln -s nowhere l; mkfifo p; chmod 0 d/f d; chmod 0 /workspace";
  expect((await keptAfter(container, lock)).names).toEqual(["d", "d/f", "l", "p"]);
  await container.dispose();
});

test("the largest archive leaves room for any workspace within the limits", () => {
  const limits = snapshotLimits(defaultSettings);
  expect(limits).toEqual({ bytes: 256 * MiB, entries: 51_200, depth: 100, nameBytes: 4000 });
  expect(largestArchive(limits)).toBeGreaterThan(limits.bytes + limits.entries * 9728);
  expect(snapshotLimits({ workspaceMiB: 100_000 }).entries).toBe(500_000);
});
