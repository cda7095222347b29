import { expect, test } from "vitest";
import { packTree } from "../sandbox/tar.ts";
import { treeOf } from "../testing/benchmark.ts";
import { streamOf } from "../testing/sandbox-containers.ts";
import { absentBy, type Circumstance, combined, planRepeats, probingScript } from "./repeats.ts";

const kindsOf = (group: readonly Circumstance[]): readonly string[] => group.map(({ kind }) => kind.name);
const planOf = (gradings: number, seed = 7): ReturnType<typeof planRepeats> =>
  planRepeats({ seed, gradings });
const every = [...kindsOf(planOf(2).flat())].sort();

test("every kind of change that the gate promises is in the plan", () => {
  expect(every).toEqual([
    "the clock",
    "the hash seed",
    "the load of the machine",
    "the locale",
    "the number of cores",
    "the order of files",
    "the time zone",
    "the times of files",
  ]);
});

test.each([2, 3, 4, 5, 8, 9, 10, 17, 30])("%i gradings: every kind occurs, spread evenly", (gradings) => {
  const plan = planOf(gradings);
  expect(plan).toHaveLength(gradings - 1);
  expect([...new Set(plan.flatMap(kindsOf))].sort()).toEqual(every);
  const sizes = plan.map((group) => group.length);
  expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
  expect(Math.min(...sizes)).toBeGreaterThan(0);
  for (const group of plan) expect(new Set(kindsOf(group)).size).toBe(group.length);
});

test("each kind has a grading of its own where there are enough, and other ways beyond that", () => {
  expect(planOf(every.length + 1).map((group) => group.length)).toEqual(every.map(() => 1));
  const twice = planOf(2 * every.length + 1).flat();
  const zones = twice.filter(({ kind }) => kind.name === "the time zone").map(({ words }) => words);
  expect(new Set(zones).size).toBe(2);
});

test("the same settings give the same plan, and seeds give different ones", () => {
  expect(planOf(5)).toEqual(planOf(5));
  const plans = [1, 2, 3, 4, 5].map((seed) => JSON.stringify(planOf(5, seed).map(kindsOf)));
  expect(new Set(plans).size).toBeGreaterThan(1);
});

test("all changes together are options that hold each of them", () => {
  const all = planOf(2).flat();
  const { conditions, packing, load } = combined(all);
  for (const { options } of all) {
    expect(conditions).toMatchObject(options.conditions ?? {});
    expect(packing).toMatchObject(options.packing ?? {});
    expect(load).toBe(options.load ?? load);
  }
  expect(load).toBeGreaterThan(0);
  expect(combined([])).toEqual({});
});

test("what leaves no trace is absent, and one trace does not stand for another", async () => {
  const many = planOf(12).flat();
  const script = probingScript(many);
  const traces = [...script.matchAll(/touch (circumstance-\S+)$/gm)].map(([, name]) => name ?? "");
  expect(traces).toHaveLength(many.length);
  const archive = (names: readonly string[]): AsyncIterable<Uint8Array> =>
    packTree(treeOf(Object.fromEntries(names.map((name) => [name, ""]))));
  expect(await absentBy(archive(traces), many)).toEqual([]);
  expect(await absentBy(archive([]), many)).toEqual(many);
  expect(await absentBy(archive(traces.slice(10)), many)).toEqual(many.slice(0, 10));
});

test("a trace that is cut by the pieces of the archive is seen", async () => {
  const [one] = planOf(9).flat();
  const bytes = new TextEncoder().encode("xx circumstance-0-shows xx");
  const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
  expect(await absentBy(streamOf(...pieces), [one!])).toEqual([]);
});
