import { expect, test } from "vitest";
import { textOf } from "../../artefacts/tree.ts";
import { treeOf } from "../../testing/benchmark.ts";
import { readEnvironment } from "./read-environment.ts";

const context = {
  "a.txt": "a",
  "b.txt": "b",
  "src/c.py": "c",
  "src/deep/d.py": "d",
  "run.sh!": "#!/bin/sh\n",
};

function read(
  lines: readonly string[],
  workdir: string | null = null,
  files: Readonly<Record<string, string>> = context,
) {
  return readEnvironment(treeOf({ ...files, Dockerfile: ["FROM debian", ...lines, ""].join("\n") }), workdir);
}
const paths = (lines: readonly string[], workdir: string | null = null): readonly string[] =>
  read(lines, workdir).fixtures.map(({ path }) => path);

test.each<[string, readonly string[], readonly string[]]>([
  ["a file to a name", ["WORKDIR /app", "COPY a.txt new.txt"], ["new.txt"]],
  ["a file to the folder", ["WORKDIR /app", "COPY a.txt ."], ["a.txt"]],
  ["a file to an absolute name", ["WORKDIR /app", "COPY a.txt /app/x/y.txt"], ["x/y.txt"]],
  ["a file to a folder by its slash", ["WORKDIR /app", "COPY a.txt /app/x/"], ["x/a.txt"]],
  ["a file to a folder made before", ["WORKDIR /app", "RUN mkdir -p /app/x", "COPY a.txt x"], ["x/a.txt"]],
  [
    "a file to a folder copied before",
    ["WORKDIR /app", "COPY src x", "COPY a.txt x"],
    ["x/a.txt", "x/c.py", "x/deep/d.py"],
  ],
  ["a folder's contents", ["WORKDIR /app", "COPY src/ ./"], ["c.py", "deep/d.py"]],
  [
    "everything",
    ["WORKDIR /app", "COPY . lib"],
    ["lib/Dockerfile", "lib/a.txt", "lib/b.txt", "lib/run.sh", "lib/src/c.py", "lib/src/deep/d.py"],
  ],
  ["a pattern", ["WORKDIR /app", "COPY *.txt ./"], ["a.txt", "b.txt"]],
  ["the JSON form", ["WORKDIR /app", 'COPY ["a.txt", "x y.txt"]'], ["x y.txt"]],
  ["ADD of a file", ["WORKDIR /app", "ADD ./a.txt ."], ["a.txt"]],
  ["a later WORKDIR", ["WORKDIR /srv", "WORKDIR app", "COPY a.txt ."], ["a.txt"]],
  ["no COPY at all", ["WORKDIR /app"], []],
])("%s", (_what, lines, expected) => {
  const { reasons } = read(lines);
  expect(reasons).toEqual([]);
  expect(paths(lines)).toEqual(expected);
});

test("the last copy of a name holds, modes are kept, and --chmod sets them", () => {
  const { fixtures } = read([
    "WORKDIR /app",
    "COPY a.txt x",
    "COPY b.txt x",
    "COPY run.sh .",
    "COPY --chmod=755 a.txt .",
  ]);
  expect(textOf(fixtures, "x")).toBe("b");
  expect(fixtures.map((entry) => [entry.path, entry.kind === "file" && entry.mode])).toEqual([
    ["a.txt", 0o755],
    ["run.sh", 0o755],
    ["x", 0o644],
  ]);
});

test("task.toml's folder wins over WORKDIR", () => {
  expect(read(["WORKDIR /app", "COPY a.txt x/"], "/app/x")).toMatchObject({ workdir: "/app/x", reasons: [] });
  expect(paths(["WORKDIR /app", "COPY a.txt x/"], "/app/x")).toEqual(["a.txt"]);
});

