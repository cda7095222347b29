import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { chunksSchema } from "./artefacts/chunks.ts";
import { clustersSchema } from "./artefacts/clusters.ts";
import { clusterHash, clusterRequest } from "./author/cluster-request.ts";
import { contractHash } from "./author/contract.ts";
import { parseDraft } from "./author/draft.ts";
import { skillFiles } from "./chunk/skill-files.ts";
import { checks, defaultGateSettings } from "./gate/run-gate.ts";
import { readBenchmarks, readSkill } from "./store/benchmarks.ts";
import { readCheats } from "./store/cheats.ts";

const root = join(import.meta.dirname, "..");
const folder = join(root, "benchmarks/house-style");

const killsSchema = z.object({ killed: z.number(), survived: z.array(z.unknown()) });

test("README tells the kill rates of the shipped benchmarks, and how many cheats there are", async () => {
  const readme = await readFile(join(root, "README.md"), "utf8");
  const benchmarks = await readBenchmarks(folder, "house-style", parseDraft);
  const table = benchmarks.map(({ bundle, gate }) => {
    const record = gate.checks.find(({ check }) => check === "mutants-fail");
    const { killed, survived } = killsSchema.parse(record?.evidence);
    return [bundle.id, `${killed} of ${killed + survived.length}`];
  });
  const told = [...readme.matchAll(/^\| ([a-z-]+) +\| (\d+ of \d+) +\|$/gm)].map(([, id, rate]) => [
    id,
    rate,
  ]);
  expect(told).toEqual(table);
  const [settings] = benchmarks.map(({ gate }) => gate.settings);
  expect(settings).toEqual(defaultGateSettings);
  expect(readme).toContain(`(${settings?.mutants} sampled with seed ${settings?.seed};`);
  const cheats = await readCheats(join(root, "src/gate/cheats"));
  expect(readme).toMatch(new RegExp(`\\| +${cheats.length} cheating workspaces fail,`));
  for (const { name } of checks) expect(readme).toContain(`\`${name}\``);
});

test("the shipped benchmarks passed today's gate, as they are, from today's skill", async () => {
  const benchmarks = await readBenchmarks(folder, "house-style", parseDraft);
  expect(benchmarks.length).toBeGreaterThanOrEqual(5);
  const skill = await readSkill(join(root, "skills/house-style"));
  const chunks = chunksSchema.parse(JSON.parse(await readFile(join(folder, "chunks.json"), "utf8")));
  const clusters = clustersSchema.parse(JSON.parse(await readFile(join(folder, "clusters.json"), "utf8")));
  for (const { bundle, gate } of benchmarks) {
    expect(
      gate.checks.map(({ check }) => check),
      bundle.id,
    ).toEqual(checks.map(({ name }) => name));
    const cluster = clusters.clusters.find(({ id }) => id === bundle.id);
    expect(cluster, bundle.id).toBeDefined();
    const request = clusterRequest(cluster!, chunks, skillFiles(skill.tree));
    expect(gate.provenance, bundle.id).toMatchObject({ clusterHash: clusterHash(request), contractHash });
  }
});
