import { type Benchmark, benchmarkFrom } from "../artefacts/benchmark.ts";
import type { Bundle } from "../artefacts/bundle.ts";
import type { Claims } from "../artefacts/claims.ts";
import { type GateRecord, gateFormat } from "../artefacts/gate.ts";
import type { CampaignInputs } from "../artefacts/plan.ts";
import { type FileTree, hashTree, overlay, sortedTree } from "../artefacts/tree.ts";
import { parseDraft } from "../author/draft.ts";

const encoder = new TextEncoder();

/** A tree from texts; names that end with `!` are executable. */
export function treeOf(files: Readonly<Record<string, string>>): FileTree {
  return sortedTree(
    Object.entries(files).map(([name, text]) => ({
      kind: "file",
      path: name.replace(/!$/, ""),
      mode: name.endsWith("!") ? 0o755 : 0o644,
      bytes: encoder.encode(text),
    })),
  );
}

/** A bundle whose task is to write "right" into answer.txt. */
export function answerBundle(
  id = "answer",
  over: Partial<Record<"task" | "grade" | "fixture", string>> = {},
): Bundle {
  const fixtures = treeOf({ "notes.txt": over.fixture ?? "a fixture\n" });
  const reference = treeOf({ "answer.txt": "right\n" });
  const task = over.task ?? "Write the answer into answer.txt.\n";
  const claims: Claims = {
    claims: [{ assertion: "answer.txt holds the answer", sentence: task.trim() }],
    questions: [],
    survivors: [],
    refusals: [],
  };
  const grader = treeOf({ "grade!": over.grade ?? answerGrader, "claims.json": JSON.stringify(claims) });
  const under = (folder: string, tree: FileTree): FileTree =>
    tree.map((entry) => ({ ...entry, path: `${folder}/${entry.path}` }));
  const tree = overlay(
    treeOf({ "task.md": task, "benchmark.yaml": "title: Answer\noutputs: [answer.txt]\n" }),
    [...under("fixtures", fixtures), ...under("reference", reference), ...under("grader", grader)],
  );
  const spec = { title: "Answer", outputs: ["answer.txt"], removes: [], judged: false };
  return { id, spec, task, fixtures, reference, grader, claims, sentinels: null, tree, hash: hashTree(tree) };
}

/** A judged bundle with sentinels: a letter of at least one word, whose tone the judges decide. */
export function letterBundle(over: Readonly<Record<string, string | null>> = {}): Bundle {
  const files: Readonly<Record<string, string | null>> = {
    "benchmark.yaml": "title: Letter\noutputs: [letter.md]\njudged: true\nremoves: [draft.md]\n",
    "task.md": "Write a polite letter to letter.md.\n",
    "fixtures/draft.md": "a draft\n",
    "fixtures/notes.txt": "a fixture\n",
    "reference/letter.md": "Dear Madam\n",
    "sentinels/good/letter.md": "Dear Sir\n",
    "sentinels/bad/letter.md": "You again\n",
    "grader/grade!": letterGrader,
    "grader/claims.json": JSON.stringify(letterClaims),
    ...over,
  };
  const kept = Object.entries(files).flatMap(([path, text]) =>
    text === null ? [] : [[path, text] as const],
  );
  const parsed = parseDraft("letter", treeOf(Object.fromEntries(kept)));
  if (parsed.kind === "faults") throw new Error(parsed.faults.join("\n"));
  return parsed.bundle;
}

const letterClaims = {
  claims: [{ assertion: "there is a letter", sentence: "Write a polite letter to letter.md." }],
  questions: [
    { id: "tone", sentence: "Write a polite letter to letter.md." },
    { id: "anger", sentence: "Write a polite letter to letter.md." },
  ],
};

const letterGrader = `#!/usr/bin/env bash
if [ ! -s letter.md ]; then
  echo '{"assertion":"there is a letter","passed":false}' >&3
  exit 1
fi
echo '{"assertion":"there is a letter","passed":true}' >&3
echo '{"id":"tone","question":"Is the letter polite?","artefacts":["letter.md"],"expect":true}'
echo '{"id":"anger","question":"Is the letter angry?","artefacts":["letter.md"],"expect":false}'
exit 3
`;

const answerGrader = `#!/usr/bin/env bash
if [ "$(cat answer.txt 2>/dev/null | tr -d '\\r')" = right ]; then
  echo '{"assertion":"answer.txt holds the answer","passed":true}' >&3
  exit 0
fi
echo '{"assertion":"answer.txt holds the answer","passed":false}' >&3
exit 1
`;

/** A gate record that fits the bundle, as if it had passed. */
export function passedGate(bundle: Bundle): GateRecord {
  return {
    format: gateFormat,
    benchmark: bundle.id,
    bundleHash: bundle.hash,
    provenance: null,
    image: { id: "sha256:0", recipe: "recipe", base: "packages" },
    settings: { seed: 7, gradings: 5, mutants: 40, killRate: 0.8, leaks: "warn" },
    passed: true,
    checks: [{ check: "structure", passed: true, words: "sound", warnings: [], evidence: null }],
    killRate: null,
    leaks: [],
    answers: [],
    standInJudges: false,
  };
}

export function answerBenchmark(skill = "sample", bundle: Bundle = answerBundle()): Benchmark {
  return benchmarkFrom(skill, bundle, passedGate(bundle));
}

export function sampleInputs(over: Partial<CampaignInputs> = {}): CampaignInputs {
  return {
    name: "sample",
    seed: 7,
    skills: [
      {
        id: "sample",
        treeHash: "t",
        arms: [
          { id: "without_skill", treatment: { kind: "without_skill" }, delivered: null },
          { id: "with_skill", treatment: { kind: "with_skill" }, delivered: "d" },
        ],
        benchmarks: [
          { id: "one", bundleHash: "1" },
          { id: "two", bundleHash: "2" },
        ],
      },
    ],
    models: ["a/x", "b/y"],
    trials: 3,
    delivery: "inject",
    limits: { turns: 5 },
    sandbox: { cpus: 1 },
    judges: [],
    modelSettings: {},
    prompts: { system: "s", tools: "t" },
    standInPolicy: null,
    probe: null,
    excluded: [],
    ...over,
  };
}
