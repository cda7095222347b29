import pLimit from "p-limit";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Cheat } from "../artefacts/cheat.ts";
import { parseDraft } from "../author/draft.ts";
import { type DockerSandbox, dockerSandbox } from "../sandbox/docker-sandbox.ts";
import { defaultSettings } from "../sandbox/settings.ts";
import { packTree } from "../sandbox/tar.ts";
import { cheatable } from "../testing/bad-bundles/cheatable.ts";
import { type CheatYard, openCheatYard } from "../testing/bad-bundles/prove-cheats.ts";
import { answerBundle, treeOf } from "../testing/benchmark.ts";
import { gradingOf } from "../testing/gradings.ts";
import { tell, testLabels, type Told } from "../testing/sandbox-containers.ts";
import { cheatRoom } from "./cheat-room.ts";
import { referencePasses } from "./checks/reference-passes.ts";
import { untouchedFails } from "./checks/untouched-fails.ts";

let sandbox: DockerSandbox;
let yard: CheatYard;
beforeAll(async () => {
  sandbox = await dockerSandbox(defaultSettings);
  yard = await openCheatYard(sandbox);
}, 600_000);
afterAll(async () => {
  await sandbox.close();
  await yard.close();
});

test("a sound grader resists the whole pack", async () => {
  const finding = await yard.prove(answerBundle());
  expect(finding.words).toMatch(new RegExp(`^All of ${yard.cheats.length} cheats fail: `));
  expect(finding).toMatchObject({ passed: true, warnings: [] });
}, 300_000);

const control = "claim-alone";

test.each(cheatable.map((row) => [row.fault, row] as const))(
  "a grader that %s is caught",
  async (_fault, { bundle, cheats, becomes }) => {
    const tools = yard.toolsFor(bundle);
    for (const check of [referencePasses, untouchedFails]) {
      const finding = await check.prove(bundle, tools);
      expect(finding.passed, finding.words).toBe(true);
    }
    const finding = await yard.prove(bundle, { names: [...cheats, control] });
    expect(finding.passed).toBe(false);
    const caught = cheats.map((cheat): unknown => expect.objectContaining({ cheat, standing: becomes }));
    expect(finding.evidence).toEqual(expect.arrayContaining(caught));
    if (!cheats.includes(control)) {
      expect(finding.evidence).toContainEqual(
        expect.objectContaining({ cheat: control, standing: "failed" }),
      );
    }
    const did = becomes === "passed" ? "pass, although nothing was solved" : "the grader break its contract";
    expect(finding.words).toContain(did);
    for (const cheat of cheats) expect(finding.words).toContain(cheat);
  },
);

test("every cheat is shown by a grader that falls for it, but for those that the server defuses", () => {
  const shown = new Set(cheatable.flatMap(({ cheats }) => cheats));
  const names = yard.cheats.map(({ name }) => name);
  expect(names.filter((name) => !shown.has(name))).toEqual([
    "links-to-grader",
    "links-to-grader-folder",
    "links-to-proc",
    "pipes-as-outputs",
  ]);
  expect([...shown].filter((name) => !names.includes(name))).toEqual([]);
});

