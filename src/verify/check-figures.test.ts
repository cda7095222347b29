import { expect, test } from "vitest";
import { settingsOf } from "../testing/arm-cells.ts";
import { figuredCampaign, type FiguredOptions } from "../testing/figured-campaign.ts";
import { looked } from "../testing/found-campaign.ts";
import { checkConclusions } from "./check-conclusions.ts";
import { checkNumbers } from "./check-report.ts";

const bootstrap = { resamples: 200 };
const looks = (over: object) => ({ count: 2, boundary: "obrien-fleming", trials: 4, ...over }) as const;

const worlds: readonly (readonly [string, FiguredOptions])[] = [
  ["the usual settings", { settings: settingsOf({ bootstrap }) }],
  ["no hypothesis", { settings: null }],
  [
    "no bootstrap, leaky benchmarks left out",
    { settings: settingsOf({ bootstrap: { resamples: 0 } }), leaky: "exclude" },
  ],
  [
    "false discovery rate, mid-p, one-sided, a floor from before, no placebo",
    {
      settings: settingsOf({
        bootstrap,
        family: "bh",
        midP: true,
        sides: 1,
        noiseFloor: 0.1,
        placebo: null,
        alpha: 0.1,
      }),
    },
  ],
  [
    "several hypotheses, a wide margin",
    {
      settings: settingsOf({
        bootstrap,
        delta: 0.4,
        comparisons: [
          { arm: "with_skill", against: "without_skill" },
          { arm: "with_skill", against: "of-deep" },
          { arm: "placebo", against: "without_skill" },
        ],
      }),
    },
  ],
  [
    "signs that are drawn: too fine to be counted",
    { settings: settingsOf({ bootstrap }), trials: 13, missing: 0.3, models: ["a/x"] },
  ],
  ["most trials missing", { settings: settingsOf({ bootstrap }), missing: 0.8 }],
  ["nothing done", { settings: settingsOf({ bootstrap }), missing: 1 }],
  ["one trial per arm", { settings: settingsOf({ bootstrap }), trials: 1 }],
  ["looks", { settings: settingsOf({ bootstrap, looks: looks({}) }), missing: 0 }],
  ["between looks", { settings: settingsOf({ bootstrap, looks: looks({}) }), missing: 0.1 }],
  [
    "looks that settle cells",
    {
      settings: settingsOf({
        bootstrap,
        looks: looks({ count: 3, boundary: "pocock", trials: 3, settle: { after: 2, mostPairs: 6 } }),
      }),
      ...{ trials: 6, missing: 0 },
    },
  ],
];

test.each(worlds)(
  "an honest report holds: %s",
  (_name, options) => {
    const sets = [["a/x", "b/y"], ["a/x"]];
    for (const [seed, models] of (options.models === undefined ? sets : [options.models]).entries()) {
      const whole = figuredCampaign({ models, ...options, seed });
      for (const check of [checkNumbers, checkConclusions])
        expect(looked(check, whole).differences.slice(0, 5), `seed ${seed}`).toEqual([]);
    }
  },
  60_000,
);
