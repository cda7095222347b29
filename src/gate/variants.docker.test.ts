import pLimit from "p-limit";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Bundle } from "../artefacts/bundle.ts";
import type { Claims } from "../artefacts/claims.ts";
import { gradeSnapshot } from "../grade/grade-snapshot.ts";
import { type DockerSandbox, dockerSandbox } from "../sandbox/docker-sandbox.ts";
import { defaultSettings } from "../sandbox/settings.ts";
import { packTree, readTarMember } from "../sandbox/tar.ts";
import { answerBundle, treeOf } from "../testing/benchmark.ts";
import { mutantsFail, mutantsFailBy } from "./checks/mutants-fail.ts";
import { variantsPass } from "./checks/variants-pass.ts";
import type { CheckTools, Finding } from "./check.ts";
import { defaultGateSettings } from "./run-gate.ts";
import { referenceWorkspace } from "./workspaces.ts";

let sandbox: DockerSandbox;
beforeAll(async () => {
  sandbox = await dockerSandbox(defaultSettings);
}, 600_000);
afterAll(() => sandbox.close());

const sentence = "Write the totals of all growers to totals.json, and a program total that prints one.";
const totals = '{\n  "ash": 12.50,\n  "elm": 7,\n  "growers": ["ash", "elm"]\n}\n';
const program = `#!/usr/bin/env python3
import json, sys
totals = json.load(open("totals.json"))
print(totals[sys.argv[1]] if len(sys.argv) == 2 else "usage")
`;
const told = ["totals.json holds the totals", "the program prints a total"];

/** A grader that checks what the task asks, and that the expression `look` holds. */
function graderOf(look: string): string {
  return grading(`json.loads(raw()) == wanted and (${look})`, 'printed().strip() == "12.5"');
}

function grading(first: string, second: string): string {
  return `#!/usr/bin/python3 -I
import json, os, stat, subprocess, sys
def holds(words, check):
    try:
        passed = bool(check())
    except Exception as error:
        print(repr(error), file=sys.stderr)
        passed = False
    os.write(3, (json.dumps({"assertion": words, "passed": passed}) + "\\n").encode())
    return passed
def raw():
    return open("totals.json", newline="").read()
def printed():
    return subprocess.run(["sp-run", "--", "./total", "ash"], capture_output=True, timeout=20).stdout.decode()
wanted = {"ash": 12.5, "elm": 7, "growers": ["ash", "elm"]}
first = holds("${told[0]}", lambda: ${first})
second = holds("${told[1]}", lambda: ${second})
sys.exit(0 if first and second else 1)
`;
}

function bundleOf(grade: string): Bundle {
  const base = answerBundle("totals", { task: `${sentence}\n` });
  const claims: Claims = {
    claims: told.map((assertion) => ({ assertion, sentence })),
    questions: [],
    survivors: [],
    refusals: [],
  };
  return {
    ...base,
    claims,
    reference: treeOf({ "totals.json": totals, "total!": program }),
    grader: treeOf({ "grade!": grade }),
    spec: { ...base.spec, outputs: ["totals.json", "total"] },
  };
}

function toolsFor(bundle: Bundle, mutants: number): CheckTools {
  const limit = pLimit(2);
  const tools = {
    sandbox,
    pack: packTree,
    readMembers: readTarMember,
    panel: { judges: [], seed: 7 },
    labels: { campaign: "test", trial: "variants" },
  };
  const grade: CheckTools["grade"] = (workspace, { packing, ...options } = {}) => {
    const open = typeof workspace === "function" ? workspace : () => packTree(workspace, packing);
    return limit(() => gradeSnapshot(bundle, open, tools, options));
  };
  return {
    grade,
    gradeReferenceOnce: () => grade(referenceWorkspace(bundle)),
    actAsAgent: () => Promise.reject(new Error("no agent was expected")),
    seen: [],
    settings: { ...defaultGateSettings, mutants },
    context: { sections: null, skill: null },
    cheats: [],
  };
}

const proveVariants = (grade: string): Promise<Finding> => {
  const bundle = bundleOf(grade);
  return variantsPass.prove(bundle, toolsFor(bundle, 1));
};

const proveMutants = (grade: string, mutants: number): Promise<Finding> => {
  const bundle = bundleOf(grade);
  return mutantsFail.prove(bundle, toolsFor(bundle, mutants));
};

test("a grader that parses and executes passes every neutral variant", async () => {
  const found = await proveVariants(graderOf("True"));
  expect(found.passed, found.words).toBe(true);
  expect((found.evidence as { variant: string }[]).map(({ variant }) => variant)).toEqual([
    "final-newline",
    "json-format:totals.json",
    "line-ends:totals.json",
    "modes-narrow",
    "modes-wide",
    "file-times",
    "extra-file",
  ]);
}, 120_000);

test.each<[string, string, readonly string[]]>([
  [
    "compares text",
    `raw() == ${JSON.stringify(totals)}`,
    ["final-newline:totals.json", "json-format:totals.json", "line-ends:totals.json"],
  ],
  [
    "looks at modes",
    `stat.S_IMODE(os.stat("totals.json").st_mode) & 0o700 == 0o600 and os.stat("total").st_mode & 0o005 == 0o005`,
    ["modes-narrow:total"],
  ],
  [
    "looks at times",
    `os.stat("totals.json").st_mtime == os.stat("notes.txt").st_mtime == 1704067200`,
    ["file-times"],
  ],
  ["wants nothing else", `sorted(os.listdir(".")) == ["notes.txt", "total", "totals.json"]`, ["extra-file"]],
])(
  "a grader that %s is too strict",
  async (_what, look, refused) => {
    const { passed, words } = await proveVariants(graderOf(look));
    expect(passed).toBe(false);
    expect(words.match(/^- [a-z-]+(?::[a-z.]+)?(?=: )/gm)).toEqual(refused.map((id) => `- ${id}`));
  },
  120_000,
);

test("a grader that checks values kills what is broken, one that only looks for files does not", async () => {
  const sharp = await proveMutants(graderOf("True"), 16);
  expect(sharp.passed, sharp.words).toBe(true);
  const blunt = await proveMutants(grading("len(raw()) > 0", "len(printed()) > 0"), 16);
  expect(blunt.passed).toBe(false);
  expect(blunt.words).toMatch(/^- [a-z-]+:totals\.json:[0-9a-f]{8}: /m);
}, 240_000);

test("what is no mistake is not killed: the rate comes from the grader, not from how mutants are laid out", async () => {
  const bundle = bundleOf(graderOf("True"));
  const bytes = new TextEncoder().encode(`${program}# the end\n`);
  const mutant = { id: "none:total:0", kind: "none", path: "total", words: "a comment", bytes, diff: null };
  const found = await mutantsFailBy(() => Promise.resolve([mutant])).prove(bundle, toolsFor(bundle, 1));
  expect(found.facts?.killRate).toBe(0);
}, 120_000);

test("a grader that crashes on what is missing is told so", async () => {
  const crashing = `#!/usr/bin/env bash
set -e
test "$(jq .ash totals.json)" = 12.50
echo '{"assertion":"${told[0]}","passed":true}' >&3
`;
  const found = await proveMutants(crashing, 4);
  expect(found.passed).toBe(false);
  expect(found.words).toContain("broke its contract on broken variants of the reference");
}, 120_000);
