/** Groups in order of first appearance, members in the order given. */
export function groupBy<T>(
  values: readonly T[],
  keyOf: (value: T) => string,
): readonly (readonly [T, ...T[]])[] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return [...groups.values()];
}
