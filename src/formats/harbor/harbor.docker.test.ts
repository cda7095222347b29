import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Bundle } from "../../artefacts/bundle.ts";
import type { GraderOutcome } from "../../artefacts/grading.ts";
import { type FileTree, overlay, subtree } from "../../artefacts/tree.ts";
import { parseDraft } from "../../author/draft.ts";
import { gradeSnapshot } from "../../grade/grade-snapshot.ts";
import { type DockerSandbox, dockerSandbox } from "../../sandbox/docker-sandbox.ts";
import type { Container } from "../../sandbox/port.ts";
import { defaultSettings } from "../../sandbox/settings.ts";
import { packTree, readTarMember, readTarTree } from "../../sandbox/tar.ts";
import { readBundle } from "../../store/benchmarks.ts";
import { answerBundle, treeOf } from "../../testing/benchmark.ts";
import { harborTask, taskTomlWith } from "../../testing/formats/harbor/task.ts";
import { tell, testLabels, type Told } from "../../testing/sandbox-containers.ts";
import type { ImportTools } from "../losses.ts";
import { exportHarbor } from "./export-harbor.ts";
import { importHarbor } from "./import-harbor.ts";

let sandbox: DockerSandbox;
beforeAll(async () => {
  sandbox = await dockerSandbox(defaultSettings);
}, 600_000);
afterAll(() => sandbox.close());

const limits = { bytes: 1_000_000, entries: 1000, depth: 20, nameBytes: 500 };

const tools: ImportTools = {
  perform: async ({ workspace, files, script }) => {
    const container = await sandbox.open({ role: "agent", labels: testLabels, skill: null });
    try {
      await container.unpack(packTree(workspace), "/workspace");
      for (const [path, text] of Object.entries(files))
        expect(await container.writeFile(path, new TextEncoder().encode(text))).toEqual({ kind: "written" });
      await tell(container, script);
      return (await readTarTree(container.snapshot(), limits)).tree;
    } finally {
      await container.dispose();
    }
  },
};

async function importedBundle(task: FileTree): Promise<Bundle> {
  const got = await importHarbor("count", task, tools);
  if (got.kind === "refused") throw new Error(got.reasons.join("\n"));
  const parsed = parseDraft("count", got.tree);
  if (parsed.kind === "faults") throw new Error(parsed.faults.join("\n"));
  return parsed.bundle;
}

async function grade(bundle: Bundle, workspace: FileTree): Promise<GraderOutcome> {
  const { outcome } = await gradeSnapshot(bundle, () => packTree(workspace), {
    sandbox,
    pack: packTree,
    readMembers: readTarMember,
    panel: { judges: [], seed: 7 },
    labels: testLabels,
  });
  return outcome;
}
const referenceOf = ({ fixtures, reference, spec }: Bundle): FileTree =>
  overlay(fixtures, reference, spec.removes);

test("an imported task's own solution passes its own tests; untouched and empty workspaces fail", async () => {
  const bundle = await importedBundle(harborTask());
  expect(bundle.reference.map(({ path }) => path)).toEqual(["out/sum.txt"]);
  expect(bundle.spec.removes).toEqual(["old.txt"]);
  const assertion = "the imported verifier gives the full reward";
  expect(await grade(bundle, referenceOf(bundle))).toEqual({
    kind: "passed",
    assertions: [{ assertion, passed: true }],
  });
  const failed = { kind: "failed", assertions: [{ assertion, passed: false }] };
  expect(await grade(bundle, bundle.fixtures)).toEqual(failed);
  expect(await grade(bundle, [])).toEqual(failed);
});

const json = (text: string): string => `printf '%s' '${text}' > /logs/verifier/reward.json`;
const txt = (text: string): string => `printf '%s' '${text}' > /logs/verifier/reward.txt`;

