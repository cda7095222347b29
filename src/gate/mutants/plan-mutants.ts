import type { Bundle } from "../../artefacts/bundle.ts";
import { type FileTree, isExecutable, overlay, type TreeEntry } from "../../artefacts/tree.ts";
import { sha256 } from "../../hash.ts";
import { randomFrom } from "../../seed.ts";
import { referenceWorkspace } from "../workspaces.ts";
import { mutateCsv } from "./csv.ts";
import { shortDiff } from "./diff.ts";
import { decodeText } from "./file-kind.ts";
import { mutateJson } from "./json.ts";
import { type Change, coarseKinds, type Mutant, type Mutator, type Subject } from "./mutant.ts";
import { sampleEvenly } from "./sample.ts";
import { mutateText } from "./text.ts";
import { touchedParts } from "./touched.ts";
import { wholeFileChanges } from "./whole-file.ts";
import { mutateXml } from "./xml.ts";
import { mutateYaml } from "./yaml.ts";

/** For formats of data. */
export const dataMutators: readonly Mutator[] = [mutateJson, mutateYaml, mutateCsv, mutateXml];

export type MutantOptions = {
  readonly limit: number;
  readonly seed: number;
  /** Asked of every file that the reference delivers; one for whose lines none finds a change is broken as text. */
  readonly mutators: readonly Mutator[];
};

/**
 * Broken variants of the reference workspace, at most `limit`, spread evenly over kinds and files, in the order of
 * their paths. The same bundle and seed give the same ones.
 */
export async function planMutants(bundle: Bundle, options: MutantOptions): Promise<readonly Mutant[]> {
  const { limit, seed } = options;
  const deliveries = deliveriesOf(bundle);
  const mostPerKind = mostPerKindFor(deliveries, limit);
  const candidates: Candidate[] = [];
  if (limit > 0) {
    for (const delivery of deliveries) {
      const changes = await changesOf(delivery, { ...options, mostPerKind });
      candidates.push(...differing(delivery, changes));
    }
  }
  const drawn = sampleEvenly(candidates, limit, randomFrom(seed, "mutants", "sample"));
  return drawn.map(({ delivery, ...mutant }) => ({ ...mutant, diff: diffOf(delivery, mutant.bytes) }));
}

/** The reference workspace with the one file broken. */
export function mutantWorkspace(bundle: Bundle, { path, kind, bytes }: Mutant): FileTree {
  const workspace = referenceWorkspace(bundle);
  if (kind === "original") return overlay(workspace, atPath(bundle.fixtures, path));
  if (bytes === null) return overlay(workspace, [], [path]);
  const [entry] = atPath(workspace, path);
  const mode = entry?.kind === "file" ? entry.mode : 0o644;
  return overlay(workspace, [{ kind: "file", path, mode, bytes }]);
}

/** What the reference does at one path: an entry of its own, or none for a fixture that it removes. */
type Delivery = {
  readonly path: string;
  readonly entry: TreeEntry | null;
  /** The fixture that was there. */
  readonly original: TreeEntry | null;
};

type Candidate = Omit<Mutant, "diff"> & { readonly delivery: Delivery };

