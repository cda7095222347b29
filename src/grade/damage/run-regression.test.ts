import { afterAll, beforeAll, expect, test } from "vitest";
import type { BundleSpec } from "../../artefacts/bundle.ts";
import type { Damage, Regression } from "../../artefacts/honesty.ts";
import { matchesGlob } from "../../gate/globs.ts";
import { type DockerSandbox, dockerSandbox } from "../../sandbox/docker-sandbox.ts";
import { type Container, type Sandbox, SandboxError } from "../../sandbox/port.ts";
import { defaultSettings } from "../../sandbox/settings.ts";
import { tarMembers } from "../../sandbox/tar-members.ts";
import { packTree } from "../../sandbox/tar.ts";
import { answerBundle, treeOf } from "../../testing/benchmark.ts";
import { endedTrial } from "../../testing/trials.ts";
import { measureDamage } from "./measure-damage.ts";
import { runRegression } from "./run-regression.ts";

let sandbox: DockerSandbox;
beforeAll(async () => {
  sandbox = await dockerSandbox(defaultSettings);
}, 600_000);
afterAll(() => sandbox.close());

const labels = { campaign: "test", trial: "existing tests" };
/** Existing tests that look at the code, as an author writes the command for them. */
const command = "python3 -B tests/check.py";
const check = `import sys
sys.path.insert(0, "src")
from app import double
sys.exit(0 if double(21) == 42 else 1)
`;
const right = "def double(n):\n    return 2 * n\n";
const files = { "tests/check.py": check, "src/app.py": right };

const hostile = `import os, signal, subprocess
for path in ("/workspace/tests/check.py", "/workspace/answer.txt"):
    open(path, "w").write("raise SystemExit(0)")
for attempt in ("kill -9 1", "kill -9 -1", "cat /grader/grade", "echo x > /grader/grade", "echo x >&3"):
    subprocess.run(["bash", "-c", attempt])
subprocess.Popen(["sleep", "600"], start_new_session=True)
raise SystemExit(1)
`;

test.each<[string, string, string, number, "passed" | "failed" | "timeout"]>([
  ["pass", command, right, 60_000, "passed"],
  ["fail", command, "def double(n):\n    return n\n", 60_000, "failed"],
  ["crash", command, "import nothing_like_it\n", 60_000, "failed"],
  ["hang", command, "import time\ntime.sleep(600)\n", 1500, "timeout"],
  ["end with the exit code that sp-run gives a command out of time", "exit 124", right, 60_000, "failed"],
  ["are not there", "no-such-program", right, 60_000, "failed"],
  ["rewrite themselves and try to get away", command, hostile, 60_000, "failed"],
  ["need a shell", 'cd src && python3 -B -c "import app" | cat; exit "$?"', right, 60_000, "passed"],
])("existing tests that %s", async (_what, regression, app, timeoutMs, expected) => {
  const tree = treeOf({ ...files, "src/app.py": app });
  let taken = 0;
  const workspace = (): AsyncIterable<Uint8Array> => {
    taken += 1;
    return packTree(tree);
  };
  expect(await runRegression(regression, workspace, { sandbox, labels }, { timeoutMs })).toBe(expected);
  expect(taken).toBe(1);
});

test("they run as candidate code, without the grader's files, in a copy", async () => {
  const told = 'test "$(id -un)" = candidate && test ! -e /grader/grade && touch made && test -e made';
  const tree = treeOf(files);
  const ended = await runRegression(told, () => packTree(tree), { sandbox, labels }, { timeoutMs: 60_000 });
  expect(ended).toBe("passed");
});

test("damage is measured on the snapshot, whatever the existing tests change afterwards", async () => {
  const bundle = {
    fixtures: treeOf(files),
    spec: { ...answerBundle().spec, regression: "touch made && rm src/app.py" },
  };
  const { outcome } = endedTrial({
    ...{ skill: "s", benchmark: "b", model: "m", arm: "with_skill", n: 1, block: 0, key: "k", seed: 1 },
  });
  const tree = treeOf({ ...files, "answer.txt": "right\n", "scratch.txt": "x" });
  const runExistingTests = (told: string, copy: () => AsyncIterable<Uint8Array>): Promise<Regression> =>
    runRegression(told, copy, { sandbox, labels }, { timeoutMs: 60_000 });
  const tools = { members: tarMembers, matches: matchesGlob, runExistingTests };
  const measure = (spec: BundleSpec): Promise<Damage> =>
    measureDamage({ ...bundle, spec }, () => packTree(tree), outcome, tools);
  const outside = {
    count: 1,
    first: [{ change: "added", path: "scratch.txt" }],
    byProducts: 0,
    partial: false,
  };
  expect(await measure(bundle.spec)).toEqual({ outside, regression: "passed" });
  expect(await measure(answerBundle().spec)).toEqual({ outside, regression: null });
});

/** A container whose command breaks the stream, as often as said. */
function breaking(times: number): Sandbox & { readonly opened: () => number } {
  let opened = 0;
  const open = (): Promise<Container> => {
    opened += 1;
    const broken = opened <= times;
    const ended = { exitCode: 0, timedOut: false } as Awaited<ReturnType<Container["run"]>>;
    const container: Partial<Container> = {
      unpack: () => Promise.resolve({ refused: "" }),
      run: () => (broken ? Promise.reject(new SandboxError("the stream broke")) : Promise.resolve(ended)),
      dispose: () => Promise.resolve(),
    };
    return Promise.resolve(container as Container);
  };
  return { image: { id: "i", recipe: "r", base: "user" }, open, opened: () => opened };
}

test.each<[number, "passed" | "lost", number]>([
  [0, "passed", 1],
  [1, "passed", 2],
  [2, "lost", 2],
  [9, "lost", 2],
])("a container that breaks %i time(s): %s, and never thrown", async (times, expected, opened) => {
  const broken = breaking(times);
  const ended = await runRegression(
    "true",
    () => packTree([]),
    { sandbox: broken, labels },
    { timeoutMs: 1 },
  );
  expect(ended).toBe(expected);
  expect(broken.opened()).toBe(opened);
});

test("what is aborted is not said to be lost", async () => {
  const signal = AbortSignal.abort(new Error("stop"));
  const ending = runRegression(
    "true",
    () => packTree([]),
    { sandbox: breaking(2), labels },
    { timeoutMs: 1, signal },
  );
  await expect(ending).rejects.toThrow("stop");
});
