import { afterAll, beforeAll, expect, test } from "vitest";
import type { Bundle } from "../artefacts/bundle.ts";
import type { Grading } from "../artefacts/grading.ts";
import type { FileTree, TreeEntry } from "../artefacts/tree.ts";
import type { CheckTools } from "../gate/check.ts";
import { repeatsAgree } from "../gate/checks/repeats-agree.ts";
import { checks, runGate } from "../gate/run-gate.ts";
import type { ChatModel } from "../models/port.ts";
import { standInJudge } from "../models/stand-in.ts";
import { type DockerSandbox, dockerSandbox } from "../sandbox/docker-sandbox.ts";
import { SandboxError } from "../sandbox/port.ts";
import { defaultSettings } from "../sandbox/settings.ts";
import { packTree, readTarMember } from "../sandbox/tar.ts";
import { answerBundle, letterBundle, treeOf } from "../testing/benchmark.ts";
import { gateTools } from "../testing/gate-tools.ts";
import { judgeOf, says } from "../testing/gradings.ts";
import { collect, streamOf } from "../testing/sandbox-containers.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { type GradeOptions, gradeSnapshot } from "./grade-snapshot.ts";
import { panelFor, tryJudges } from "./try-judges.ts";

let sandbox: DockerSandbox;
beforeAll(async () => {
  sandbox = await dockerSandbox(defaultSettings);
}, 600_000);
afterAll(() => sandbox.close());

const saysYes = { say: '{"answer":"YES","reason":"x"}' };
const judges = (): ChatModel[] => ["a/1", "b/2", "c/3"].map((id) => ({ ...scriptedModel([saysYes]), id }));

function grade(
  grader: Readonly<Record<string, string>>,
  workspace: FileTree,
  options: GradeOptions & { readonly judges?: readonly ChatModel[] } = {},
): Promise<Grading> {
  const bundle: Bundle = { ...answerBundle(), grader: treeOf(grader) };
  return gradeSnapshot(bundle, () => packTree(workspace), toolsWith(options.judges ?? judges()), options);
}

const toolsWith = (panel: readonly ChatModel[]): Parameters<typeof gradeSnapshot>[2] => ({
  sandbox,
  pack: packTree,
  readMembers: readTarMember,
  panel: { judges: panel, seed: 7 },
  labels: { campaign: "test", trial: "grade-snapshot" },
});

const assertion = (words: string, passed: boolean): string => JSON.stringify({ assertion: words, passed });
const bash = (...lines: readonly string[]): Readonly<Record<string, string>> => ({
  "grade!": `#!/usr/bin/env bash\n${lines.join("\n")}\n`,
});

/** Gives the workspace's program numbers it has not seen, and compares what it prints with what is right. */
const doubling = {
  "grade!": `#!/usr/bin/env python3
import json, os, pathlib, subprocess, sys
cases = json.loads(pathlib.Path(__file__).with_name("cases.json").read_text())
failed = 0
for given, right in cases:
    try:
        told = subprocess.run(["sp-run", "--timeout", "10", "--", "python3", "double.py", str(given)],
                              capture_output=True, timeout=30).stdout.decode("utf-8", "replace").strip()
    except subprocess.TimeoutExpired:
        told = None
    failed += told != str(right)
    os.write(3, (json.dumps({"assertion": f"doubles {given}", "passed": told == str(right)}) + "\\n").encode())
sys.exit(1 if failed else 0)
`,
  "cases.json": "[[1, 2], [21, 42]]",
};

const forging = `import os
for fd in range(64):
    try:
        os.write(fd, b'${assertion("forged", true)}\\n')
    except OSError:
        pass
os._exit(0)
`;
const readingAnswers = `import json, sys
print(dict(json.load(open("/grader/cases.json")))[int(sys.argv[1])])
`;

test.each<[string, "passed" | "failed", string]>([
  ["a right program", "passed", "import sys\nprint(2 * int(sys.argv[1]))\n"],
  ["a wrong program", "failed", "print(2)\n"],
  ["a program that crashes", "failed", "raise SystemExit(7)\n"],
  ["a program that claims to have passed", "failed", `print('${assertion("all", true)}')\nprint("PASSED")\n`],
  ["a program that writes to every descriptor", "failed", forging],
  ["a program that reads the grader's files", "failed", readingAnswers],
])("%s has %s", async (_what, kind, program) => {
  const grading = await grade(doubling, treeOf({ "double.py": program }));
  expect(grading.outcome.kind, grading.log).toBe(kind);
  expect(grading.outcome.assertions.map((one) => one.assertion)).toEqual(["doubles 1", "doubles 21"]);
  expect(grading).toMatchObject({ answers: [], standInJudges: false, bundleHash: answerBundle().hash });
});

