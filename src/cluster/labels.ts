import { at } from "./geometry.ts";

/** Labels numbered by first appearance, so that equal partitions have equal labels. */
export function canonicalLabels(labels: readonly number[]): number[] {
  const numbers = new Map<number, number>();
  return labels.map((label) => {
    const number = numbers.get(label) ?? numbers.size;
    numbers.set(label, number);
    return number;
  });
}

/** Indices of the points of each cluster, ascending; `labels` must be 0 to k−1. */
export function membersByLabel(labels: readonly number[], k: number): number[][] {
  const members = Array.from({ length: k }, (): number[] => []);
  labels.forEach((label, index) => at(members, label).push(index));
  return members;
}

/** Negative when `a` comes before `b` in lexicographic order. */
export function compareLabels(a: readonly number[], b: readonly number[]): number {
  const first = a.findIndex((label, i) => label !== b[i]);
  return first === -1 ? 0 : at(a, first) - at(b, first);
}
