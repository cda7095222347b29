import type { Benchmark } from "../artefacts/benchmark.ts";
import { type FileTree, hashTree, overlay } from "../artefacts/tree.ts";
import { distinctiveBlocks } from "./distinctive.ts";
import { type Deliverable, skillBytes } from "./treatments/deliverable.ts";

/** A byte string to look for. `of` says what it would give away, `from` where it stands. */
export type Needle = {
  readonly of: "skill" | "description" | "fixtures" | "reference" | "grader";
  readonly from: string;
  readonly bytes: Uint8Array;
};

export type Planted = {
  readonly benchmark: Benchmark;
  readonly needles: readonly Needle[];
  /** Name of the file that was added to the fixtures. */
  readonly fixture: string;
};

/**
 * A copy of the bundle with a random marker each in fixtures, reference and grader, as a file. Reference, sentinels and
 * grader are looked for by pieces of their own files as well, where neither task, fixtures nor `skills` have them.
 */
export function plantMarkers(
  benchmark: Benchmark,
  skills: readonly Deliverable[],
  newMarker: () => string,
): Planted {
  const { bundle } = benchmark;
  const fixtures = marked(bundle.fixtures, newMarker());
  const reference = marked(bundle.reference, newMarker());
  const grader = marked(bundle.grader, newMarker());
  const known = [bundle.fixtures, ...skills.map(({ files }) => files)].flatMap(bytesOf);
  const legitimate = [...known, Buffer.from(bundle.task)];
  const blocks = (of: Needle["of"], from: FileTree): Needle[] =>
    distinctiveBlocks(from, legitimate).map(({ path, bytes }) => ({ of, from: path, bytes }));
  return {
    benchmark: {
      ...benchmark,
      bundle: { ...bundle, fixtures: fixtures.tree, reference: reference.tree, grader: grader.tree },
    },
    needles: [
      { of: "fixtures", from: fixtures.name, bytes: fixtures.marker },
      { of: "reference", from: reference.name, bytes: reference.marker },
      { of: "grader", from: grader.name, bytes: grader.marker },
      ...blocks("reference", bundle.reference),
      // What a judge is to take for good is as close to a solution.
      ...blocks("reference", below("sentinels/good", bundle.sentinels?.good ?? [])),
      ...blocks("grader", bundle.grader),
    ],
    fixture: fixtures.name,
  };
}

export type PlantedSkill = {
  /** What was delivered, but for the markers. */
  readonly skill: Deliverable;
  /** Name of the file that was added. */
  readonly markerFile: string;
  /** Stands in that file, in its name and in the last line of SKILL.md. */
  readonly contents: Needle;
  /** Stands in the description alone, as a list of skills has it. */
  readonly description: Needle;
};

/** Copies of skills with random markers: one copy of each, so that the same skill is known by the same markers. */
export class SkillMarkers {
  private readonly byContents = new Map<string, PlantedSkill>();
  private readonly newMarker: () => string;

  constructor(newMarker: () => string) {
    this.newMarker = newMarker;
  }

  get planted(): readonly PlantedSkill[] {
    return [...this.byContents.values()];
  }

  /** `called` tells it apart from others of its name, in words. */
  plant(skill: Deliverable, called = skill.name): PlantedSkill {
    const key = JSON.stringify([skill.name, skill.description, hashTree(skill.files)]);
    const known = this.byContents.get(key) ?? plantSkill(skill, called, this.newMarker);
    this.byContents.set(key, known);
    return known;
  }
}

function plantSkill(skill: Deliverable, called: string, newMarker: () => string): PlantedSkill {
  const { tree, name, marker } = marked(skill.files, newMarker());
  const told = newMarker();
  const written = Buffer.concat([skillBytes(skill), Buffer.from(`\n${marker.toString()}\n`)]);
  const files = tree.map((entry) =>
    entry.path === skill.file && entry.kind === "file" ? { ...entry, bytes: written } : entry,
  );
  return {
    skill: { ...skill, description: `${skill.description ?? ""} ${told}`.trim(), files },
    markerFile: name,
    contents: { of: "skill", from: called, bytes: marker },
    description: { of: "description", from: called, bytes: Buffer.from(told) },
  };
}

function marked(
  tree: FileTree,
  marker: string,
): { readonly tree: FileTree; readonly name: string; readonly marker: Buffer } {
  const name = `canary-${marker}.txt`;
  const entry = { kind: "file", path: name, mode: 0o644, bytes: Buffer.from(`${marker}\n`) } as const;
  return { name, marker: Buffer.from(marker), tree: overlay(tree, [entry]) };
}

function below(folder: string, tree: FileTree): FileTree {
  return tree.map((entry) => ({ ...entry, path: `${folder}/${entry.path}` }));
}

function bytesOf(tree: FileTree): Uint8Array[] {
  return tree.flatMap((entry) => (entry.kind === "file" ? [entry.bytes] : []));
}
