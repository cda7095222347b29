import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chunksSchema } from "../../artefacts/chunks.ts";
import { clustersSchema } from "../../artefacts/clusters.ts";
import { textOf } from "../../artefacts/tree.ts";
import { clusterRequest } from "../../author/cluster-request.ts";
import { parseDraft } from "../../author/draft.ts";
import { skillFiles } from "../../chunk/skill-files.ts";
import { bundleFolders, readBundle, readSkill } from "../../store/benchmarks.ts";
import { answerBundle } from "../../testing/benchmark.ts";
import { findLeaks } from "./find-leaks.ts";

const root = join(import.meta.dirname, "../../..");
const folder = join(root, "benchmarks/house-style");
const ids = await bundleFolders(folder);
const skill = await readSkill(join(root, "skills/house-style"));
const chunks = chunksSchema.parse(JSON.parse(await readFile(join(folder, "chunks.json"), "utf8")));
const clusters = clustersSchema.parse(JSON.parse(await readFile(join(folder, "clusters.json"), "utf8")));

test.each(ids)(
  "the shipped benchmark %s gives nothing away, whatever section it is held against",
  async (id) => {
    const bundle = await readBundle(join(folder, id), parseDraft);
    const cluster = clusters.clusters.find((one) => one.id === id)!;
    const { sections } = clusterRequest(cluster, chunks, skillFiles(skill.tree));
    expect(sections.length).toBeGreaterThan(0);
    for (const compared of [sections, chunks.chunks]) {
      const { leaks, toldWholes } = findLeaks(bundle, { sections: compared, skill: skill.tree });
      expect(leaks.filter(({ kind }) => kind !== "told")).toEqual([]);
      expect(toldWholes).toEqual([]);
    }
  },
);

test.each(["weekly-rollup", "ledger-export", "configuration-layers", "crate-tags"])(
  "what the grader of %s expects is found when it lies in the fixtures, whole or in half",
  async (id) => {
    const bundle = await readBundle(join(folder, id), parseDraft);
    const { path } = bundle.grader.find((file) => /expected|cases/.test(file.path))!;
    const expected = textOf(bundle.grader, path)!;
    const lines = expected.split("\n");
    const half = lines.slice(0, Math.ceil(lines.length / 2)).join("\n");
    for (const text of [expected, half, expected.replaceAll("\n", "\r\n")]) {
      const planted = {
        kind: "file",
        path: "attic/old.txt",
        mode: 0o644,
        bytes: new TextEncoder().encode(text),
      } as const;
      const { leaks } = findLeaks(
        { ...bundle, fixtures: [...bundle.fixtures, planted] },
        { sections: null, skill: null },
      );
      expect(leaks.map(({ kind, from, to }) => [kind, from, to])).toContainEqual([
        "answer",
        `grader/${path}`,
        "fixtures/attic/old.txt",
      ]);
    }
  },
);

test.each(ids)("a task made of %s's own sections is all how", (id) => {
  const cluster = clusters.clusters.find((one) => one.id === id)!;
  const { sections } = clusterRequest(cluster, chunks, skillFiles(skill.tree));
  for (const { file, text } of sections.filter(({ tokens }) => tokens > 60)) {
    const task = `Do as follows.\n\n${text}`;
    const { leaks } = findLeaks(answerBundle("answer", { task }), { sections, skill: null });
    const how = leaks.filter(({ kind, to }) => kind === "how" && to === `skill/${file}`);
    expect(how.length, text).toBeGreaterThan(0);
  }
});
