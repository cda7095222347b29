import { expect, test } from "vitest";
import { type EngineFacts, engineRows, imageRow, leftoversRow } from "./engine-rows.ts";

const sound: EngineFacts = {
  version: "27.0.1",
  apiVersion: "1.46",
  kernel: "6.1.0-generic",
  cgroup: "2",
  driver: "overlay2",
  timeMs: 0,
  memoryMiB: 4096,
  cpus: 4,
  limits: { memory: true, cpu: true, pids: true },
  root: "/var/lib/docker",
};
const needs = { cpus: 1, memoryMiB: 1024, concurrency: 2 };
const troubles = (facts: Partial<EngineFacts>, of = needs): readonly (string | null)[][] =>
  engineRows("engine", { ...sound, ...facts }, of)
    .filter(({ state }) => state !== "ok")
    .map(({ check, state, found, mend }) => [check, state, found, mend]);

test("nothing is wrong with a sound engine", () => {
  expect(troubles({})).toEqual([]);
});

test.each<[string, Partial<EngineFacts>, string, string, RegExp, RegExp | null]>([
  ["an old API", { apiVersion: "1.40" }, "API", "warn", /1\.40, older than 1\.41/, /apt-get install/],
  ["an old kernel", { kernel: "5.10.0" }, "kernel", "warn", /5\.10\.0: before 5\.19/, /uname -r/],
  ["vfs", { driver: "vfs" }, "storage", "warn", /copies the whole image/, /overlay2/],
  ["no kernel told", { kernel: null }, "kernel", "warn", /does not tell/, null],
  ["no cgroups told", { cgroup: null }, "cgroup", "warn", /does not tell/, null],
  ["no storage told", { driver: null }, "storage", "warn", /does not tell/, null],
  [
    "limits that do not hold",
    { limits: { memory: false, cpu: true, pids: false } },
    "limits",
    "fail",
    /cannot limit memory, pids/,
    /docker info/,
  ],
  [
    "too few processors",
    { cpus: 0.5 },
    "limits",
    "fail",
    /sandbox\.cpus: 1, and the engine has 0\.5/,
    /^sandbox\.cpus: 0\.5$/,
  ],
  [
    "little memory",
    { memoryMiB: 1500 },
    "limits",
    "warn",
    /2 container\(s\) of 1024 MiB .* 1500 MiB/,
    /^evaluation\.concurrency: 1$/,
  ],
  ["memory untold", { memoryMiB: null }, "limits", "warn", /unavailable/, null],
])("%s is one row with what mends it", (_what, facts, check, state, found, mend) => {
  const [row, ...more] = troubles(facts);
  expect(more).toEqual([]);
  expect(row?.slice(0, 2)).toEqual([`engine ${check}`, state]);
  expect(row?.[2]).toMatch(found);
  if (mend === null) expect(row?.[3]).toBeNull();
  else expect(row?.[3]).toMatch(mend);
});

test.each([
  [{ kind: "ready", id: "sha256:0123", recipe: "abc" }, "ok", null],
  [{ kind: "absent", recipe: "abc", others: 0 }, "warn", "make"],
  [{ kind: "absent", recipe: "abc", others: 2 }, "warn", "make"],
  [{ kind: "unknown_base", image: "my/image" }, "warn", "pull"],
] as const)("image %j", (image, state, mend) => {
  const row = imageRow("image", image, "make", "pull");
  expect(row).toMatchObject({ state, mend });
  if (image.kind === "absent") expect(row.found.includes("of other recipes")).toBe(image.others > 0);
});

test("leftovers are counted, and a few are named", () => {
  expect(leftoversRow("x", [], "clean").state).toBe("ok");
  expect(leftoversRow("x", ["a", "b", "c", "d", "e"], "clean")).toMatchObject({
    state: "warn",
    found: "5 of dead processes: a, b, c and 2 more",
    mend: "clean",
  });
});
