import { stringify } from "smol-toml";
import type { Bundle } from "../../artefacts/bundle.ts";
import { sortedTree, type TreeEntry } from "../../artefacts/tree.ts";
import type { Exported, Loss } from "../losses.ts";
import { laidInTask, layoutFormat } from "./exported-layout.ts";
import { outcomeProgram, shimProgram, testProgram } from "./test-program.ts";

export type HarborOptions = {
  /** Debian packages of the environment: what tasks and graders may count on. python3 is always among them. */
  readonly packages: readonly string[];
  /** Of the agent and of one grading. */
  readonly agentSeconds: number;
  readonly graderSeconds: number;
};

export const harborDefaults: HarborOptions = {
  packages: ["python3"],
  agentSeconds: 1800,
  graderSeconds: 120,
};

const schemaVersion = "1.3";
/** Beyond the grader's own limit: for what test.sh does before and after. */
const spareSeconds = 60;
const buildSeconds = 1800;

/** What every exported task lacks. */
const losses: readonly Loss[] = [
  {
    part: "sp-run",
    words:
      "the workspace's programs are executed as the same user as the grader: they can read its files, end it and write the reward",
  },
  {
    part: "grader/",
    words:
      "it is executed in the container where the agent worked, on the workspace itself rather than on a copy, and processes that the agent left may still be there",
  },
  {
    part: "grader/",
    words: "descriptor 3 is a file: which assertions failed stands in the verifier's output only",
  },
  { part: "gate.json", words: "the proof that the grader is sound is not part of a Harbor task" },
  { part: "benchmark.yaml outputs, regression", words: "kept in tests/benchmark.yaml and used by nothing" },
  {
    part: "sandbox",
    words: "another image with the same Debian packages, whose versions are those of the day it is built",
  },
  {
    part: "network",
    words:
      'network_mode is "no-network": an agent that has to reach its model from inside the container needs another way',
  },
];

/** A bundle as a Harbor task of schema 1.3 that `importHarbor` reads back equal. A judged bundle is refused. */
export function exportHarbor(bundle: Bundle, options: Partial<HarborOptions> = {}): Exported {
  if (bundle.spec.judged) {
    const reason =
      "benchmark.yaml: judged is true: a Harbor task's reward comes from its tests alone, and nobody there asks three judges. Export benchmarks whose grader decides by itself.";
    return { kind: "refused", reasons: [reason] };
  }
  const settings = { ...harborDefaults, ...options };
  const tree = [
    ...laidInTask(bundle.tree),
    textFile("task.toml", taskToml(bundle, settings)),
    textFile("environment/Dockerfile", dockerfile(bundle, settings.packages)),
    textFile("solution/solve.sh", solveProgram(bundle), 0o755),
    textFile("tests/test.sh", testProgram(settings.graderSeconds), 0o755),
    textFile("tests/read-outcome.py", outcomeProgram),
    textFile("tests/sp-run", shimProgram, 0o755),
    textFile("README.md", readme(bundle)),
  ];
  return { kind: "exported", tree: sortedTree(tree), losses };
}

function taskToml({ id, spec, hash }: Bundle, { agentSeconds, graderSeconds }: HarborOptions): string {
  const table = {
    schema_version: schemaVersion,
    task: { name: `skillproof/${nameOf(id)}`, description: spec.title },
    metadata: { skillproof: { format: layoutFormat, benchmark: id, bundle: hash } },
    agent: { timeout_sec: agentSeconds },
    verifier: { timeout_sec: graderSeconds + spareSeconds },
    environment: {
      ...{ build_timeout_sec: buildSeconds, os: "linux", gpus: 0n },
      ...{ workdir: "/workspace", network_mode: "no-network" },
    },
  };
  // Seconds are floats in that schema, and TOML tells them from integers.
  return `${stringify(table, { numbersAsFloat: true }).trimEnd()}\n`;
}

/** Of an id, what Harbor's names may hold. */
function nameOf(id: string): string {
  const name = id.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "");
  return name === "" ? "benchmark" : name;
}

function dockerfile({ fixtures }: Bundle, packages: readonly string[]): string {
  const names = [...new Set(["python3", ...packages])].sort();
  const lines = [
    "FROM debian:bookworm-slim",
    "RUN apt-get update \\",
    "    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \\",
    ...names.map((name) => `        ${name} \\`),
    "    && rm -rf /var/lib/apt/lists/*",
    "WORKDIR /workspace",
    ...(fixtures.length > 0 ? ["COPY fixtures/ /workspace/"] : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** Takes away what the solution removes, then lays the reference over the workspace. */
function solveProgram({ spec, reference }: Bundle): string {
  const folders = spec.removes.map((path) => path.split("/").slice(0, -1).join("/"));
  const lines = [
    "#!/bin/bash",
    "set -eu",
    'solution="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"',
    'cd "${HARBOR_WORKSPACE:-/workspace}"',
    ...spec.removes.map((path) => `rm -f -- ${quoted(path)}`),
    ...[...new Set(folders)]
      .filter((folder) => folder !== "")
      .map((folder) => `rmdir -p --ignore-fail-on-non-empty -- ${quoted(folder)} 2> /dev/null || true`),
    ...(reference.length > 0 ? ['cp -R --remove-destination "$solution/reference/." .'] : []),
  ];
  return `${lines.join("\n")}\n`;
}

function readme({ id, spec }: Bundle): string {
  const lines = losses.map(({ part, words }) => `- **${part}**: ${words}.`);
  return `# ${inMarkdown(spec.title)}

The skillproof benchmark ${inMarkdown(id)} as a Harbor task. \`skillproof import\` reads it back equal as long as its files stay as they are.

\`tests/test.sh\` executes \`tests/grader/grade\`, which writes what it checked to descriptor 3, and gives the reward 1 when everything holds and 0 when something does not. A grader that breaks its contract leaves no reward.

## What the benchmark loses here

${lines.join("\n")}
`;
}

/** A title is an author's: it writes no markup of its own. */
function inMarkdown(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").replace(/[\\*_\`<>[\]#|~]/g, "\\$&");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function textFile(path: string, text: string, mode = 0o644): TreeEntry {
  return { kind: "file", path, mode, bytes: new TextEncoder().encode(text) };
}
