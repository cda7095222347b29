import { shuffled } from "../../seed.ts";
import { decodeText } from "./file-kind.ts";
import type { Change, Mutator, MutatorOptions } from "./mutant.ts";
import { sheetSites, sharedStringsOf, tableSites } from "./office-cells.ts";
import { paragraphSites } from "./office-paragraphs.ts";
import { changesAt, type Site } from "./site.ts";
import { type XmlElement, elementsOf } from "./xml-elements.ts";
import { type Members, readZip, writeZip } from "./zip.ts";

/** Of a book of a thousand sheets, no more are read. */
const mostParts = 6;

/**
 * Breaks documents, slides and tables of docx, pptx, xlsx, odt, odp and ods: paragraphs and cells changed, paragraphs
 * and rows dropped. Known by what stands in the archive; its other members stay as they are.
 */
export const mutateOffice: Mutator = ({ bytes }, options) => {
  const members = readZip(bytes);
  const format = members === null ? null : formatOf(members);
  if (members === null || format === null) return [];
  const parts = [...members.keys()].filter((name) => format.part.test(name)).sort();
  const drawn = shuffled(parts, options.random).slice(0, mostParts);
  const changes = drawn.flatMap((part) => changesOfPart(members, part, format, options));
  return fewOfEachKind(shuffled(changes, options.random), options.mostPerKind).map((change) => {
    return { ...change, bytes: writeZip(new Map(members).set(change.part, change.bytes)) };
  });
};

type Format = {
  /** Names of the members that hold what people read. */
  readonly part: RegExp;
  readonly sites: (elements: readonly XmlElement[], body: string, members: Members) => Iterable<Site>;
};

const content = /^content\.xml$/;
const byMember: readonly (readonly [string, Format])[] = [
  ["word/document.xml", { part: /^word\/document\.xml$/, sites: paragraphSites }],
  ["ppt/presentation.xml", { part: /^ppt\/slides\/[^/]+\.xml$/, sites: paragraphSites }],
  [
    "xl/workbook.xml",
    {
      part: /^xl\/worksheets\/[^/]+\.xml$/,
      sites: (elements, body, members) => sheetSites(elements, body, sharedStringsOf(members)),
    },
  ],
];
const byDeclaration = new Map<string, Format>([
  ["application/vnd.oasis.opendocument.text", { part: content, sites: paragraphSites }],
  ["application/vnd.oasis.opendocument.presentation", { part: content, sites: paragraphSites }],
  ["application/vnd.oasis.opendocument.spreadsheet", { part: content, sites: tableSites }],
]);

function formatOf(members: Members): Format | null {
  const declared = decodeText(members.get("mimetype") ?? new Uint8Array())?.body.trim() ?? "";
  return byDeclaration.get(declared) ?? byMember.find(([name]) => members.has(name))?.[1] ?? null;
}

type PartChange = Change & { readonly part: string; readonly bytes: Uint8Array };

function changesOfPart(
  members: Members,
  part: string,
  format: Format,
  { mostPerKind, random }: MutatorOptions,
): readonly PartChange[] {
  const text = decodeText(members.get(part) ?? new Uint8Array());
  if (text === null) return [];
  const sites = format.sites(elementsOf(text.body), text.body, members);
  return changesAt(text, sites, { mostPerKind, random }).flatMap(({ kind, words, bytes }) =>
    bytes === null ? [] : [{ kind, words: `${part}: ${words}`, part, bytes }],
  );
}

function fewOfEachKind(changes: readonly PartChange[], most: number): readonly PartChange[] {
  const counts = new Map<string, number>();
  return changes.filter(({ kind }) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return count <= most;
  });
}
