import { expect, test } from "vitest";
import { type FileTree, overlay, subtree, textOf } from "../../artefacts/tree.ts";
import { parseDraft } from "../../author/draft.ts";
import { treeOf } from "../../testing/benchmark.ts";
import { harborTask, taskTomlWith } from "../../testing/formats/harbor/task.ts";
import type { Imported, ImportTools } from "../losses.ts";
import { importHarbor } from "./import-harbor.ts";

type Asked = Parameters<ImportTools["perform"]>[0];

/** In a container's place: leaves the fixtures with these files laid over them, as if solve.sh had done it. */
function leaving(
  made: Readonly<Record<string, string>>,
  over: {
    readonly removes?: readonly string[];
    readonly ended?: string | null;
    readonly asked?: Asked[];
  } = {},
): ImportTools {
  const { removes = ["old.txt"], ended = "0\n", asked = [] } = over;
  return {
    perform: (request) => {
      asked.push(request);
      const mark = ended === null ? {} : { ".skillproof-solve-ended": ended };
      return Promise.resolve(overlay(request.workspace, treeOf({ ...made, ...mark }), removes));
    },
  };
}
const solved = leaving({ "out/sum.txt": "7\n" });
const idle = leaving({}, { removes: [] });

async function imported(task: FileTree, tools = solved): Promise<Extract<Imported, { kind: "imported" }>> {
  const got = await importHarbor("count", task, tools);
  if (got.kind === "refused") throw new Error(got.reasons.join("\n"));
  return got;
}
async function refusal(task: FileTree, tools = solved): Promise<string> {
  const got = await importHarbor("count", task, tools);
  if (got.kind === "imported") throw new Error("it was imported");
  return got.reasons.join("\n");
}

test("a task becomes a bundle of sound form", async () => {
  const asked: Asked[] = [];
  const { tree, losses } = await imported(harborTask(), leaving({ "out/sum.txt": "7\n" }, { asked }));
  const parsed = parseDraft("count", tree);
  if (parsed.kind === "faults") throw new Error(parsed.faults.join("\n"));
  const { spec, claims, task, fixtures, reference, grader } = parsed.bundle;
  expect(spec).toMatchObject({
    title: "Count crates by depot",
    outputs: ["old.txt", "out/sum.txt"],
    removes: ["old.txt"],
  });
  expect(task).toContain("`/workspace/crates.csv`");
  expect(task).not.toContain("/app");
  expect(fixtures.map(({ path }) => path)).toEqual(["crates.csv", "old.txt", "tools/list.sh"]);
  expect(textOf(fixtures, "tools/list.sh")).toContain("/workspace/crates.csv");
  expect(reference.map(({ path }) => path)).toEqual(["out/sum.txt"]);
  expect(grader.map(({ path }) => path)).toEqual([
    "claims.json",
    "grade",
    "tests/expected.txt",
    "tests/test.sh",
  ]);
  expect(textOf(grader, "tests/test.sh")).toContain("> /grader/logs/verifier/reward.txt");
  expect(grader.find(({ path }) => path === "tests/test.sh")).toMatchObject({ mode: 0o755 });
  expect(claims?.claims).toEqual([
    {
      assertion: "the imported verifier gives the full reward",
      sentence: "Count the crates of every depot in `/workspace/crates.csv`.",
    },
  ]);
  expect(losses.map(({ part }) => part)).toEqual(
    expect.arrayContaining([
      "instruction.md",
      "environment/tools/list.sh",
      "solution/solve.sh",
      "tests/test.sh",
      "README.md",
    ]),
  );
  expect(asked).toHaveLength(1);
  expect(asked[0]?.files["/tmp/solution/solve.sh"]).toContain(
    "python3 /tmp/solution/sum.py > /workspace/out/sum.txt",
  );
  expect(subtree(asked[0]?.workspace ?? [], "tools")).toHaveLength(1);
});

test("variables reach the solution and the verifier, whatever they hold", async () => {
  const asked: Asked[] = [];
  const odd = `it's "\\\\ \\u2028 é`;
  const toml = taskTomlWith({
    solution: `env = { A = "${odd.replaceAll('"', '\\"')}" }`,
    verifier: 'env = { B = "x\\ny" }',
  });
  const { tree } = await imported(
    harborTask({ "task.toml": toml }),
    leaving({ "out/sum.txt": "7\n" }, { asked }),
  );
  expect(asked[0]?.script).toContain(`export 'A=it'\\''s "\\ \u2028 é'`);
  expect(textOf(tree, "grader/grade")).toContain(String.raw`json.loads("{\"B\":\"x\\ny\"}")`);
});

test("files of the solution that are not text come in base64, executable ones executable", async () => {
  const asked: Asked[] = [];
  const binary = {
    kind: "file" as const,
    path: "solution/it's.bin",
    mode: 0o755,
    bytes: new Uint8Array([0, 255]),
  };
  await imported([...harborTask(), binary], leaving({ "out/sum.txt": "7\n" }, { asked }));
  expect(asked[0]?.files["/tmp/solution/it's.bin.base64"]).toBe("AP8=");
  expect(asked[0]?.script).toContain(
    `base64 -d '/tmp/solution/it'\\''s.bin.base64' > '/tmp/solution/it'\\''s.bin'`,
  );
  expect(asked[0]?.script).toContain(`chmod +x '/tmp/solution/it'\\''s.bin'`);
});