test.each<[string, readonly string[], string]>([
  ["FROM", ["WORKDIR /app"], "Dockerfile, line 1: FROM debian: replaced by the sandbox's image"],
  ["ENV", ["WORKDIR /app", "ENV A=1 \\", "  B=2"], "line 3: ENV A=1    B=2: not set"],
  ["USER", ["USER nobody", "WORKDIR /app"], "line 2: USER nobody: everything in the workspace belongs"],
  ["CMD", ["WORKDIR /app", 'CMD ["bash"]'], "not started"],
  ["chown", ["WORKDIR /app", "COPY --chown=1:1 a.txt ."], "--chown: everything"],
  [
    "packages",
    [
      "WORKDIR /app",
      "RUN apt-get update -q && apt-get install -y --no-install-recommends jq g++ > /dev/null && rm -rf /var/lib/apt/lists/*",
    ],
    "needs the Debian packages jq g++: put those the image lacks under sandbox.packages",
  ],
])("%s is a loss", (_what, lines, words) => {
  const { losses, reasons } = read(lines);
  expect(reasons).toEqual([]);
  expect(losses.map((loss) => `${loss.part}: ${loss.words}`).join("\n")).toContain(words);
});

test.each<[string, readonly string[], string]>([
  ["a second stage", ["FROM alpine", "WORKDIR /app"], "2 FROM lines"],
  ["a copy from a stage", ["WORKDIR /app", "COPY --from=x a.txt ."], "line 3: COPY --from is not read"],
  [
    "a remote ADD",
    ["WORKDIR /app", "ADD https://example.org/x ."],
    "line 3: ADD https://example.org/x: needs a network",
  ],
  ["an archive", ["WORKDIR /app", "ADD a.tar.gz ."], "archives are not unpacked"],
  ["a missing file", ["WORKDIR /app", "COPY no.txt ."], "COPY no.txt: there is no such file"],
  ["a climbing source", ["WORKDIR /app", "COPY ../x ."], "leads out of the folder"],
  ["a variable", ["WORKDIR /app", "COPY $X ."], "not a plain list of sources"],
  ["one operand", ["WORKDIR /app", "COPY a.txt"], "not a plain list of sources"],
  ["broken JSON", ["WORKDIR /app", 'COPY ["a.txt"'], "not a plain list of sources"],
  ["a bracket in a pattern", ["WORKDIR /app", "COPY [ab].txt ."], "not a plain list of sources"],
  ["many stars", ["WORKDIR /app", "COPY *a*b*c*d ./"], "more than 3 stars"],
  ["a place outside", ["WORKDIR /app", "COPY a.txt /etc/a"], "line 3: puts /etc/a outside /app"],
  ["a place that climbs", ["WORKDIR /app", "COPY a.txt ../b"], "line 3: puts /b outside /app"],
  [
    "pip",
    ["WORKDIR /app", "RUN pip install x"],
    "line 3: `pip install x`: pip install fetches packages; images here hold Debian packages only",
  ],
  [
    "another command",
    ["WORKDIR /app", "RUN make all"],
    "line 3: `make all` is not carried out. Put what it makes into the folder",
  ],
  ["RUN as a list", ["WORKDIR /app", 'RUN ["make"]'], "only a plain shell line"],
  ["ENTRYPOINT", ["WORKDIR /app", "ENTRYPOINT /x"], "line 3: ENTRYPOINT is not read"],
  ["an unknown word", ["WORKDIR /app", "\u001b[2J x"], 'line 3: "\\u001b[2J" is not read'],
  ["no WORKDIR", [], "no WORKDIR, so where the agent works depends on the base image"],
  ["a WORKDIR with a variable", ["WORKDIR $HOME"], "only a plain path is read"],
  ["the root", ["WORKDIR /"], "the agent works in /, which cannot be a workspace"],
  ["the tests' folder", ["WORKDIR /tests"], "the agent works in /tests"],
  ["another escape", ["# escape=`", "WORKDIR /app"], "another escape character"],
])("%s is refused", (_what, lines, words) => {
  expect(read(lines).reasons.join("\n")).toContain(words);
});

test("a Dockerfile that is missing or no text, and a link in it", () => {
  expect(readEnvironment([], null).reasons).toEqual([expect.stringContaining("Dockerfile: missing")]);
  const bytes = new Uint8Array([0xff, 0xfe]);
  expect(readEnvironment([{ kind: "file", path: "Dockerfile", mode: 0o644, bytes }], null).reasons).toEqual([
    expect.stringContaining("not UTF-8"),
  ]);
  const tree = [
    ...treeOf({ Dockerfile: "FROM a\nWORKDIR /app\nCOPY . .\n" }),
    { kind: "link" as const, path: "x", target: "/etc/passwd" },
  ];
  expect(readEnvironment(tree, null).reasons).toEqual([expect.stringContaining("x is a symbolic link")]);
});
