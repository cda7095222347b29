import type { Bundle } from "../../artefacts/bundle.ts";
import { atomsOf, findAtoms } from "./atoms.ts";
import type { TextFile } from "./texts.ts";

/** What may stand in two texts because the fixtures hold it, or because the task has to name it. */
export type Given = {
  /** Those that stand in a fixture, whatever their case and punctuation. */
  readonly inFixtures: (literals: Iterable<string>) => ReadonlySet<string>;
  /** Whether it is the name of an input or output. */
  readonly isName: (literal: string) => boolean;
};

export function givenBy(bundle: Bundle, fixtures: readonly TextFile[]): Given {
  const names = new Set(
    [...bundle.fixtures, ...bundle.reference]
      .flatMap(({ path }) => namesOf(path))
      .concat(bundle.spec.outputs),
  );
  let made: string | undefined;
  const haystack = (): string => (made ??= fixtures.map(({ text }) => atomsOf(text).toLowerCase()).join(" "));
  return {
    inFixtures: (literals) => {
      const atoms = new Map([...literals].map((literal) => [literal, atomsOf(literal).toLowerCase()]));
      if (atoms.size === 0) return new Set();
      const found = findAtoms(atoms.values(), haystack());
      const isThere = (literal: string, needle: string): boolean =>
        needle === "" ? fixtures.some(({ text }) => text.includes(literal)) : found.has(needle);
      return new Set([...atoms].flatMap(([literal, needle]) => (isThere(literal, needle) ? [literal] : [])));
    },
    isName: (literal) => names.has(literal.replace(/^(\.|\/workspace)\//, "").replace(/\/$/, "")),
  };
}

/** Whether the task says where the file is: its path, its name, or one of its folders. */
export function isNamed(path: string, task: string): boolean {
  const [name = "", ...folders] = path.split("/").reverse();
  const above = folders.map((_, at) => folders.slice(at).reverse().join("/"));
  return (
    standsAlone(name, task) ||
    above.some((folder) => task.includes(`${folder}/`) || task.includes(`\`${folder}\``))
  );
}

/** Not as part of a longer name: `data.csv` is not named by `old-data.csv`. */
function standsAlone(name: string, text: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const around = `${text[at - 1] ?? " "}${text[at + name.length] ?? " "}`;
    if (!/[\p{L}\p{N}_-]/u.test(around)) return true;
  }
  return false;
}

/** The path, its last part, and the folders above it. */
function namesOf(path: string): readonly string[] {
  const parts = path.split("/");
  return [...parts, ...parts.map((_, at) => parts.slice(0, at + 1).join("/"))];
}