test.each<[string, string, GraderOutcome["kind"], string]>([
  ["reward.json wins over reward.txt", `${json('{"reward": 1}')}\n${txt("0")}`, "passed", ""],
  ["all of several rewards", json('{"a": 1, "b": 1.0}'), "passed", ""],
  ["one of several rewards below 1", json('{"a": 1, "b": 0.99}'), "failed", ""],
  ["a number with spaces", txt(" 1.0 "), "passed", ""],
  ["part of a reward", txt("0.5"), "failed", ""],
  ["a failing test.sh with a reward", `${txt("1")}\nexit 9`, "passed", ""],
  ["no reward", "true", "error", "exit code 2"],
  ["a reward that is no number", txt("pass"), "error", "exit code 2"],
  ["not a number by name", txt("nan"), "error", "exit code 2"],
  ["an empty reward.json beside a sound reward.txt", `${json("")}\n${txt("1")}`, "error", "exit code 2"],
  ["an empty object", json("{}"), "error", "exit code 2"],
  ["a list", json("[1]"), "error", "exit code 2"],
  ["true as a reward", json('{"a": true}'), "error", "exit code 2"],
  ["NaN as a reward", json('{"a": NaN}'), "error", "exit code 2"],
  ["a huge integer", json(`{"a": 1${"0".repeat(400)}}`), "passed", ""],
  [
    "a deep reward.json",
    `python3 -c 'print("["*100000)' > /logs/verifier/reward.json`,
    "error",
    "exit code 2",
  ],
  ["a link as a reward", "echo 1 > x; ln -s /workspace/x /logs/verifier/reward.txt", "error", "exit code 2"],
  ["a folder as a reward", "mkdir /logs/verifier/reward.txt", "error", "exit code 2"],
  ["words on descriptor 3", `echo '{"assertion":"x","passed":true}' >&3\n${txt("0")}`, "failed", ""],
])("%s", async (_what, script, kind, reason) => {
  // test.sh alone varies, so the solution need not be carried out again.
  const solved: ImportTools = {
    perform: ({ workspace }) =>
      Promise.resolve(overlay(workspace, treeOf({ "sum.txt": "7", ".skillproof-solve-ended": "0\n" }))),
  };
  const got = await importHarbor(
    "count",
    harborTask({ "tests/test.sh": `#!/bin/bash\n${script}\n` }),
    solved,
  );
  const parsed = parseDraft("count", got.kind === "imported" ? got.tree : []);
  if (parsed.kind === "faults") throw new Error(parsed.faults.join("\n"));
  const outcome = await grade(parsed.bundle, []);
  expect(outcome.kind).toBe(kind);
  expect(outcome.kind === "error" ? outcome.reason : "").toContain(reason);
});

test("variables of the verifier and the solution arrive", async () => {
  const toml = taskTomlWith({
    verifier: `env = { WANTED = "it's \\"é\\"" }`,
    solution: `env = { MADE = "it's \\"é\\"" }`,
  });
  const bundle = await importedBundle(
    harborTask({
      "task.toml": toml,
      "solution/solve.sh": 'printf "%s" "$MADE" > made.txt\n',
      "tests/test.sh":
        '[ "$(cat made.txt)" = "$WANTED" ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt\n',
    }),
  );
  expect((await grade(bundle, referenceOf(bundle))).kind).toBe("passed");
  expect((await grade(bundle, [])).kind).toBe("failed");
});

