import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clockRow, diskNeeds, diskRow, engineClockRow, freeBytes, nodeRow } from "./machine-rows.ts";

const minute = 60_000;
const hour = 60 * minute;

test.each([
  ["v20.19.0", ">=20.19", "ok", null],
  ["v24.1.0", ">=20.19", "ok", null],
  ["v20.18.3", ">=20.19", "fail", "nvm install 20"],
  ["v18.20.0", ">=20", "fail", "nvm install 20"],
])("node %s where %s is needed: %s", (version, needed, state, mend) => {
  expect(nodeRow(version, needed)).toMatchObject({ state, mend, found: `${version} (needs ${needed})` });
});

const { least, enough } = diskNeeds.engine;
test.each([
  ["enough", enough, "ok", null],
  ["little", enough - 1, "warn", "docker system df"],
  ["too little", least - 1, "fail", "docker system df"],
  ["full", 0, "fail", "docker system df"],
  ["unknown", null, "warn", "docker system df"],
])("disk: %s", (_what, free, state, mend) => {
  expect(diskRow("disk", free, diskNeeds.engine, "docker system df")).toMatchObject({ state, mend });
});

test("what is unknown of a disk is unavailable, not 0", () => {
  expect(diskRow("disk", null, diskNeeds.engine, "").found).toContain("unavailable");
});

test("a folder that is still to be made has the disk of the one above", async () => {
  const here = await freeBytes(tmpdir());
  expect(here).toBeGreaterThan(0);
  // Others write to that disk meanwhile.
  expect(Math.abs((await freeBytes(join(tmpdir(), "no", "such", "folder"))) - here)).toBeLessThan(here);
});

test.each([
  ["older than now", -hour, "ok"],
  ["from a clock a little ahead", 30_000, "ok"],
  ["from the future", 2 * hour, "fail"],
])("files %s", (_what, aheadMs, state) => {
  const now = Date.parse("2031-05-01T00:00:00Z");
  expect(clockRow(now, now + aheadMs)).toMatchObject({ state });
});

test.each([
  ["the same", 0, "ok"],
  ["behind by minutes", -5 * minute, "warn"],
  ["ahead by so much that living containers are swept", 2 * hour, "fail"],
])("the engine's clock: %s", (_what, apartMs, state) => {
  expect(engineClockRow("clock", 1e12, 1e12 + apartMs)).toMatchObject({
    state,
    mend: state === "ok" ? null : "sudo timedatectl set-ntp true",
  });
});

test("an engine that does not tell its time is no failure", () => {
  expect(engineClockRow("clock", 1e12, null)).toMatchObject({ state: "warn" });
});
