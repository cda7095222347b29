import { spawn } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { expect, test } from "vitest";
import { decodeOwner, encodeOwner, isDead, thisOwner } from "./owner.ts";

test("an owner survives its label", () => {
  const owner = { host: "a/b", pid: 12, started: "34@boot" };
  expect(decodeOwner(encodeOwner(owner))).toEqual(owner);
  expect(decodeOwner("something else")).toBeNull();
});

test("this process lives; its pid with another start time is somebody else", () => {
  expect(isDead(thisOwner())).toBe(false);
  expect(isDead({ ...thisOwner(), started: "1@another-boot" })).toBe(true);
});

test("a process that has ended is dead, on this host only", async () => {
  const child = spawn("true");
  await once(child, "exit");
  const owner = { host: hostname(), pid: child.pid ?? 0, started: "1@x" };
  expect(isDead(owner)).toBe(true);
  expect(isDead({ ...owner, host: "another" })).toBe(false);
});
