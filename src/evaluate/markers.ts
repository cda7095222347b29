import type { Benchmark } from "../artefacts/benchmark.ts";
import { type FileTree, overlay } from "../artefacts/tree.ts";
import { distinctiveBlocks } from "./distinctive.ts";
import type { Treatment } from "./open-trial.ts";

/** A byte string to look for. `of` says what it would give away, `from` where it stands. */
export type Needle = {
  readonly of: "skill" | "fixtures" | "reference" | "grader";
  readonly from: string;
  readonly bytes: Uint8Array;
};

export type Planted = {
  readonly benchmark: Benchmark;
  readonly treatment: NonNullable<Treatment>;
  readonly needles: readonly Needle[];
  /** Name of the file that was added to the skill and to the fixtures. */
  readonly skillFile: string;
  readonly fixture: string;
  readonly skillMarkdown: string;
};

/**
 * Copies with a random marker each: in the skill a file and a line of SKILL.md, in fixtures, reference and grader a
 * file. Reference, sentinels and grader are looked for by pieces of their own files as well.
 */
export function plantMarkers(
  benchmark: Benchmark,
  treatment: NonNullable<Treatment>,
  newMarker: () => string,
): Planted {
  const { bundle } = benchmark;
  const marked = (tree: FileTree): { tree: FileTree; name: string; marker: Uint8Array } => {
    const marker = newMarker();
    const name = `canary-${marker}.txt`;
    const bytes = Buffer.from(`${marker}\n`);
    return {
      name,
      marker: Buffer.from(marker),
      tree: overlay(tree, [{ kind: "file", path: name, mode: 0o644, bytes }]),
    };
  };
  const files = marked(treatment.files);
  const line = `\n${Buffer.from(files.marker).toString()}\n`;
  const skill = { ...treatment.skill, markdown: treatment.skill.markdown + line };
  const { tree, path: skillMarkdown } = appendTo(files.tree, treatment.skill.markdown, line);
  const fixtures = marked(bundle.fixtures);
  const reference = marked(bundle.reference);
  const grader = marked(bundle.grader);
  const legitimate = [...bytesOf(bundle.fixtures), ...bytesOf(treatment.files), Buffer.from(bundle.task)];
  const blocks = (of: Needle["of"], from: FileTree): Needle[] =>
    distinctiveBlocks(from, legitimate).map(({ path, bytes }) => ({ of, from: path, bytes }));
  return {
    benchmark: {
      ...benchmark,
      bundle: { ...bundle, fixtures: fixtures.tree, reference: reference.tree, grader: grader.tree },
    },
    treatment: { skill, files: tree },
    needles: [
      { of: "skill", from: files.name, bytes: files.marker },
      { of: "fixtures", from: fixtures.name, bytes: fixtures.marker },
      { of: "reference", from: reference.name, bytes: reference.marker },
      { of: "grader", from: grader.name, bytes: grader.marker },
      ...blocks("reference", bundle.reference),
      // What a judge is to take for good is as close to a solution.
      ...blocks("reference", below("sentinels/good", bundle.sentinels?.good ?? [])),
      ...blocks("grader", bundle.grader),
    ],
    skillFile: files.name,
    fixture: fixtures.name,
    skillMarkdown,
  };
}

function appendTo(tree: FileTree, markdown: string, line: string): { tree: FileTree; path: string } {
  const found = tree.find(
    (entry) => entry.kind === "file" && new TextDecoder().decode(entry.bytes) === markdown,
  );
  if (found?.kind !== "file") throw new Error("the delivered SKILL.md is not among the skill's files");
  const bytes = Buffer.concat([found.bytes, Buffer.from(line)]);
  return { tree: overlay(tree, [{ ...found, bytes }]), path: found.path };
}

function below(folder: string, tree: FileTree): FileTree {
  return tree.map((entry) => ({ ...entry, path: `${folder}/${entry.path}` }));
}

function bytesOf(tree: FileTree): Uint8Array[] {
  return tree.flatMap((entry) => (entry.kind === "file" ? [entry.bytes] : []));
}