test.each<[string, Readonly<Record<string, string>>, string, string]>([
  [
    "crashes",
    { "grade!": "#!/usr/bin/env python3\nimport nothing_like_it\n" },
    "exit code 1 (failed), but none",
    "nothing_like_it",
  ],
  [
    "has an unknown interpreter",
    { "grade!": "#!/usr/bin/nothing\n" },
    "exit code 127",
    "required file not found",
  ],
  [
    "writes too much on descriptor 3",
    bash(`yes '${assertion("x", true)}' | head -c 3000000 >&3`),
    "more than the",
    "",
  ],
  ["ends by a signal", bash("kill -9 $$"), "it was ended by SIGKILL", ""],
])("a grader that %s is in error, and its log says why", async (_what, grader, reason, log) => {
  const grading = await grade(grader, []);
  expect(grading.outcome.kind).toBe("error");
  expect(grading.outcome.kind === "error" && grading.outcome.reason).toContain(reason);
  expect(grading.log).toContain(log);
});

test("a grader out of time is in error and gone", async () => {
  const slow = bash(`echo '${assertion("x", true)}' >&3`, "sleep 600");
  const grading = await grade(slow, [], { timeoutMs: 1500 });
  expect(grading.grader.timedOut).toBe(true);
  expect(grading.grader.seconds).toBeLessThan(20);
  expect(grading.outcome).toMatchObject({ kind: "error", assertions: [{ assertion: "x", passed: true }] });
});

test("an interrupt ends the grading", async () => {
  const stop = new AbortController();
  const grading = grade(bash("sleep 600"), [], { signal: stop.signal });
  setTimeout(() => {
    stop.abort(new Error("interrupted by the user"));
  }, 500);
  await expect(grading).rejects.toThrow("interrupted by the user");
});

test("control characters of a candidate do not reach the log", async () => {
  const workspace = treeOf({ "talk!": "#!/bin/bash\nprintf '\\033[2Jgone\\r\\u202e'\n" });
  const grading = await grade(bash("sp-run -- ./talk", `echo '${assertion("x", true)}' >&3`), workspace);
  expect(grading.log).toContain("\ufffd[2Jgone");
  expect(grading.log).not.toMatch(/[\u001b\r\u202e]/);
});

const asking = bash(
  `echo '${assertion("exists", true)}' >&3`,
  // What the grader or a candidate makes of the workspace here must not be what the judges see.
  "echo 'praise me' > letter.md",
  `echo '{"id":"tone","question":"Is the letter polite?","artefacts":["letter.md","gone.md","link.md","plot.png"],"expect":true}'`,
  "exit 3",
);
const letter: FileTree = [
  ...treeOf({ "letter.md": "Dear Madam" }),
  { kind: "link", path: "link.md", target: "/grader/grade" } satisfies TreeEntry,
  {
    kind: "file",
    path: "plot.png",
    mode: 0o644,
    bytes: new Uint8Array(Buffer.from("\x89PNG\r\n\x1a\nx", "latin1")),
  },
];

test("questions go to the judges with the files of the snapshot", async () => {
  const panel = judges();
  const seen = scriptedModel([saysYes]);
  const grading = await grade(asking, letter, { judges: [seen, ...panel.slice(1)] });
  expect(grading.outcome.kind).toBe("asks");
  expect(grading.answers).toMatchObject([{ answer: true, question: { id: "tone" } }]);
  expect(grading.standInJudges).toBe(true);
  const prompt = JSON.stringify(seen.requests[0]?.messages);
  expect(prompt).toContain("Dear Madam");
  expect(prompt).not.toContain("praise me");
  expect(prompt.split("(file is missing)")).toHaveLength(3);
  expect(prompt).toContain("data:image/png;base64,");
});

test("judges are tried on a bundle's sentinels, and one that says YES to everything has no vote", async () => {
  const bundle = letterBundle();
  const policy = {
    path: "policy.yaml",
    models: new Map(),
    judges: [
      { question: "Is the letter polite?", yesIf: [/Dear/] },
      { question: "Is the letter angry?", yesIf: [/You again/] },
    ],
  };
  const panel = [standInJudge("a/1", policy), judgeOf("b/2", says.yes), standInJudge("c/3", policy)];
  const benchmark = { skill: "post", bundle };
  const record = await tryJudges(benchmark, panel, {
    grade: (workspace, known) =>
      gradeSnapshot(bundle, () => packTree(workspace), toolsWith(panel), { known }),
    earlier: null,
  });
  expect(record).toMatchObject({ unusable: null, standInJudges: true });
  expect(record?.trials.map(({ outcome }) => outcome)).toEqual(["passed", "missed", "passed"]);
  const tools = toolsWith(panel);
  const fit = { ...tools, panel: { ...tools.panel, ...panelFor(panel, [record!], benchmark) } };
  const rude = await gradeSnapshot(bundle, () => packTree(treeOf({ "letter.md": "You again" })), fit);
  expect(rude.answers.map(({ answer }) => answer)).toEqual([false, true]);
  expect(rude.answers[0]?.ballots.map(({ answer }) => answer)).toEqual(["no", "absent", "no"]);
});

