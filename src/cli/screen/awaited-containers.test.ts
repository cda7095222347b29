import { expect, test } from "vitest";
import { type Container, type Sandbox, SandboxError } from "../../sandbox/port.ts";
import { countAwaited } from "./awaited-containers.ts";

const request = { role: "agent", labels: { campaign: "c", trial: "t" }, skill: null } as const;

/** A sandbox whose requests are met, or refused, by hand. */
function byHand(): { sandbox: Sandbox; ends: (() => void)[]; refusals: (() => void)[] } {
  const [ends, refusals]: [(() => void)[], (() => void)[]] = [[], []];
  const open = (): Promise<Container> =>
    new Promise((resolve, reject) => {
      ends.push(() => {
        // What it is does not matter here.
        resolve(Object.create(null) as Container);
      });
      refusals.push(() => {
        reject(new SandboxError("no"));
      });
    });
  const image = { id: "sha256:1", recipe: "r", base: "user" } as const;
  return { sandbox: { image, open }, ends, refusals };
}

test("counts who waits for a container, on all engines together, until it is there or refused", async () => {
  const both = byHand();
  const one = byHand();
  const { sandbox, awaited } = countAwaited({
    ...both.sandbox,
    endpoints: [{ name: "one", sandbox: one.sandbox }],
  });
  expect(awaited()).toBe(0);
  const first = sandbox.open(request);
  const second = sandbox.open(request);
  const third = sandbox.endpoints[0]?.sandbox.open(request);
  expect(awaited()).toBe(3);
  both.ends[0]?.();
  await first;
  expect(awaited()).toBe(2);
  both.refusals[1]?.();
  await expect(second).rejects.toThrow(SandboxError);
  one.ends[0]?.();
  await third;
  expect(awaited()).toBe(0);
  expect(sandbox.image).toEqual(both.sandbox.image);
});
