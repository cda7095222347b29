import { expect, test } from "vitest";
import type { Bundle } from "../../artefacts/bundle.ts";
import type { Claims } from "../../artefacts/claims.ts";
import type { Grading } from "../../artefacts/grading.ts";
import { type FileTree, textOf } from "../../artefacts/tree.ts";
import { InfrastructureError } from "../../errors.ts";
import { answerBundle, letterBundle, treeOf } from "../../testing/benchmark.ts";
import { type Told, toldTools } from "../../testing/check-tools.ts";
import { answerOf, gradingOf } from "../../testing/gradings.ts";
import type { Finding, GradeOptions } from "../check.ts";
import { referenceWorkspace } from "../workspaces.ts";
import { variantsPass } from "./variants-pass.ts";

const right = gradingOf(0, ["right"]);
const wrong = gradingOf(1, ["!right"], { log: "bytes differ\n" });
const sentence = "Write the answer into answer.txt.";

const files = { "out/a.json": '{"a":1,"b":2}\n', "out/b.json": '{"c":3,"d":4}\n' };
const base = answerBundle();
const bundle: Bundle = { ...base, reference: treeOf(files), spec: { ...base.spec, outputs: ["out/**"] } };
const kinds = [
  "final-newline",
  "json-format",
  "line-ends",
  "modes-narrow",
  "modes-wide",
  "file-times",
  "extra-file",
];

function refusing(refusals: Claims["refusals"], tried: Bundle = bundle): Bundle {
  return { ...tried, claims: { ...tried.claims!, refusals } };
}

function prove(tried: Bundle, grade: Told, reference: Grading = right): Promise<Finding> {
  return variantsPass.prove(tried, toldTools(grade, reference));
}

const is = (workspace: FileTree, path: keyof typeof files): boolean =>
  textOf(workspace, path) === files[path];

/** Parses nothing: any other byte in one of the files is wrong. */
const byteForByte =
  (...paths: readonly (keyof typeof files)[]): Told =>
  (workspace) =>
    paths.every((path) => is(workspace, path)) ? right : wrong;

/** Knows no more than the folder's listing. */
const noFileMore: Told = (workspace) =>
  workspace.length === referenceWorkspace(bundle).length ? right : wrong;

test("a grader that reads what it grades passes every variant", async () => {
  const asked: GradeOptions[] = [];
  const found = await prove(bundle, (_workspace, options) => {
    asked.push(options);
    return right;
  });
  expect(found).toMatchObject({
    passed: true,
    words: `${kinds.length} of ${kinds.length} neutral variants of the reference pass.`,
    warnings: [],
  });
  expect(found.evidence).toMatchObject(kinds.map((variant) => ({ variant, outcome: "passed" })));
  expect(asked.every(({ askJudges }) => askJudges === false)).toBe(true);
  expect(asked.flatMap(({ packing }) => packing ?? [])).toEqual([
    { ownModes: true },
    { ownModes: true },
    { mtimeMs: expect.any(Number) as number },
  ]);
});

test.each<[string, Told, readonly string[], readonly string[]]>([
  [
    "compares one file byte by byte",
    byteForByte("out/b.json"),
    [
      "The grader is too strict: it refuses variants of the reference that mean the same (3)",
      "- final-newline:out/b.json: a final line break added or taken away in out/b.json. Compare lines or parsed values",
      "- json-format:out/b.json: JSON with other white space and order of keys in out/b.json. Parse the JSON and compare values.",
      "- line-ends:out/b.json:",
      "failed: right",
      "bytes differ",
      "Where a sentence of task.md rules one out, say so in grader/claims.json",
    ],
    ["out/a.json"],
  ],
  [
    "wants nothing else in the workspace",
    noFileMore,
    ["- extra-file: a file more, notes-on-the-way.txt,", "Look at the files that task.md names"],
    ["json-format"],
  ],
  [
    "looks at modes",
    (workspace) => (workspace.some((entry) => entry.kind === "file" && entry.mode === 0o600) ? wrong : right),
    ["- modes-narrow:out/a.json", "executable"],
    ["modes-wide"],
  ],
  [
    "looks at times",
    (_workspace, { packing }) => (packing?.mtimeMs === undefined ? right : wrong),
    ["- file-times: other times of all files. Do not look at file times."],
    ["extra-file"],
  ],
  [
    "crashes on another format",
    (workspace) => (is(workspace, "out/a.json") ? right : gradingOf(2, [], { log: "ValueError" })),
    ["json-format:out/a.json", "broke its contract: exit code 2", "ValueError"],
    ["out/b.json"],
  ],
  [
    "minds a format only in both files at once",
    (workspace) => (is(workspace, "out/a.json") || is(workspace, "out/b.json") ? right : wrong),
    ["- json-format: JSON with other white space and order of keys in out/a.json, out/b.json."],
    ["json-format:out/"],
  ],
  [
    "asks judges that no one announced",
    (workspace) =>
      is(workspace, "out/a.json") ? right : gradingOf(3, [], { answers: [answerOf("tone", true)] }),
    ["json-format:out/a.json", "asked the judges"],
    [],
  ],
])("a grader that %s is refused", async (_what, grade, words, absent) => {
  const found = await prove(bundle, grade);
  expect(found.passed).toBe(false);
  for (const part of words) expect(found.words).toContain(part);
  for (const part of absent) expect(found.words).not.toContain(part);
});

