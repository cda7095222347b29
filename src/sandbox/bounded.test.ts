import { expect, test } from "vitest";
import { bounded } from "./bounded.ts";
import { SandboxError } from "./port.ts";

const never = (): Promise<never> => new Promise(() => undefined);

test("what takes too long is given up and told so by its signal", async () => {
  const given: AbortSignal[] = [];
  const waiting = bounded("a thing", 20, undefined, (signal) => {
    given.push(signal);
    return never();
  });
  await expect(waiting).rejects.toThrow(new SandboxError("a thing: no answer in 0.02 s"));
  expect(given[0]?.aborted).toBe(true);
});

test("an abort ends the wait with its own reason, and one before it begins nothing", async () => {
  const controller = new AbortController();
  const waiting = bounded("a thing", 60_000, controller.signal, never);
  controller.abort(new Error("Ctrl-C"));
  await expect(waiting).rejects.toThrow("Ctrl-C");
  let begun = false;
  const late = bounded("a thing", 60_000, controller.signal, () => {
    begun = true;
    return never();
  });
  await expect(late).rejects.toThrow("Ctrl-C");
  expect(begun).toBe(false);
});

test("what has answered is left alone by a later abort", async () => {
  const controller = new AbortController();
  const signal = await bounded("a thing", 60_000, controller.signal, (given) => Promise.resolve(given));
  controller.abort();
  expect(signal.aborted).toBe(false);
});
