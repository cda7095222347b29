import { join } from "node:path";
import { expect, test } from "vitest";
import { replayAuthor } from "../agents/author-replay.ts";
import { type FileTree, textOf } from "../artefacts/tree.ts";
import { parseDraft } from "../author/draft.ts";
import { chunkSkill, defaultChunkSettings } from "../chunk/chunk-skill.ts";
import { clusterUnits } from "../cluster/cluster-units.ts";
import { embedUnits } from "../embed/embed-units.ts";
import { lexicalEmbedder } from "../embed/lexical.ts";
import { loadStandInPolicy } from "../models/stand-in-policy.ts";
import { bundleFolders, readBundle, readSkill } from "../store/benchmarks.ts";
import { memoryVectorCache } from "./memory-vector-cache.ts";

const here = join(import.meta.dirname, "demo");
const root = join(here, "..", "..", "..");
const bundlesFolder = join(root, "benchmarks", "house-style");

const skill = await readSkill(join(root, "skills", "house-style"));
const placebo = await readSkill(join(root, "skills", "careful-engineering"));
const policy = await loadStandInPolicy(join(here, "policy.yaml"));
const bundleIds = await bundleFolders(bundlesFolder);
const bundles = await Promise.all(bundleIds.map((id) => readBundle(join(bundlesFolder, id), parseDraft)));

/** As in demo.config.yaml. */
const clustering = {
  seed: 7,
  kMin: 7,
  kMax: 10,
  benchmarks: 7,
  duplicateCosine: 0.98,
  minClusterTokens: 120,
};

const chunks = chunkSkill(skill, defaultChunkSettings);
const embedding = await embedUnits(chunks.units, lexicalEmbedder(), memoryVectorCache());
const { clusters } = clusterUnits(chunks.units, embedding, clustering, skill.id);
const selected = clusters.filter((cluster) => cluster.selected !== null);

const givenUp = "shift-log";

/** Facts and tasks may be wrapped differently than the text they stand in. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}

function allText(tree: FileTree): string {
  return oneLine(tree.map(({ path }) => textOf(tree, path) ?? "").join("\n"));
}

test("the skill has seven capabilities: a benchmark for each, and one that is given up", () => {
  expect(selected.map(({ id }) => id).sort()).toEqual([...bundleIds, givenUp].sort());
});

test("no cluster mixes two capabilities", () => {
  const capability = (unitId: string): string | undefined => {
    const unit = chunks.units.find(({ id }) => id === unitId);
    const top = { "references/ledger.md": "Ledger export", "references/calendar.md": "Weekly rollup" };
    return new Map(Object.entries(top)).get(unit?.file ?? "") ?? unit?.path[1];
  };
  for (const { id, units } of selected) {
    expect(new Set(units.map(capability)).size, id).toBe(1);
  }
});

test("every selected cluster has a recording, and each recorded draft has the form of a bundle", async () => {
  const author = await replayAuthor(join(here, "replay.yaml"));
  for (const { id, units } of selected) {
    const titles = units.flatMap((unit) => chunks.units.filter((other) => other.id === unit));
    for (const attempt of id === givenUp ? [1, 2, 3] : [1]) {
      const request = { id: `house-style/${id}`, titles: titles.map(({ title }) => title), attempt };
      const answer = await author.draft({ ...request, prompt: "", assets: [], previous: [] });
      expect(answer.kind, id).toBe("draft");
      if (answer.kind !== "draft") continue;
      expect(parseDraft(id, answer.tree), id).toMatchObject({ kind: "bundle" });
    }
  }
});

test("every stand-in has a policy for every task, and the sentence that names it occurs in no other", () => {
  for (const [model, tasks] of policy.models) {
    const named = tasks.map(({ task }) =>
      bundles.filter((bundle) => oneLine(bundle.task).includes(oneLine(task))).map(({ id }) => id),
    );
    expect(named.flat().sort(), model).toEqual(bundleIds);
    expect(Math.max(...named.map((ids) => ids.length)), model).toBe(1);
  }
});

test("what a stand-in must know stands in the skill and nowhere else", () => {
  const told = allText(skill.tree);
  const elsewhere = [
    allText(placebo.tree),
    ...bundles.flatMap((b) => [oneLine(b.task), allText(b.fixtures)]),
  ];
  for (const fact of [...policy.models.values()].flat().flatMap(({ facts }) => facts.map(oneLine))) {
    expect(told, fact).toContain(fact);
    for (const text of elsewhere) expect(text, fact).not.toContain(fact);
  }
});

test("a document that a stand-in looks into is there and is named in SKILL.md", () => {
  const looks = [...policy.models.values()].flat().flatMap(({ look }) => look);
  expect(looks.length).toBeGreaterThan(0);
  for (const path of looks) {
    expect(textOf(skill.tree, path), path).toBeDefined();
    expect(textOf(skill.tree, "SKILL.md")).toContain(path);
  }
});
