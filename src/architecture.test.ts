import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { expect, test } from "vitest";

const root = import.meta.dirname;
const stages = [
  "chunk",
  "embed",
  "cluster",
  "author",
  "gate",
  "evaluate",
  "grade",
  "conclude",
  "report",
  "verify",
  "compare",
];
const machinery = ["models", "agents", "sandbox", "store", "formats"];

/** The tables of contents: skill to benchmarks, benchmarks to report. */
const pipeline = [
  "pipeline.ts",
  "plan-words.ts",
  "validate-benchmark.ts",
  "probe-benchmarks.ts",
  "campaign.ts",
  "campaign-analysis.ts",
  "campaign-assumptions.ts",
  "campaign-power.ts",
  "campaign-arms.ts",
  "campaign-claims.ts",
  "campaign-estimate.ts",
  "campaign-judges.ts",
  "campaign-looks.ts",
  "campaign-material.ts",
  "campaign-plan.ts",
  "campaign-ports.ts",
  "campaign-report.ts",
  "campaign-sections.ts",
  "campaign-trial.ts",
  "compare-campaigns.ts",
  "trial-pages.ts",
  "trial-view.ts",
  "verify-campaign.ts",
  "verify-folders.ts",
  "verify-material.ts",
  "verify-report.ts",
  "verify-trial.ts",
  "view-campaign.ts",
];

/** What a folder may import besides itself, npm packages, root files and any `port.ts`. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  artefacts: [],
  ...Object.fromEntries(stages.map((stage) => [stage, ["artefacts"]])),
  ...Object.fromEntries(machinery.map((folder) => [folder, ["artefacts"]])),
  statistics: [],
  conclude: ["artefacts", "statistics"],
  compare: ["artefacts", "statistics"],
  report: ["artefacts", "statistics"],
  // Recorded drafts and stand-in policies are folders that a model or an author reads.
  models: ["artefacts", "store"],
  agents: ["artefacts", "store"],
  ...Object.fromEntries(
    pipeline.map((file) => [file, [...stages, ...pipeline, "store", "statistics", "artefacts"]]),
  ),
  // A snapshot is read with our own walk through archives, which is no adapter: bytes in, members out.
  "trial-view.ts": [...stages, ...pipeline, "sandbox", "store", "artefacts"],
  cli: [...pipeline, "artefacts", "store", "formats"],
  // The composition root is the only place that builds adapters.
  "cli/wire.ts": [...stages, ...machinery, ...pipeline, "artefacts", "cli"],
  "cli/model-servers.ts": ["models", "store", "artefacts", "cli"],
  "cli/wire-models.ts": ["models", "agents", "store", "artefacts", "cli"],
  "cli/wire-doctor.ts": [
    "author",
    "evaluate",
    "grade",
    "models",
    "sandbox",
    "store",
    ...pipeline,
    "artefacts",
    "cli",
  ],
  "cli/wire-export.ts": ["author", "formats", "store", "artefacts", "cli"],
  "cli/wire-gate.ts": [...stages, ...machinery, ...pipeline, "artefacts", "cli"],
  "cli/wire-grade.ts": ["gate", "grade", "sandbox", ...pipeline, "artefacts", "cli"],
  "cli/wire-import.ts": ["author", "formats", "sandbox", "store", "artefacts", "cli"],
  "cli/wire-sandbox.ts": ["sandbox", "store", "artefacts", "cli"],
  testing: [...stages, ...machinery, ...pipeline, "artefacts", "cli"],
};
/** Root files that everything may import; they import only each other. */
const foundation = [
  "errors.ts",
  "events.ts",
  "seed.ts",
  "hash.ts",
  "nearest.ts",
  "tokens.ts",
  "differing.ts",
];
const configuration = ["config.ts", "config-load.ts"];
const forbiddenFolders = ["utils", "helpers", "common", "lib"];

type Import = { readonly from: string; readonly to: string };

const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))
  .sort();
const production = sources.filter(
  (file) => !/\.(test|contract)\.ts$/.test(file) && !file.startsWith("testing/"),
);

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  const specifiers = text.matchAll(/^(?:import|export)\b[^;]*?from "(\.[^"]+)"|import\("(\.[^"]+)"\)/gms);
  return [...specifiers].map(([, static_, dynamic]) => ({
    from: file,
    to: normalize(join(dirname(file), static_ ?? dynamic ?? "")),
  }));
}

function folderOf(file: string): string {
  return file.includes("/") ? (file.split("/")[0] ?? "") : file;
}

function isAllowed({ from, to }: Import): boolean {
  const [source, target] = [folderOf(from), folderOf(to)];
  if (source === target || foundation.includes(to) || to.endsWith("/port.ts")) return true;
  if (foundation.includes(from)) return to.startsWith("artefacts/");
  if (configuration.includes(from)) return configuration.includes(to) || to.startsWith("artefacts/");
  if (configuration.includes(to)) return source === "cli";
  return (allowed[from] ?? allowed[source] ?? []).includes(target);
}

test("imports follow the dependency table", () => {
  const violations = production.flatMap(importsOf).filter((edge) => !isAllowed(edge));
  expect(violations.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});

test("the table itself refuses what it should", () => {
  const edges: readonly [string, string, boolean][] = [
    ["gate/run-gate.ts", "grade/verdict.ts", false],
    ["evaluate/plan.ts", "sandbox/docker-sandbox.ts", false],
    ["evaluate/plan.ts", "sandbox/port.ts", true],
    ["models/openai-chat.ts", "evaluate/plan.ts", false],
    ["cli/build.ts", "sandbox/docker-sandbox.ts", false],
    ["cli/wire.ts", "sandbox/docker-sandbox.ts", true],
    ["chunk/chunk-skill.ts", "config.ts", false],
    ["errors.ts", "store/tree.ts", false],
  ];
  for (const [from, to, expected] of edges)
    expect(isAllowed({ from, to }), `${from} -> ${to}`).toBe(expected);
});

test("there is no import cycle", () => {
  const graph = new Map(production.map((file) => [file, importsOf(file).map(({ to }) => to)]));
  const state = new Map<string, "open" | "closed">();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === "closed") return;
    if (state.get(file) === "open") {
      cycles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
      return;
    }
    state.set(file, "open");
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    state.set(file, "closed");
  };
  for (const file of production) visit(file, []);
  expect(cycles).toEqual([]);
});

test("no barrels, no default exports, no drawer folders", () => {
  const drawers = sources.filter((file) => forbiddenFolders.includes(folderOf(file)));
  const barrels = production.filter(
    (file) => /^export (\*|\{[^}]*\}) from/m.test(read(file)) || /(^|\/)index\.ts$/.test(file),
  );
  const defaults = production.filter((file) => /^export default/m.test(read(file)));
  expect({ drawers, barrels, defaults }).toEqual({ drawers: [], barrels: [], defaults: [] });
});

test("every import that is read here exists", () => {
  const missing = production.flatMap(importsOf).filter(({ to }) => !sources.includes(to));
  expect(missing).toEqual([]);
  expect(production.flatMap(importsOf).length).toBeGreaterThan(50);
});

function read(file: string): string {
  return readFileSync(join(root, relative(".", file)), "utf8");
}
