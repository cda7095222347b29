import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { foundCampaign, verified, walked } from "../testing/found-campaign.ts";
import type { TrialFound } from "./found.ts";
import { verifyFound } from "./verify-found.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const whole = foundCampaign({ inputs: { trials: 30 } });
const honest = verified(whole);

test("trials that come one by one are each taken once, in the plan's order, and let go", async () => {
  const given: string[] = [];
  const refs: WeakRef<TrialFound>[] = [];
  let mostHeld = 0;
  async function* trials(): AsyncGenerator<TrialFound> {
    for (const found of whole.trials) {
      const one = structuredClone(found);
      given.push(one.planned.key);
      refs.push(new WeakRef(one));
      yield one;
      if (given.length % 40 > 0) continue;
      // What a WeakRef was made of is held until the turn ends.
      await setImmediate();
      collect();
      mostHeld = Math.max(mostHeld, refs.filter((ref) => ref.deref() !== undefined).length);
    }
  }
  expect(await verifyFound(walked(whole), trials())).toEqual(honest);
  expect(honest.findings).toEqual([]);
  expect(given).toEqual(whole.plan.trials.map(({ key }) => key));
  expect(given.length).toBeGreaterThan(200);
  // The one that was given last.
  expect(mostHeld).toBeLessThanOrEqual(1);
});

test("a list does as well as what gives its trials later", async () => {
  expect(await verifyFound(walked(whole), whole.trials)).toEqual(honest);
});
