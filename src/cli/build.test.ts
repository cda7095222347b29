import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dump } from "js-yaml";
import { afterEach, beforeEach, expect, test } from "vitest";
import { chunksSchema } from "../artefacts/chunks.ts";
import { clustersSchema } from "../artefacts/clusters.ts";
import { gateRecordSchema } from "../artefacts/gate.ts";
import { writeTree } from "../store/tree.ts";
import { answerBundle, treeOf } from "../testing/benchmark.ts";
import { type CapturedIo, capturedIo } from "../testing/captured-io.ts";
import { startFake } from "../testing/fake-openrouter.mjs";
import { thirtySections } from "../testing/thirty-sections.ts";
import { main } from "./main.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "build-"));
  await writeTree(join(folder, "office"), treeOf({ "SKILL.md": thirtySections() }));
});
afterEach(() => rm(folder, { recursive: true }));

/** A campaign whose author is this shell script, started in an empty folder with the prompt on stdin. */
async function authoredBy(script: string): Promise<void> {
  await writeFile(
    join(folder, "author.sh"),
    `cat > ${folder}/prompt.md; echo called >> ${folder}/calls\n${script}\n`,
  );
  const config = {
    name: "office",
    authoring: { backend: "command", command: ["bash", join(folder, "author.sh")], maxAttempts: 2 },
    clustering: { benchmarks: 5 },
    gate: { mutants: 8, gradings: 2 },
  };
  await writeFile(join(folder, "skillproof.config.yaml"), dump(config));
}

async function build(...args: string[]): Promise<{ code: number; io: CapturedIo }> {
  const io = capturedIo(folder, { env: { PATH: process.env.PATH } });
  return { code: await main(["build", "office", ...args], io), io };
}

async function artefact(name: string): Promise<unknown> {
  return JSON.parse(await readFile(join(folder, "benchmarks/office", name), "utf8"));
}

async function calls(): Promise<number> {
  return (await readFile(join(folder, "calls"), "utf8")).trimEnd().split("\n").length;
}

test("a skill of thirty sections gives clusters of its topics, without engine or key", async () => {
  await authoredBy("exit 1");
  const { code, io } = await build("--until", "cluster");
  expect(code, io.stderr()).toBe(0);
  expect(chunksSchema.parse(await artefact("chunks.json")).chunks).toHaveLength(30);
  const clusters = clustersSchema.parse(await artefact("clusters.json"));
  expect(clusters.clusters.filter(({ selected }) => selected !== null)).toHaveLength(5);
  expect(clusters.settings.duplicateCosine).toBe(0.999);
  const topicsOf = (units: readonly string[]) => units.map((id) => Math.floor(Number(id.split("#")[1]) / 5));
  const ofMainTopic = clusters.clusters.map(({ units }) => {
    const topics = topicsOf(units);
    return Math.max(...topics.map((topic) => topics.filter((other) => other === topic).length));
  });
  expect(ofMainTopic.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(24);
});

test("what is odd about a skill is said once, with its line; what breaks the rules of skills is called an error", async () => {
  await authoredBy("exit 1");
  const file = join(folder, "office/SKILL.md");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(/^name: .*$/m, "name: Office!\nmood: fine"));
  const { io } = await build("--until", "cluster");
  expect(io.stderr()).toMatch(/^warning {2}line \d+: .*mood/m);
  expect(io.stderr()).toMatch(/^warning {2}error, line \d+: /m);
});

test("vectors can come from an /embeddings endpoint, and are asked for once", async () => {
  const server = await startFake();
  try {
    const embedding = { provider: "openai", model: "acme/embed", baseUrl: server.baseURL };
    await writeFile(join(folder, "skillproof.config.yaml"), dump({ name: "office", embedding }));
    const first = await build("--until", "cluster");
    expect(first.code, first.io.stderr()).toBe(0);
    const clusters = clustersSchema.parse(await artefact("clusters.json"));
    expect(clusters.embedding).toMatchObject({ provider: "openai", model: "acme/embed", dimensions: 256 });
    expect(clusters.settings.duplicateCosine).toBe(0.98);
    const asked = server.fake.log.length;
    await build("--until", "cluster");
    expect(server.fake.log).toHaveLength(asked);
    expect(clustersSchema.parse(await artefact("clusters.json"))).toEqual(clusters);
  } finally {
    await server.close();
  }
});

test("a bundle written by an outside program is gated, kept, and left alone the next time", async () => {
  const delivered = join(folder, "delivered");
  await writeTree(delivered, answerBundle().tree);
  await authoredBy(`cp -r ${delivered}/. .`);
  await build("--until", "cluster");
  const [chosen] = clustersSchema
    .parse(await artefact("clusters.json"))
    .clusters.filter(({ selected }) => selected !== null);
  const id = chosen?.id ?? "";

  const first = await build("--only", id);
  expect(first.code, first.io.stderr()).toBe(0);
  const gate = gateRecordSchema.parse(await artefact(`${id}/gate.json`));
  expect(gate.passed).toBe(true);
  expect(gate.provenance).toMatchObject({ isolated: false, attempts: 1 });
  const prompt = await readFile(join(folder, "prompt.md"), "utf8");
  expect(prompt).toContain("python3");
  expect(prompt).toContain("sp-run");

  const second = await build("--only", id);
  expect(second.io.stderr()).toContain("(unchanged since its gate)");
  expect(await calls()).toBe(1);
  const forced = await build("--only", id, "--force");
  expect(forced.code, forced.io.stderr()).toBe(0);
  expect(await calls()).toBe(2);
  // Two whole gates.
}, 300_000);

test("a grader that accepts an untouched workspace is refused with reasons, twice, and FAILED.md holds them", async () => {
  const grade = `#!/usr/bin/env bash\necho '{"assertion":"answer.txt holds the answer","passed":true}' >&3\n`;
  const delivered = join(folder, "delivered");
  await writeTree(delivered, answerBundle("answer", { grade }).tree);
  await authoredBy(`cp -r ${delivered}/. .`);
  await build("--until", "cluster");
  const [chosen] = clustersSchema
    .parse(await artefact("clusters.json"))
    .clusters.filter(({ selected }) => selected !== null);
  const { code, io } = await build("--only", chosen?.id ?? "");
  expect(code, io.stderr()).toBe(1);
  expect(await calls()).toBe(2);
  expect(await readFile(join(folder, "prompt.md"), "utf8")).toContain("untouched-fails");
  const failed = await readFile(join(folder, "benchmarks/office", chosen?.id ?? "", "FAILED.md"), "utf8");
  expect(failed.match(/refused by untouched-fails/g)).toHaveLength(2);
});

test("a program that fails is an attempt with its words, not a crash", async () => {
  await authoredBy("echo out of ideas >&2; exit 7");
  await build("--until", "cluster");
  const [chosen] = clustersSchema
    .parse(await artefact("clusters.json"))
    .clusters.filter(({ selected }) => selected !== null);
  const { code } = await build("--only", chosen?.id ?? "");
  expect(code).toBe(1);
  const failed = await readFile(join(folder, "benchmarks/office", chosen?.id ?? "", "FAILED.md"), "utf8");
  expect(failed).toContain("7");
  expect(failed).toContain("out of ideas");
});
