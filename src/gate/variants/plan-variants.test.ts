import { expect, test } from "vitest";
import type { Bundle } from "../../artefacts/bundle.ts";
import { type FileTree, textOf } from "../../artefacts/tree.ts";
import { answerBundle, treeOf } from "../../testing/benchmark.ts";
import { referenceWorkspace } from "../workspaces.ts";
import { planVariants, type Variant } from "./plan-variants.ts";

function bundleOf(reference: FileTree, over: Partial<Bundle["spec"]> = {}): Bundle {
  const base = answerBundle();
  return { ...base, reference, spec: { ...base.spec, outputs: ["out/**"], ...over } };
}

const mixed = bundleOf(
  treeOf({
    "out/a b.json": '{"a":1,"b":2}',
    "out/c.json": '{"c":1}\n',
    "out/settings.yml": "a: 1\nb: 2\n",
    "out/run.sh!": "#!/bin/sh\ntrue\n",
    "out/image.bin": "\0\0",
    "out/empty.txt": "",
  }),
);

const variantOf = (bundle: Bundle, kind: string): Variant =>
  planVariants(bundle).find((variant) => variant.kind === kind)!;

test("one variant per kind, over the files it can be of", () => {
  expect(planVariants(mixed).map(({ id, paths }) => [id, paths.length])).toEqual([
    ["final-newline", 4],
    ["json-format", 2],
    ["yaml-format:out/settings.yml", 1],
    ["line-ends", 2],
    ["modes-narrow", 6],
    ["modes-wide", 6],
    ["file-times", 0],
    ["extra-file", 0],
  ]);
});

test("a variant of several files comes with one of each, which changes that file alone", () => {
  const { singles } = variantOf(mixed, "json-format");
  expect(singles.map(({ id }) => id)).toEqual(["json-format:out/a b.json", "json-format:out/c.json"]);
  const reference = referenceWorkspace(mixed);
  const [first] = singles;
  expect(first?.paths).toEqual(["out/a b.json"]);
  expect(textOf(first!.workspace, "out/a b.json")).toBe('{"b": 2, "a": 1}');
  for (const path of ["out/c.json", "notes.txt"])
    expect(textOf(first!.workspace, path)).toBe(textOf(reference, path));
});

test("every variant is one: other bytes, other modes, another time or one file more", () => {
  const reference = new Map(referenceWorkspace(mixed).map((entry) => [entry.path, entry]));
  for (const variant of planVariants(mixed)) {
    const told = variant.workspace.filter((entry) => {
      const own = reference.get(entry.path);
      if (own?.kind !== "file" || entry.kind !== "file") return true;
      const modes = variant.packing?.ownModes === true && entry.mode !== own.mode;
      return modes || !Buffer.from(entry.bytes).equals(own.bytes);
    });
    const changed = told.map(({ path }) => path);
    if (variant.paths.length > 0) expect(changed, variant.id).toEqual(variant.paths);
    else expect(changed.length === 1 || variant.packing?.mtimeMs !== undefined, variant.id).toBe(true);
    expect(variant.rewritten, variant.id).toEqual(variant.kind.startsWith("modes") ? [] : variant.paths);
  }
});

test("modes keep what is executable; fixtures get the usual ones whatever this machine gave them", () => {
  const odd = { ...mixed, fixtures: mixed.fixtures.map((entry) => ({ ...entry, mode: 0o664 })) };
  const modes = Object.fromEntries(
    ["modes-narrow", "modes-wide"].map((kind) => [
      kind,
      variantOf(odd, kind).workspace.flatMap((entry) =>
        entry.kind === "file" ? [[entry.path, entry.mode]] : [],
      ),
    ]),
  );
  expect(new Map(modes["modes-narrow"] as [string, number][])).toEqual(
    new Map([
      ["notes.txt", 0o644],
      ["out/a b.json", 0o600],
      ["out/c.json", 0o600],
      ["out/empty.txt", 0o600],
      ["out/image.bin", 0o600],
      ["out/run.sh", 0o700],
      ["out/settings.yml", 0o600],
    ]),
  );
  expect(new Map(modes["modes-wide"] as [string, number][]).get("out/run.sh")).toBe(0o775);
  expect(new Map(modes["modes-wide"] as [string, number][]).get("out/c.json")).toBe(0o664);
});

test.each<[string, readonly string[], Readonly<Record<string, string>>, string]>([
  ["matches no output", ["out/**"], { "out/a": "1" }, "notes-on-the-way.txt"],
  ["is another one where text files are outputs", ["*.txt"], { "a.txt": "1" }, "scratch/notes.txt"],
  ["is not taken", ["**"], { "notes-on-the-way.txt": "1" }, "scratch/notes.txt"],
  ["needs no folder that is a file", ["**"], { "notes-on-the-way.txt": "1", scratch: "1" }, ".notes"],
])("the extra file's name %s", (_what, outputs, files, expected) => {
  const bundle = bundleOf(treeOf(files), { outputs: [...outputs] });
  const variant = variantOf(bundle, "extra-file");
  const known = new Set(referenceWorkspace(bundle).map(({ path }) => path));
  expect(variant.workspace.filter(({ path }) => !known.has(path)).map(({ path }) => path)).toEqual([
    expected,
  ]);
  expect(variant.words).toContain(expected);
});

test("links and a solution that only removes leave what needs no file", () => {
  const links = bundleOf([{ kind: "link", path: "out/l", target: "x" }]);
  const removing = bundleOf([], { removes: ["notes.txt"] });
  for (const bundle of [links, removing])
    expect(planVariants(bundle).map(({ id }) => id)).toEqual(["file-times", "extra-file"]);
});

test("a hundred files are tried singly only in part", () => {
  const many = bundleOf(
    treeOf(Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`out/${at}.txt`, `${at}\n`]))),
  );
  const variant = variantOf(many, "line-ends");
  expect(variant.paths).toHaveLength(100);
  expect(variant.singles).toHaveLength(20);
});
