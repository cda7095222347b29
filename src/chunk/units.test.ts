import { expect, test } from "vitest";
import type { Chunk } from "../artefacts/chunks.ts";
import { makeUnits } from "./units.ts";

type Given = readonly [path: string, tokens: number, mark?: { boilerplate?: boolean; file?: string }];

/** `path` is written `Title/Part`; the text is its last title, so that a unit's text shows what it was made of. */
function chunksOf(given: readonly Given[]): readonly Chunk[] {
  return given.map(([written, tokens, { boilerplate = false, file = "SKILL.md" } = {}], index) => {
    const path = written === "" ? [] : written.split("/");
    const title = path.at(-1) ?? "";
    const place = { id: `${file}#${index}`, file, index, level: path.length, startLine: 1, endLine: 1 };
    return { ...place, title, path, text: `text of ${title}`, tokens, sha256: "", boilerplate };
  });
}

function units(given: readonly Given[], description: string | null = "What it does.") {
  return makeUnits(chunksOf(given), description, "SKILL.md", 50);
}

test.each<{ why: string; given: readonly Given[]; made: readonly string[][] }>([
  {
    why: "large chunks stand alone",
    given: [
      ["T/A", 50],
      ["T/B", 90],
    ],
    made: [["A"], ["B"]],
  },
  {
    why: "an introduction joins its first part",
    given: [
      ["T", 10],
      ["T/A", 90],
      ["T/B", 90],
    ],
    made: [["T", "A"], ["B"]],
  },
  {
    why: "a tiny part joins the next of its parent",
    given: [
      ["T/A", 10],
      ["T/B", 90],
      ["T/C", 90],
    ],
    made: [["A", "B"], ["C"]],
  },
  {
    why: "the last of a parent joins the one before",
    given: [
      ["T/A/x", 90],
      ["T/A/y", 10],
      ["T/B", 90],
    ],
    made: [["x", "y"], ["B"]],
  },
  {
    why: "tiny ones add up until they are large enough",
    given: [
      ["T/A", 20],
      ["T/B", 20],
      ["T/C", 20],
      ["T/D", 90],
    ],
    made: [["A", "B", "C"], ["D"]],
  },
  {
    why: "a tiny end joins the unit before",
    given: [
      ["T/A", 90],
      ["T/B", 90],
      ["T/C", 10],
    ],
    made: [["A"], ["B", "C"]],
  },
  {
    why: "nothing is folded into another file",
    given: [
      ["T/A", 90],
      ["D", 10, { file: "d.md" }],
      ["E", 10, { file: "e.md" }],
    ],
    made: [["A"], ["D"], ["E"]],
  },
  {
    why: "a first chunk with nothing to join stays",
    given: [
      ["S/A", 10],
      ["T/B", 90],
      ["T/C", 90],
    ],
    made: [["A"], ["B"], ["C"]],
  },
])("folding: $why", ({ given, made }) => {
  const chunks = chunksOf(given);
  const titles = units(given).map((unit) =>
    unit.chunks.map((id) => chunks.find((chunk) => chunk.id === id)?.title),
  );
  expect(titles).toEqual(made);
});

test("the largest chunk that is not boilerplate leads its unit", () => {
  const overview = { boilerplate: true };
  const [first, second] = units([
    ["T/Overview", 40, overview],
    ["T/A", 9],
    ["T/B", 30],
    ["T/C", 90],
  ]);
  expect(first).toMatchObject({ id: "SKILL.md#2", title: "B", path: ["T", "B"] });
  expect(first!.chunks).toEqual(["SKILL.md#0", "SKILL.md#1", "SKILL.md#2"]);
  expect(second).toMatchObject({ id: "SKILL.md#3", title: "C" });
});

test("a unit is boilerplate when all of its chunks are", () => {
  const marked = units([
    ["T/Overview", 10, { boilerplate: true }],
    ["T/Installation", 60, { boilerplate: true }],
    ["T/References", 10, { boilerplate: true }],
    ["T/A", 60],
  ]);
  expect(marked.map(({ boilerplate }) => boilerplate)).toEqual([true, false]);
});

test("the embedded text is the breadcrumb without a first title that all units share, then the texts", () => {
  const shared = units([
    ["", 60],
    ["T", 60],
    ["T/A", 10],
    ["T/A/x", 60],
    ["T/B", 60],
  ]);
  expect(shared.map(({ embeddedText }) => embeddedText)).toEqual([
    "text of ",
    "text of T",
    "A > x\ntext of A\n\ntext of x",
    "B\ntext of B",
  ]);
  const apart = units([
    ["T/A", 60],
    ["D/B", 60, { file: "d.md" }],
  ]);
  expect(apart.map(({ embeddedText }) => embeddedText)).toEqual(["T > A\ntext of A", "D > B\ntext of B"]);
});

test.each<{ why: string; given: readonly Given[]; description: string | null; texts: readonly string[] }>([
  { why: "a single chunk", given: [["T", 90]], description: "Sorts.", texts: ["Sorts.\n\nT\ntext of T"] },
  {
    why: "chunks folded into one",
    given: [
      ["T", 9],
      ["T/A", 90],
    ],
    description: "Sorts.",
    texts: ["Sorts.\n\nT > A\ntext of T\n\ntext of A"],
  },
  { why: "a single chunk, no description", given: [["T", 90]], description: null, texts: ["T\ntext of T"] },
  { why: "only a description", given: [], description: "Sorts.", texts: ["Sorts."] },
  { why: "nothing at all", given: [], description: null, texts: [] },
])("without structure to cluster: $why", ({ given, description, texts }) => {
  const made = units(given, description);
  expect(made.map(({ embeddedText }) => embeddedText)).toEqual(texts);
  expect(new Set(made.map(({ id }) => id)).size).toBe(made.length);
});