/** A fixture that the reference only repeats is no work of its own, and nothing that a grader need look at. */
function deliveriesOf({ fixtures, reference, spec }: Bundle): readonly Delivery[] {
  const delivered = new Set(reference.map(({ path }) => path));
  const removed = [...new Set(spec.removes)].filter((path) => !delivered.has(path));
  return [
    ...reference.map((entry) => ({
      path: entry.path,
      entry,
      original: atPath(fixtures, entry.path)[0] ?? null,
    })),
    ...removed.map((path) => ({ path, entry: null, original: atPath(fixtures, path)[0] ?? null })),
  ]
    .filter(({ path, entry, original }) =>
      entry === null ? original !== null && !isInTheWay(path, delivered) : !isSame(entry, original),
    )
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A removed file whose place a folder took, or the other way round, cannot be put back. */
function isInTheWay(path: string, delivered: ReadonlySet<string>): boolean {
  return [...delivered].some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
}

function isSame(entry: TreeEntry, original: TreeEntry | null): boolean {
  if (original === null || entry.kind !== original.kind) return false;
  if (sha256(contentOf(entry)) !== sha256(contentOf(original))) return false;
  return (
    entry.kind === "link" ||
    isExecutable(entry.mode) === (original.kind === "file" && isExecutable(original.mode))
  );
}

function atPath(tree: FileTree, path: string): FileTree {
  return tree.filter((entry) => entry.path === path);
}

/** Of a link, where it leads. */
function contentOf(entry: TreeEntry): Uint8Array {
  return entry.kind === "file" ? entry.bytes : new TextEncoder().encode(entry.target);
}

/** All that is planned is held in memory until it is sampled; so many bytes of copies at most. */
const copiesBytes = 64 * 1024 * 1024;
const usualKinds = 10;
/** Larger files are broken as a whole only. */
const largestFine = 2 * 1024 * 1024;

/** A quarter of the limit, since a file that gives fewer than four kinds is rare. */
function mostPerKindFor(deliveries: readonly Delivery[], limit: number): number {
  const sizes = deliveries.map(({ entry }) => (entry?.kind === "file" ? entry.bytes.length : 0));
  const bytes = sizes.filter((size) => size <= largestFine).reduce((sum, size) => sum + size, 1);
  return Math.max(1, Math.min(Math.ceil(limit / 4), Math.floor(copiesBytes / usualKinds / bytes)));
}

type ChangeOptions = Omit<MutantOptions, "limit"> & { readonly mostPerKind: number };

async function changesOf(delivery: Delivery, options: ChangeOptions): Promise<readonly Change[]> {
  const { path, entry } = delivery;
  const original = delivery.original === null ? null : contentOf(delivery.original);
  if (entry === null)
    return original === null ? [] : [{ kind: "original", words: "the fixture is put back", bytes: original }];
  const whole = wholeFileChanges(contentOf(entry), original);
  if (entry.kind === "link") return whole.filter(({ kind }) => kind === "missing" || kind === "original");
  if (entry.bytes.length > largestFine) return whole;
  const subject = { path, bytes: entry.bytes, mode: entry.mode };
  return [...whole, ...(await fineChanges(subject, original, options))];
}

async function fineChanges(
  subject: Subject,
  original: Uint8Array | null,
  { seed, mutators, mostPerKind }: ChangeOptions,
): Promise<readonly Change[]> {
  const within = touchedParts(subject.bytes, original);
  const changes: Change[] = [];
  const ask = async (mutate: Mutator, place: number): Promise<void> => {
    const random = randomFrom(seed, "mutants", subject.path, place);
    const wanted = within === undefined ? {} : { within };
    changes.push(...(await mutate(subject, { mostPerKind, random, ...wanted })));
  };
  for (const [place, mutate] of mutators.entries()) await ask(mutate, place);
  if (changes.every(({ kind }) => coarseKinds.includes(kind))) await ask(mutateText, mutators.length);
  return changes;
}

const missing = "missing";

/** Changes that change something, each outcome once: ids tell them apart. */
function differing(delivery: Delivery, changes: readonly Change[]): readonly Candidate[] {
  const seen = new Set(delivery.entry === null ? [missing] : [markOf(contentOf(delivery.entry))]);
  return changes.flatMap((change) => {
    const mark = change.bytes === null ? missing : markOf(change.bytes);
    if (seen.has(mark)) return [];
    seen.add(mark);
    const { path } = delivery;
    return [{ ...change, path, id: `${change.kind}:${path}:${mark}`, delivery }];
  });
}

function markOf(bytes: Uint8Array): string {
  return sha256(bytes).slice(0, 8);
}

function diffOf({ path, entry }: Delivery, bytes: Uint8Array | null): string | null {
  const before = entry === null ? null : decodeText(contentOf(entry));
  const after = bytes === null ? null : decodeText(bytes);
  const isBinary = (entry !== null && before === null) || (bytes !== null && after === null);
  return isBinary ? null : shortDiff(path, before?.body ?? null, after?.body ?? null);
}
