/** Members that differ between two JSON values, by their paths, with both texts cut short; at most `most`. */
export function differing(before: unknown, after: unknown, most = 10): readonly string[] {
  const found: string[] = [];
  collect(before, after, "", found, most);
  return found;
}

const longest = 60;

function collect(before: unknown, after: unknown, path: string, found: string[], most: number): void {
  if (found.length >= most) return;
  const [a, b] = [membersOf(before), membersOf(after)];
  if (a === null || b === null) {
    if (JSON.stringify(before) !== JSON.stringify(after))
      found.push(`${path === "" ? "(all)" : path}: ${shown(before)} → ${shown(after)}`);
    return;
  }
  for (const key of new Set([...a.keys(), ...b.keys()]))
    collect(a.get(key), b.get(key), path === "" ? key : `${path}.${key}`, found, most);
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> | null {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : null;
}

function shown(value: unknown): string {
  const text = value === undefined ? "absent" : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
