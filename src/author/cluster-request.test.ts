import { expect, test } from "vitest";
import type { Chunk, Chunks, Unit } from "../artefacts/chunks.ts";
import { chunksFormat } from "../artefacts/chunks.ts";
import type { Cluster } from "../artefacts/clusters.ts";
import { treeOf } from "../testing/benchmark.ts";
import { clusterHash, clusterRequest } from "./cluster-request.ts";

const chunk = (id: string, title: string, text: string, startLine: number): Chunk => ({
  id,
  file: id.split("#")[0] ?? "",
  index: Number(id.split("#")[1]),
  level: 2,
  title,
  path: ["Sample", title],
  startLine,
  endLine: startLine + 9,
  text,
  tokens: text.length,
  sha256: "",
  boilerplate: false,
});
const unit = (chunks: readonly string[], title: string, tokens: number, boilerplate = false): Unit => ({
  id: chunks[0] ?? "",
  chunks: [...chunks],
  title,
  path: [],
  file: "SKILL.md",
  embeddedText: "",
  tokens,
  boilerplate,
});
const chunks: Chunks = {
  format: chunksFormat,
  skill: { id: "sample", name: "sample", description: null, treeHash: "" },
  sources: "linked",
  chunks: [
    chunk("SKILL.md#0", "Overview", "All about it, long.", 1),
    chunk("SKILL.md#1", "Ledger", "See [the exporter](./scripts/export.py).", 10),
    chunk("SKILL.md#2", "Letters", "Use assets/head.txt and guide.md.", 20),
    chunk("references/ledger.md#0", "Codes", "Call scripts/check.sh.", 1),
  ],
  units: [
    unit(["SKILL.md#0"], "Overview", 900, true),
    unit(["SKILL.md#1"], "Ledger", 100),
    unit(["SKILL.md#2"], "Letters", 300),
    unit(["references/ledger.md#0"], "Codes", 200),
  ],
  links: [
    { target: "./scripts/export.py", path: "scripts/export.py", line: 12, kind: "link", status: "found" },
  ],
  files: ["assets/head.txt", "guide.md", "scripts/check.sh", "scripts/export.py", "scripts/other.py"].map(
    (path) => ({
      path,
      bytes: 1,
      executable: false,
      link: null,
    }),
  ),
  nestedSkills: [],
  diagnostics: [],
};
const tree = treeOf({
  "SKILL.md": "x",
  "assets/head.txt": "head",
  "guide.md": "guide",
  "scripts/check.sh!": "check",
  "scripts/export.py!": "export",
  "scripts/other.py!": "other",
});
const cluster = (units: readonly string[]): Cluster => ({
  index: 0,
  id: "ledger",
  units: [...units],
  tokens: 0,
  boilerplate: false,
  selected: null,
  notSelected: null,
});

test.each<[string, readonly string[], readonly string[], readonly string[], readonly string[]]>([
  ["a linked script", ["SKILL.md#1"], ["Ledger"], ["Ledger"], ["scripts/export.py"]],
  ["a named asset, but no document", ["SKILL.md#2"], ["Letters"], ["Letters"], ["assets/head.txt"]],
  [
    "document order, the largest title first, boilerplate last",
    ["references/ledger.md#0", "SKILL.md#1", "SKILL.md#0"],
    ["Codes", "Ledger", "Overview"],
    ["Overview", "Ledger", "Codes"],
    ["scripts/check.sh", "scripts/export.py"],
  ],
])("%s", (_what, units, titles, sections, assets) => {
  const request = clusterRequest(cluster(units), chunks, tree);
  expect(request.id).toBe("sample/ledger");
  expect(request.titles).toEqual(titles);
  expect(request.sections.map(({ path }) => path.at(-1))).toEqual(sections);
  expect(request.assets.map(({ path }) => path)).toEqual(assets);
});

test("the hash follows what the author sees and nothing else", () => {
  const request = clusterRequest(cluster(["SKILL.md#1"]), chunks, tree);
  const hash = clusterHash(request);
  expect(
    clusterHash(
      clusterRequest(
        cluster(["SKILL.md#1"]),
        chunks,
        treeOf({ "SKILL.md": "y", "scripts/export.py!": "export" }),
      ),
    ),
  ).toBe(hash);
  const [section] = request.sections;
  expect(clusterHash({ ...request, sections: [{ ...section!, text: "other" }] })).not.toBe(hash);
  expect(clusterHash({ ...request, assets: treeOf({ "scripts/export.py!": "changed" }) })).not.toBe(hash);
});
