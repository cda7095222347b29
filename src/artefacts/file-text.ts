/**
 * Text of a file in pieces, made when it is asked for and the same each time: a file of megabytes is written, or held
 * against one that is there, without ever being whole in memory.
 */
export type FileText = () => Iterable<string>;

/** One that is made whole. */
export function wholeText(make: () => string): FileText {
  return () => [make()];
}

/** How deep a value is taken apart: a report's longest lists lie this deep, and none of their members is large. */
const levels = 4;

/** JSON as people read it: two spaces, a final newline, members in the order given. */
export function jsonText(value: object): FileText {
  return function* () {
    yield* jsonPieces(value, levels, "");
    yield "\n";
  };
}

/** What `JSON.stringify(value, null, 2)` gives, each line but the first behind `pad`. */
function* jsonPieces(value: unknown, depth: number, pad: string): Generator<string> {
  const members = depth > 0 ? membersOf(value) : [];
  if (members.length === 0) {
    yield JSON.stringify(value ?? null, null, 2).replaceAll("\n", `\n${pad}`);
    return;
  }
  const isList = Array.isArray(value);
  const inner = `${pad}  `;
  for (const [at, { name, member }] of members.entries()) {
    const before = at === 0 ? (isList ? "[" : "{") : ",";
    yield `${before}\n${inner}${name === null ? "" : `${JSON.stringify(name)}: `}`;
    yield* jsonPieces(member, depth - 1, inner);
  }
  yield `\n${pad}${isList ? "]" : "}"}`;
}

type Member = { readonly name: string | null; readonly member: unknown };

function membersOf(value: unknown): readonly Member[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.map((member: unknown) => ({ name: null, member }));
  return Object.entries(value).flatMap(([name, member]: [string, unknown]): Member[] =>
    member === undefined ? [] : [{ name, member }],
  );
}