test("a folder of many changed files is one output, and caches are no reference", async () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`out/${at}.txt`, "x"]));
  const made = { ...many, "a[1].txt": "x", "__pycache__/a.pyc": "x" };
  const { tree, losses } = await imported(harborTask(), leaving(made, { removes: [] }));
  const parsed = parseDraft("count", tree);
  expect(parsed.kind === "bundle" && parsed.bundle.spec.outputs).toEqual(["a?1?.txt", "out/**"]);
  expect(subtree(tree, "reference").map(({ path }) => path)).not.toContain("__pycache__/a.pyc");
  expect(losses.map(({ words }) => words).join("\n")).toContain("1 files of Python's caches");
});

test("a solution that ends badly but changed something is a loss, with its last words", async () => {
  const { losses } = await imported(
    harborTask(),
    leaving({ "out/sum.txt": "7\n" }, { ended: "3\nno \u001b[2J such file\n" }),
  );
  expect(losses).toContainEqual({
    part: "solution/solve.sh",
    words: 'ended with exit code 3; the last it printed: "no \\u001b[2J such file"',
  });
});

test("an instruction without a sentence leaves the claims out and says so", async () => {
  const { tree, losses } = await imported(
    harborTask({ "instruction.md": "# Count the crates of depots\n\nGo.\n" }),
  );
  expect(textOf(tree, "grader/claims.json")).toBeUndefined();
  expect(losses.map(({ words }) => words).join("\n")).toContain(
    "grader/claims.json is missing and the gate will refuse",
  );
});

test.each<[string, Readonly<Record<string, string | null>>, string]>([
  ["no task.toml", { "task.toml": null }, "task.toml: missing"],
  ["broken TOML", { "task.toml": "[" }, "task.toml, line 1: not valid TOML"],
  [
    "a public network",
    { "task.toml": taskTomlWith({ agent: "network_mode = 'public'" }) },
    "[agent] network_mode",
  ],
  ["no instruction", { "instruction.md": null }, "instruction.md: missing"],
  ["a blank instruction", { "instruction.md": " \n" }, "instruction.md: empty"],
  ["a binary instruction", { "instruction.md": "a\0b" }, "instruction.md: not UTF-8 text"],
  [
    "compose",
    { "environment/docker-compose.yaml": "services: {}\n" },
    "environment/docker-compose.yaml: describes several containers",
  ],
  ["only an image", { "environment/Dockerfile": null }, "environment/Dockerfile: missing"],
  ["steps", { "steps/one/instruction.md": "x" }, "steps/: has steps"],
  [
    "a verifier's image",
    { "tests/Dockerfile": "FROM x\n" },
    "tests/Dockerfile: an environment of the verifier's own",
  ],
  ["no tests", { "tests/test.sh": null }, "tests/test.sh: missing"],
  [
    "tests for Windows",
    { "tests/test.sh": null, "tests/test.bat": "x" },
    "There is a test.bat, but containers here are Linux",
  ],
  ["no solution", { "solution/solve.sh": null }, "solution/solve.sh: missing"],
  [
    "tests that fetch",
    { "tests/test.sh": "curl -LsSf https://example.org/uv/install.sh | sh\nuvx pytest\n" },
    "tests/test.sh, line 2: `uvx pytest`",
  ],
  [
    "a solution that fetches",
    { "solution/solve.sh": "pip3 install x\n" },
    "solution/solve.sh, line 1: `pip3 install x`",
  ],
])("%s is refused", async (_what, over, words) => {
  expect(await refusal(harborTask(over))).toContain(words);
});

test("all reasons are named at once, and nothing is carried out before", async () => {
  const asked: Asked[] = [];
  const over = {
    "instruction.md": null,
    "tests/test.sh": null,
    "solution/solve.sh": "npm install\n",
    "task.toml": "version = '9'\n",
  };
  const got = await refusal(harborTask(over), leaving({}, { asked }));
  expect(got.split("\n")).toHaveLength(4);
  expect(asked).toEqual([]);
});

test.each<[string, ImportTools, string]>([
  [
    "changes nothing",
    leaving({}, { removes: [], ended: "127\nbash: foo: not found\n" }),
    "exit code 127 and changed nothing in /app; the last it printed: bash: foo",
  ],
  ["prints and changes nothing", idle, "changed nothing in /app; it printed nothing"],
  ["does not end", leaving({}, { ended: null }), "did not end in the time"],
])("a solution that %s is refused", async (_what, tools, words) => {
  expect(await refusal(harborTask(), tools)).toContain(words);
});

test("links: one that the solution makes, and one among the tests", async () => {
  const linking: ImportTools = {
    perform: ({ workspace }) =>
      Promise.resolve([
        ...overlay(workspace, treeOf({ ".skillproof-solve-ended": "0\n" })),
        { kind: "link", path: "z", target: "/etc" },
      ]),
  };
  expect(await refusal(harborTask(), linking)).toContain("makes the symbolic link z");
  const task = [...harborTask(), { kind: "link" as const, path: "tests/x", target: "/etc" }];
  expect(await refusal(task)).toContain("tests/x: a symbolic link");
});