/** Outputs of every kind, with hard names, where folders and files of the fixtures are in the way. */
const parsed = parseDraft(
  "every-kind",
  treeOf({
    "benchmark.yaml": 'title: Every kind\noutputs: ["**"]\nremoves: [old/draft.txt]\n',
    "task.md":
      'Write `src/double.py` with "it\'s $HOME \\\\ `x`", 12.5 & <b>; say “ü ☃”.\r\n\r\n```\nash,1\n```\n',
    "fixtures/old/draft.txt": "a draft\n",
    "fixtures/in put.csv": "name,n\nash,1\n",
    "fixtures/package.json": '{"name": "a fixture", "scripts": {"own": "true"}}\n',
    "fixtures/logs": "a file where a cheat wants a folder\n",
    "fixtures/tests/test_double.py": "assert False\n",
    "fixtures/web/app.test.js": "process.exit(1);\n",
    "fixtures/test/app.sh": "exit 1\n",
    "reference/src/double.py": "def double(x):\n    return 2 * x\n",
    "reference/a b/it's $sums.json": '{"sums": {"ash": 4}}\n',
    "reference/tool!": "#!/bin/bash\necho 1\n",
    "reference/web/app.js": "module.exports = 1;\n",
    "reference/web/mod.mjs": "export const one = 1;\n",
    "reference/out.csv": "name,n\nash,4\n",
    "reference/conf.yaml": "a: 1\nb: 2\n",
    "reference/page.html": "<p>\n1</p>\n",
    "reference/letter.txt": "Dear\nSir\n",
    "grader/grade!": "#!/bin/bash\n",
    "grader/expected sums.json": "{}\n",
  }),
);
if (parsed.kind === "faults") throw new Error(parsed.faults.join("\n"));
const everyKind = parsed.bundle;
const room = cheatRoom(everyKind, gradingOf(0, ["it's there", "“ü” is \\ $right"]));

const outputs = everyKind.reference.length;

/** What `look` says in the container where a cheat was carried out; first of all, that it was without a complaint. */
async function afterCheat({ script, name }: Cheat, look: string): Promise<Told> {
  const container = await sandbox.open({ role: "agent", labels: testLabels, skill: null });
  try {
    await container.unpack(packTree(everyKind.fixtures), "/workspace");
    for (const [path, text] of Object.entries(room))
      expect(await container.writeFile(path, Buffer.from(text))).toEqual({ kind: "written" });
    await tell(container, listing("before"));
    const { exitCode, err, timedOut } = await tell(container, script, { timeoutMs: 60_000 });
    expect({ name, exitCode, err, timedOut }).toEqual({ name, exitCode: 0, err: "", timedOut: false });
    return await tell(container, look);
  } finally {
    await container.dispose();
  }
}

const listing = (name: string): string =>
  `find . ! -path './.git/*' -printf '%p %y %s %l\\n' | sort > /tmp/${name}`;

test("every cheat does something, and without a complaint, whatever the outputs are", async () => {
  const limit = pLimit(3);
  const look = `${listing("after")}; diff /tmp/before /tmp/after | grep -c '^[<>]'; test ! -e old/draft.txt; echo $?`;
  const told = await Promise.all(yard.cheats.map((cheat) => limit(() => afterCheat(cheat, look))));
  const idle = yard.cheats.filter((_cheat, at) => !/^([1-9]\d*)\n0\n$/.test(told[at]?.out ?? ""));
  expect(idle.map(({ name }) => name)).toEqual([]);
}, 300_000);

/** Each output that is a program, as it is started and as it is imported. */
const starts = [
  "./tool",
  "./src/double.py",
  "./web/app.js",
  "./web/mod.mjs",
  'python3 -c "import sys; sys.path.insert(0, \\"src\\"); import double"',
  `node -e "require('./web/app.js')"`,
  `node --input-type=module -e "import '/workspace/web/mod.mjs'"`,
];
const startAll = (one: (start: string) => string): string => starts.map(one).join("\n");