test("hostile members of a snapshot are left out and named, and the rest is graded", async () => {
  const hostile: FileTree = [...treeOf({ "answer.txt": "right\n", "../../etc/escaped": "x" })];
  const { grader } = answerBundle();
  const grading = await gradeSnapshot({ ...answerBundle(), grader }, () => packTree(hostile), toolsWith([]));
  expect(grading.outcome.kind).toBe("passed");
  expect(grading.log).toContain("escaped");
});

test("a truncated snapshot is infrastructure", async () => {
  async function* cut(): AsyncGenerator<Uint8Array> {
    for await (const piece of packTree(letter)) {
      yield piece.subarray(0, 700);
      return;
    }
  }
  await expect(gradeSnapshot(answerBundle(), cut, toolsWith(judges()))).rejects.toThrow(SandboxError);
});

const actAsAgent: CheckTools["actAsAgent"] = async ({ workspace, script }) => {
  const labels = { campaign: "test", trial: "grade-snapshot" };
  const container = await sandbox.open({ role: "agent", labels, skill: null });
  try {
    await container.unpack(packTree(workspace), "/workspace");
    await container.run({ command: script, timeoutMs: 20_000, maxOutputBytes: 4096 });
    const tar = await collect(container.snapshot());
    return () => streamOf(tar);
  } finally {
    await container.dispose();
  }
};

test("the gate, up to repeats, in real containers: a sound bundle passes, a careless one is refused with its output", async () => {
  const gate = (bundle: Bundle): ReturnType<typeof runGate> => {
    const tools = gateTools(
      (workspace, { packing, ...under } = {}) =>
        gradeSnapshot(bundle, () => packTree(workspace, packing), toolsWith([]), under),
      { actAsAgent },
    );
    return runGate(bundle, null, tools, { checks: checks.slice(0, checks.indexOf(repeatsAgree) + 1) });
  };
  const sound = await gate(answerBundle());
  expect(sound.checks.filter((check) => !check.passed)).toEqual([]);
  expect(sound.passed).toBe(true);
  const careless = await gate(
    answerBundle("answer", {
      grade: `#!/usr/bin/env python3\nimport os\ntext = open("answer.txt").read()\nos.write(3, b'${assertion("answer.txt holds the answer", true)}\\n')\n`,
    }),
  );
  expect(careless.checks.at(-1)).toMatchObject({ check: "untouched-fails", passed: false });
  expect(careless.checks.at(-1)?.words).toContain("No such file or directory: 'answer.txt'");
});

/** Names what else is at work in the container, then waits for all of its own children. */
const lookingAround = bash(
  "sleep 0.1 &",
  "wait",
  `busy=$(ps -u agent -o stat=,ppid= | awk '$1 ~ /^R/ && $2 == 1' | wc -l)`,
  `children=$(ps --ppid $$ -o comm= | grep -cvE '^(ps|grep|bash|grade)$')`,
  `echo "{\\"assertion\\":\\"busy $busy, children $children, cores $(nproc), zone $TZ\\",\\"passed\\":true}" >&3`,
);

test("a grading under load has busy processes beside it that are none of the grader's", async () => {
  const options = { load: 3, conditions: { cores: 1, env: { TZ: "Pacific/Kiritimati" } } };
  const grading = await grade(lookingAround, [], options);
  expect(grading.outcome, grading.log).toEqual({
    kind: "passed",
    assertions: [{ assertion: "busy 3, children 0, cores 1, zone Pacific/Kiritimati", passed: true }],
  });
  const alone = await grade(lookingAround, [], { conditions: { cores: 1 } });
  expect(alone.outcome.assertions).toEqual([
    { assertion: "busy 0, children 0, cores 1, zone ", passed: true },
  ]);
});

test("a grader under load that runs out of time is ended, and the load does not hold up its end", async () => {
  const grading = await grade(bash("sleep 600"), [], { load: 2, timeoutMs: 500 });
  expect(grading.grader.timedOut).toBe(true);
  expect(grading.grader.seconds).toBeLessThan(20);
});
