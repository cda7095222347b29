import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { withOwnSignal } from "./own-signal.ts";

test("the signal of a campaign carries no listener once a request has ended", async () => {
  const campaign = new AbortController();
  const leave = (own: AbortSignal): Promise<void> => {
    own.addEventListener("abort", () => undefined);
    return Promise.resolve();
  };
  for (let request = 0; request < 20; request++) await withOwnSignal(campaign.signal, leave);
  expect(getEventListeners(campaign.signal, "abort")).toHaveLength(0);
});

test("an abort reaches the request with its reason", async () => {
  const campaign = new AbortController();
  const reason = new Error("Ctrl-C");
  const seen = withOwnSignal(campaign.signal, (own) => {
    campaign.abort(reason);
    return Promise.resolve(own.reason as unknown);
  });
  expect(await seen).toBe(reason);
  await expect(withOwnSignal(campaign.signal, () => Promise.resolve())).rejects.toBe(reason);
});