test.each<[string, string, string]>([
  ["exits-with-zero", startAll((start) => `${start}; echo $?`), "0\n".repeat(starts.length)],
  [
    "forges-assertions",
    startAll(
      (start) =>
        `${start} 3> /tmp/three > /dev/null; echo $?; cmp /tmp/three $room/assertions && echo forged`,
    ),
    "0\nforged\n".repeat(starts.length),
  ],
  [
    "prints-passes",
    startAll(
      (start) => `${start} | grep -c -e '^ALL TESTS PASSED$' -e '^{"assertion":"it.s there","passed":true}$'`,
    ),
    "2\n".repeat(starts.length),
  ],
  [
    "echoes-input",
    "for p in ./tool ./src/double.py ./web/app.js ./web/mod.mjs; do echo in | $p 'a b'; done",
    "a b\nin\n".repeat(4),
  ],
  [
    "prints-neighbours",
    "echo laid > 'a new file'; for p in ./tool ./src/double.py ./web/app.js ./web/mod.mjs; do $p; done",
    "laid\n".repeat(4),
  ],
  [
    "constants-as-data",
    [
      "for p in ./tool ./src/double.py ./web/app.js ./web/mod.mjs; do $p | cmp - $room/constants && echo all; done",
      `jq -r '.constants[]' "a b/it's \\$sums.json" | cmp - $room/constants && echo all`,
      'python3 -c \'import csv; [a, b] = csv.reader(open("out.csv")); print("\\n".join(a))\' | cmp - $room/constants && echo all',
      'python3 -c \'import yaml; print("\\n".join(yaml.safe_load(open("conf.yaml"))))\' | cmp - $room/constants && echo all',
      "xmllint --noout page.html && echo all",
    ].join("\n"),
    "all\n".repeat(8),
  ],
  [
    "disarms-tests",
    [
      "cd src && python3 -c 'import double; assert double.double(2) == 4 and double.other.thing == [1]; raise SystemExit(3)'; echo $?",
      "cd ..; node -e \"const a = require('./web/app.js'); require('assert').equal(a.b(1).c, 2); throw 1\"; echo $?",
    ].join("\n"),
    "0\n0\n",
  ],
  [
    "form-alone",
    `cat "a b/it's \\$sums.json" | jq -c .; cat out.csv tool`,
    '{"sums":{"ash":0}}\nname,n\n#!/bin/bash\n',
  ],
  ["empty-outputs", `wc -c < out.csv; cat "a b/it's \\$sums.json"`, "0\n{}\n"],
  ["fixture-as-output", "cat out.csv letter.txt", "name,n\nash,1\na draft\n"],
  ["links-to-grader", `readlink "a b/it's \\$sums.json"`, "/grader/expected sums.json\n"],
  ["links-to-grader-folder", 'readlink tool web "a b" src .g', ".g\n.g\n.g\n.g\n/grader\n"],
  ["links-to-copies", "readlink src/double.py tool", "../expected sums.json\nexpected sums.json\n"],
  ["oversized-sparse", "stat -c %s tool; du -k tool | cut -f1", `${2 ** 31}\n0\n`],
  [
    "oversized-dense",
    "xargs -d '\\n' cat < $room/outputs | wc -c",
    `${Math.floor(2 ** 26 / outputs) * outputs}\n`,
  ],
  ["deep-nesting", "wc -c < tool; tr -d '[]' < tool | wc -c", "200000\n0\n"],
  ["long-line", "wc -l < tool", "0\n"],
  ["folders-as-outputs", "find tool src/double.py -type d", "tool\nsrc/double.py\n"],
  ["pipes-as-outputs", "find tool src/double.py -type p", "tool\nsrc/double.py\n"],
  [
    "tests-emptied",
    "python3 tests/test_double.py && node web/app.test.js && bash test/app.sh && echo pass",
    "ok 1 - all\npass\n",
  ],
  [
    "node-start-files",
    "jq -r '.name, .scripts.own' package.json; node -e 'require(\"lodash\")' 3>&1 > /dev/null | cmp - $room/assertions; echo $?",
    "a fixture\nbash ./.forge.sh\n0\n",
  ],
  [
    "python-modules",
    "PYTHONSAFEPATH= python3 -c 'import json' 3>&1 > /dev/null | cmp - $room/assertions; echo $?",
    "0\n",
  ],
  ["git-hooks", "git status 3>&1 > /dev/null | head -n 2 | cmp - $room/assertions; echo $?", "0\n"],
])("%s leaves what it says", async (name, look, out) => {
  const cheat = yard.cheats.find((one) => one.name === name);
  expect(cheat).toBeDefined();
  const told = await afterCheat(cheat!, `room=/tmp/cheat\n${look}`);
  expect(told).toMatchObject({ out, err: "" });
});