const excuse = (variant: string): Claims["refusals"][number] => ({ variant, sentence, reason: "one format" });

test.each<[string, readonly string[], Told, number]>([
  ["by kind", ["json-format", "final-newline", "line-ends"], byteForByte("out/a.json", "out/b.json"), 3],
  [
    "by kind and path",
    ["json-format:out/a.json", "final-newline:out/a.json", "line-ends:out/a.json"],
    byteForByte("out/a.json"),
    3,
  ],
  ["for the extra file", ["extra-file"], noFileMore, 1],
])(
  "what the author names %s with a sentence may be refused, and is kept",
  async (_how, variants, grade, count) => {
    const found = await prove(refusing(variants.map(excuse)), grade);
    expect(found.passed).toBe(true);
    expect(found.words).toContain(`Refused for a reason that the author names: ${count}.`);
    expect(found.warnings).toEqual([
      expect.stringMatching(new RegExp(`^Refused, and the author says why: .*\\(one format\\)`)),
    ]);
    const kept = (found.evidence as { outcome: string }[]).filter(({ outcome }) => outcome === "excused");
    expect(kept).toHaveLength(count);
    expect(kept[0]).toMatchObject({ sentence, reason: "one format" });
  },
);

test.each<[string, Claims["refusals"]]>([
  ["another file", [excuse("json-format:out/a.json"), excuse("final-newline"), excuse("line-ends")]],
  [
    "a sentence that task.md does not have",
    [
      { ...excuse("json-format"), sentence: "The order of keys counts." },
      excuse("final-newline"),
      excuse("line-ends"),
    ],
  ],
])("an excuse for %s does not help", async (_what, refusals) => {
  const found = await prove(refusing(refusals), byteForByte("out/b.json"));
  expect(found.passed).toBe(false);
  expect(found.words).toContain("that mean the same (1)");
  expect(found.words).toContain("- json-format:out/b.json");
});

test("an excuse that nothing needs is a warning", async () => {
  const found = await prove(refusing([excuse("line-ends"), excuse("spelling")]), () => right);
  expect(found.passed).toBe(true);
  expect(found.warnings).toEqual(["refusals in grader/claims.json that nothing needs: line-ends, spelling."]);
});

test("the words stay short whatever the grader writes and however many files there are", async () => {
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`out/${"long".repeat(40)}-${at}.json`, '{"a":1,"b":2}\n']),
  );
  const flood = gradingOf(
    1,
    Array.from({ length: 2000 }, (_, at) => `!${at} ${"x".repeat(500)}`),
  );
  const found = await prove({ ...bundle, reference: treeOf(many) }, () => flood);
  expect(found.passed).toBe(false);
  expect(found.words.length).toBeLessThan(20_000);
});

const letter = letterBundle();
const asking = (tone: boolean | null): Grading =>
  gradingOf(3, ["there is a letter"], {
    answers: [
      {
        ...answerOf("tone", tone),
        question: { ...answerOf("tone", tone).question, artefacts: ["letter.md"] },
      },
    ],
  });
/** As the gate: an unasked grading has no answers. */
const asAsked =
  (tone: boolean | null): Told =>
  (_workspace, { askJudges }) =>
    askJudges === false ? { ...asking(tone), answers: [] } : asking(tone);

test("judges are asked about a variant only where their files are as they know them", async () => {
  const found = await prove(letter, asAsked(true), asking(true));
  expect(found.passed).toBe(true);
  expect(found.evidence).toMatchObject([
    { variant: "final-newline:letter.md", outcome: "left to the judges" },
    { variant: "line-ends:letter.md", outcome: "left to the judges" },
    { variant: "modes-narrow:letter.md", outcome: "passed" },
    { variant: "modes-wide:letter.md", outcome: "passed" },
    { variant: "file-times", outcome: "passed" },
    { variant: "extra-file", outcome: "passed" },
  ]);
});

test("a NO of the judges is a refusal, absent judges are infrastructure", async () => {
  const found = await prove(letter, asAsked(false), asking(true));
  expect(found.passed).toBe(false);
  expect(found.words).toContain("question tone: NO, expected YES");
  await expect(prove(letter, asAsked(null), asking(true))).rejects.toThrow(InfrastructureError);
});
