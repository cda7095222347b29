import { expect, test } from "vitest";
import { bundleSpecSchema } from "../artefacts/bundle.ts";
import { treeOf } from "../testing/benchmark.ts";
import type { ClusterRequest, Section } from "./cluster-request.ts";
import { contract } from "./contract.ts";
import { judgedMembers, reservedNames, topLevelMembers } from "./draft-paths.ts";
import { authorPrompt, cappedSections } from "./prompt.ts";

const section = (title: string, tokens: number, text = `${title} `.repeat(tokens)): Section => ({
  file: "SKILL.md",
  path: ["Sample", title],
  text,
  tokens,
});
const request: ClusterRequest = {
  id: "sample/a",
  titles: ["Beta", "Alpha"],
  sections: [
    section("Alpha", 3, "Do alpha.\n```sh\nls\n```"),
    { ...section("Beta", 2, "Do beta."), file: "references/beta.md" },
  ],
  assets: treeOf({ "scripts/b.py!": "x" }),
};
const options = { toolList: "- python3 3.11\n", maxSectionTokens: 1000 };

test("it holds the sections in order, the assets, the contract and the tools", () => {
  const prompt = authorPrompt(request, [], options);
  const places = [
    '"Beta" is about',
    "## From SKILL.md: Sample > Alpha\n\n````markdown\nDo alpha.\n```sh",
    "## From references/beta.md: Sample > Beta\n\n```markdown\nDo beta.\n```",
    "- scripts/b.py",
    "# What to deliver",
    "# The tools of the image\n\n- python3 3.11",
  ].map((part) => prompt.indexOf(part));
  expect(places.every((place) => place >= 0)).toBe(true);
  expect(places).toEqual([...places].sort((a, b) => a - b));
});

test("faults of the last attempt end it, fenced", () => {
  const prompt = authorPrompt(request, ["task.md: missing", "grader said:\n```\nbad\n```"], options);
  expect(
    prompt.endsWith("```text\ntask.md: missing\n```\n\n````text\ngrader said:\n```\nbad\n```\n````\n"),
  ).toBe(true);
});

test("the same request gives the same prompt", () => {
  expect(authorPrompt(request, [], options)).toBe(authorPrompt(request, [], options));
});

test.each<[string, readonly number[], number, readonly number[]]>([
  ["all fit", [10, 20, 30], 60, [10, 20, 30]],
  ["the largest is cut", [10, 20, 100], 60, [10, 20, 30]],
  ["the two largest are cut to one length", [10, 200, 100], 60, [10, 25, 25]],
  ["all are cut", [100, 200, 300], 30, [10, 10, 10]],
  ["nothing fits", [100], 0, [0]],
  ["no sections", [], 10, []],
])("sections under a cap: %s", (_what, sizes, cap, expected) => {
  const capped = cappedSections(
    sizes.map((size, at) => section(`s${at}`, size)),
    cap,
  );
  expect(capped.map(({ tokens }) => tokens)).toEqual(expected);
  for (const [at, { text }] of capped.entries()) {
    expect(text.includes("left out")).toBe((sizes[at] ?? 0) > (expected[at] ?? 0));
  }
});

test("the contract names every field, member and reserved name that is checked", () => {
  for (const field of Object.keys(bundleSpecSchema.shape)) expect(contract).toContain(`${field}: `);
  for (const name of [...reservedNames, ...topLevelMembers, ...judgedMembers])
    expect(contract).toContain(name);
  expect(contract).toContain("At most 500 files, 1 MiB each, 8 MiB in all");
});