/** A container with an exported task in it: the fixtures in /workspace, its other parts below /grader. */
async function layOut(bundle: Bundle): Promise<Container> {
  const got = exportHarbor(bundle);
  if (got.kind === "refused") throw new Error(got.reasons.join("\n"));
  const container = await sandbox.open({ role: "grader", labels: testLabels, skill: null });
  await container.unpack(packTree(subtree(got.tree, "environment/fixtures")), "/workspace");
  const rest = got.tree.filter(({ path }) => /^(tests|solution)\//.test(path));
  await container.unpack(packTree(rest), "/grader");
  return container;
}

/** What test.sh says, and the reward it leaves. */
async function verify(container: Container): Promise<Told & { readonly reward: string }> {
  const told = await tell(container, "/grader/tests/test.sh", {
    env: { HARBOR_LOGS: "/tmp/logs/verifier" },
    timeoutMs: 60_000,
  });
  const reward = await tell(container, "cat /tmp/logs/verifier/reward.txt");
  return { ...told, reward: reward.out };
}

test("exported benchmarks reward the solution and nothing else", async () => {
  const folder = join(import.meta.dirname, "../../../benchmarks/house-style");
  const members = await readdir(folder, { recursive: true });
  const ids = members
    .filter((path) => path.endsWith("/benchmark.yaml"))
    .map((path) => path.split("/")[0] ?? "");
  const bundles = await Promise.all(ids.map((id) => readBundle(join(folder, id), parseDraft)));
  const removing = { ...answerBundle("removing"), spec: { ...answerBundle().spec, removes: ["notes.txt"] } };
  const imported = await importedBundle(harborTask());
  for (const bundle of [removing, imported, ...bundles.filter(({ spec }) => !spec.judged)]) {
    const container = await layOut(bundle);
    try {
      expect(await verify(container), bundle.id).toMatchObject({ exitCode: 0, reward: "0\n" });
      expect(await tell(container, "/grader/solution/solve.sh"), bundle.id).toMatchObject({
        exitCode: 0,
        err: "",
      });
      for (const path of bundle.spec.removes)
        expect(await tell(container, `ls '${path}'`), path).toMatchObject({ exitCode: 2 });
      const solved = await verify(container);
      expect(solved, `${bundle.id}: ${solved.err}`).toMatchObject({ exitCode: 0, reward: "1\n" });
    } finally {
      await container.dispose();
    }
  }
}, 180_000);

const ok = `echo '{"assertion":"a","passed":true}' >&3`;
const bad = `echo '{"assertion":"b","passed":false}' >&3`;

test.each<[string, string, string]>([
  ["passes without an assertion", "exit 0", "exit code 0 with 0 assertions, 0 of them failed"],
  ["passes with a failed one", `${ok}; ${bad}; exit 0`, "exit code 0 with 2 assertions, 1 of them failed"],
  ["crashes", "exit 1", "exit code 1 with 0 assertions"],
  ["fails with passed ones only", `${ok}; exit 1`, "exit code 1 with 1 assertions, 0 of them failed"],
  ["asks judges", `${ok}; exit 3`, "exit code 3"],
  ["ends otherwise", `${bad}; exit 2`, "exit code 2"],
  ["writes words on descriptor 3", `${ok}; echo fine >&3`, "line 2 is: 'fine'"],
  ["writes a field too many", `echo '{"assertion":"a","passed":true,"x":1}' >&3`, "line 1 is:"],
  ["writes passed as text", `echo '{"assertion":"a","passed":"true"}' >&3`, "line 1 is:"],
  ["writes bytes", "printf '\\xff' >&3", "descriptor 3 is not UTF-8"],
  [
    "writes too much",
    `yes '{"assertion":"a","passed":true}' | head -c 2000000 >&3`,
    "more than 1048576 bytes",
  ],
  ["nests deeply", `python3 -c 'print("["*100000)' >&3`, "line 1 is:"],
  [
    "writes the reward itself",
    "mkdir -p /tmp/logs/verifier; echo 1 > /tmp/logs/verifier/reward.txt; exit 0",
    "exit code 0 with 0",
  ],
])("an exported grader that %s leaves no reward", async (_what, script, words) => {
  const container = await layOut(answerBundle("answer", { grade: `#!/bin/bash\n${script}\n` }));
  try {
    const told = await verify(container);
    expect(told).toMatchObject({ exitCode: 2, reward: "" });
    expect(told.err).toContain(words);
  } finally {
    await container.dispose();
  }
});

test("the stand-in for sp-run has the exit codes of the real one", async () => {
  const container = await layOut(answerBundle());
  try {
    const commands = [
      "sp-run -- sh -c 'exit 7'",
      "sp-run -- sh -c 'kill -9 $$'",
      "sp-run -- no-such-thing",
      "sp-run -- /workspace",
      "sp-run --timeout 0.4 -- sleep 30",
      "sp-run true",
      "sp-run --",
      "sp-run --timeout soon -- true",
      "sp-run --env NAME -- true",
      "sp-run --cwd",
      "sp-run --memory 50 -- python3 -c 'x = bytearray(200 << 20)'",
      "sp-run --env 'A=x y' -- sh -c 'echo \"$A\" \"$OWN\"; pwd; cat; echo no >&3' < /workspace/notes.txt | cat",
      "sp-run -- sh -c 'sleep 941 & sleep 942 & exit 0'; for i in $(seq 50); do pgrep -f '^sleep 94[12]' > /dev/null || break; sleep 0.1; done; pgrep -af '^sleep 94[12]' | cat",
    ];
    for (const command of commands) {
      const env = { OWN: "1" };
      const real = await tell(container, command, { env });
      const shim = await tell(container, `PATH=/grader/tests:$PATH; ${command}`, { env, descriptor3: true });
      expect({ code: shim.exitCode, out: shim.out }, command).toEqual({ code: real.exitCode, out: real.out });
      expect(shim.three, command).toBe("");
    }
  } finally {
    await container.dispose();
  }
});
