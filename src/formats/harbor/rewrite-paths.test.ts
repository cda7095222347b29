import { expect, test } from "vitest";
import { textOf } from "../../artefacts/tree.ts";
import { treeOf } from "../../testing/benchmark.ts";
import { rewritePaths, rewriteTree } from "./rewrite-paths.ts";

const moves = { "/app": "/workspace", "/tests": "/grader/tests", "/logs": "/grader/logs" };

test.each<[string, string]>([
  ["/app/out.txt", "/workspace/out.txt"],
  ["cd /app", "cd /workspace"],
  ["in `/app`.", "in `/workspace`."],
  ['Path("/tests/x.json")', 'Path("/grader/tests/x.json")'],
  ["PATH=/bin:/app/bin", "PATH=/bin:/workspace/bin"],
  ["echo 1 >/logs/verifier/reward.txt", "echo 1 >/grader/logs/verifier/reward.txt"],
  ['"a\\n/app/b"', '"a\\n/workspace/b"'],
  ["cp /app/tests/a /tests/app", "cp /workspace/tests/a /grader/tests/app"],
  ["/apple /app-data /app.bak /application", "/apple /app-data /app.bak /application"],
  ["./tests/a ../tests/b x/tests ~/tests", "./tests/a ../tests/b x/tests ~/tests"],
  ['$HOME/app "$HOME"/app ${X}/tests $(pwd)/tests', '$HOME/app "$HOME"/app ${X}/tests $(pwd)/tests'],
  ["http://example.org/app", "http://example.org/app"],
  ["/data/app /workspace/app", "/data/app /workspace/app"],
  ["", ""],
])("%s", (before, after) => {
  expect(rewritePaths(before, moves).text).toBe(after);
});

test("a folder with characters that patterns know, the longer of two first, and one that stays", () => {
  const odd = { "/a+b (c)": "/workspace", "/srv": "/s", "/srv/x": "/x", "/same": "/same" };
  expect(rewritePaths("/a+b (c)/d /srv/x/y /srv/z /same", odd).text).toBe("/workspace/d /x/y /s/z /same");
});

test("every changed file of a tree is a loss with its counts; what is not text stays as it is", () => {
  const latin1 = { kind: "file" as const, path: "latin1", mode: 0o644, bytes: new Uint8Array([0xe9, 0x2f]) };
  const tree = [
    latin1,
    ...treeOf({ "a.sh!": "\ufeffcd /app\r\nls /app /tests\r\n", "b.txt": "nothing\n", "c.bin": "\0 /app " }),
  ];
  const { tree: rewritten, losses } = rewriteTree(tree, moves, "tests");
  expect(losses).toEqual([
    {
      part: "tests/a.sh",
      words: expect.stringContaining("/app by /workspace (2×), /tests by /grader/tests (1×)") as string,
    },
  ]);
  const [, changed] = rewritten;
  expect(changed).toMatchObject({ path: "a.sh", mode: 0o755 });
  expect(Buffer.from(changed?.kind === "file" ? changed.bytes : []).toString()).toBe(
    "\ufeffcd /workspace\r\nls /workspace /grader/tests\r\n",
  );
  expect(textOf(rewritten, "c.bin")).toBe("\0 /app ");
  expect(rewritten[0]).toBe(latin1);
});
