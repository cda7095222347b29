import type { Bundle } from "../../artefacts/bundle.ts";
import { type FileTree, isExecutable, overlay, type Packing, type TreeEntry } from "../../artefacts/tree.ts";
import { matchesGlob } from "../globs.ts";
import { referenceWorkspace } from "../workspaces.ts";
import { varyJson } from "./json-variants.ts";
import { textIn, varyFinalNewline, varyLineEnds } from "./text-variants.ts";
import { varyYaml } from "./yaml-variants.ts";

/** The reference workspace with a difference that makes none to the task. */
export type Variant = {
  /** `<kind>`, or `<kind>:<path>` where it is of one file. */
  readonly id: string;
  readonly kind: string;
  /** What is different, for people. */
  readonly words: string;
  /** What a grader that minds should do instead. */
  readonly cure: string;
  /** Files of the reference that are different in themselves; none where only their surroundings are. */
  readonly paths: readonly string[];
  /** Those of them with other bytes. */
  readonly rewritten: readonly string[];
  readonly workspace: FileTree;
  readonly packing?: Packing;
  /** Where there are several files: the same for each alone. */
  readonly singles: readonly Variant[];
};

type FileEntry = Extract<TreeEntry, { kind: "file" }>;
type Manner = Pick<Variant, "kind" | "words" | "cure"> & {
  readonly packing?: Packing;
  /** The file in its other form; null where it has none. */
  readonly vary: (file: FileEntry) => FileEntry | null;
};

const mostSingles = 20;
/** A time that is not the usual one; ZIP cannot hold times before 1980. */
const anotherTime = Date.UTC(2019, 8, 14, 5, 21, 47);

const manners: readonly Manner[] = [
  {
    kind: "final-newline",
    words: "a final line break added or taken away",
    cure: "Compare lines or parsed values, not whole files.",
    vary: rewrite(varyFinalNewline),
  },
  {
    kind: "json-format",
    words: "JSON with other white space and order of keys",
    cure: "Parse the JSON and compare values.",
    vary: rewrite(varyJson),
  },
  {
    kind: "yaml-format",
    words: "YAML with another indent and order of keys",
    cure: "Parse the YAML and compare values.",
    vary: rewrite(varyYaml),
  },
  {
    kind: "line-ends",
    words: "CRLF in place of LF at the ends of lines, or the other way round",
    cure: "Read text with universal newlines, or parse the format.",
    vary: rewrite(varyLineEnds),
  },
  {
    kind: "modes-narrow",
    words: "modes 0600 and 0700, as under umask 077",
    cure: "Look at no more of a mode than whether a program is executable.",
    packing: { ownModes: true },
    vary: (file) => ({ ...file, mode: isExecutable(file.mode) ? 0o700 : 0o600 }),
  },
  {
    kind: "modes-wide",
    words: "modes 0664 and 0775, as under umask 002",
    cure: "Look at no more of a mode than whether a program is executable.",
    packing: { ownModes: true },
    vary: (file) => ({ ...file, mode: isExecutable(file.mode) ? 0o775 : 0o664 }),
  },
];

/** One variant for each kind that the reference's files allow, in a fixed order. Never one that is no different. */
export function planVariants(bundle: Bundle): readonly Variant[] {
  return [
    ...manners.flatMap((manner) => variantsIn(manner, bundle)),
    {
      id: "file-times",
      kind: "file-times",
      words: "other times of all files",
      cure: "Do not look at file times.",
      paths: [],
      rewritten: [],
      workspace: referenceWorkspace(bundle),
      packing: { mtimeMs: anotherTime },
      singles: [],
    },
    extraFile(bundle),
  ];
}

function variantsIn(manner: Manner, bundle: Bundle): readonly Variant[] {
  const pairs = bundle.reference.flatMap((file) => {
    const varied = file.kind === "file" ? manner.vary(file) : null;
    return varied === null || file.kind !== "file" ? [] : [{ file, varied }];
  });
  if (pairs.length === 0) return [];
  const make = (chosen: typeof pairs, singles: readonly Variant[]): Variant => {
    const { kind, words, cure, packing } = manner;
    const paths = chosen.map(({ file }) => file.path);
    return {
      id: chosen.length === 1 ? `${kind}:${paths.join("")}` : kind,
      kind,
      words,
      cure,
      paths,
      rewritten: chosen
        .filter(({ file, varied }) => file.bytes !== varied.bytes)
        .map(({ file }) => file.path),
      workspace: overlay(
        usualModes(referenceWorkspace(bundle)),
        chosen.map(({ varied }) => varied),
      ),
      ...(packing === undefined ? {} : { packing }),
      singles,
    };
  };
  const singles = pairs.length === 1 ? [] : pairs.slice(0, mostSingles).map((pair) => make([pair], []));
  return [make(pairs, singles)];
}

function rewrite(vary: (path: string, text: string) => string | null): Manner["vary"] {
  return (file) => {
    const text = textIn(file.bytes);
    const varied = text === null ? null : vary(file.path, text);
    return varied === null ? null : { ...file, bytes: new TextEncoder().encode(varied) };
  };
}

/** What a bundle's other files have on this machine is not to decide anything. */
function usualModes(tree: FileTree): FileTree {
  return tree.map((entry) =>
    entry.kind === "file" ? { ...entry, mode: isExecutable(entry.mode) ? 0o755 : 0o644 } : entry,
  );
}

const extraNames = ["notes-on-the-way.txt", "scratch/notes.txt", ".notes", "notes-on-the-way.log"];

/** An agent may leave a note; where all names are outputs, it lies among them. */
function extraFile(bundle: Bundle): Variant {
  const reference = referenceWorkspace(bundle);
  const free = extraNames.filter((name) => !reference.some(({ path }) => clashes(path, name)));
  const unlike = free.find((name) => !bundle.spec.outputs.some((glob) => matchesGlob(name, glob)));
  const path = unlike ?? free[0] ?? `${"z".repeat(40)}.txt`;
  const note = new TextEncoder().encode("Looked at the files first, then wrote the result.\n");
  return {
    id: "extra-file",
    kind: "extra-file",
    words: `a file more, ${path}, that has nothing to do with the task`,
    cure: "Look at the files that task.md names, not at everything in the workspace.",
    paths: [],
    rewritten: [],
    workspace: overlay(reference, [{ kind: "file", path, mode: 0o644, bytes: note }]),
    singles: [],
  };
}

/** The same name, or one where the other needs a folder. */
function clashes(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}/`) || name.startsWith(`${path}/`);
}
