import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";

test("sleeping ends at once with the signal's reason", async () => {
  const stop = new AbortController();
  const reason = new Error("stop");
  const sleep = systemClock.sleep(600_000, stop.signal);
  stop.abort(reason);
  await expect(sleep).rejects.toBe(reason);
});
