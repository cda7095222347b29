/** Groups in the order in which their keys first appear; never empty. */
export function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): (readonly [T, ...T[]])[] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return [...groups.values()];
}
