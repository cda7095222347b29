import { expect, test } from "vitest";
import type { Plan } from "../artefacts/plan.ts";
import { failures, foundCampaign, there, walked, type WholeCampaign } from "../testing/found-campaign.ts";
import { keptOf, sectionedSkill } from "../testing/sectioned-skill.ts";
import { checkSections } from "./check-sections.ts";

const kept = keptOf(sectionedSkill({ "SKILL.md": "# Tide\n\nText.\n" }));
const { hash } = there(kept);
const sections: Plan["sections"] = [
  { skill: "tide", hash, missing: null },
  { skill: "bare", hash: null, missing: "not_built" },
];

function found(read: WholeCampaign["sections"][number]["kept"]): WholeCampaign {
  return { ...foundCampaign({ plan: { sections } }), sections: [{ skill: "tide", kept: read }] };
}

test("sections as they were frozen hold, and those that never were are said", () => {
  expect(checkSections(walked(found(there(kept))))).toEqual({
    differences: [],
    words: "sections of 1 skill(s) against the plan; 1 of 2 had none when it was planned",
  });
});

test.each<[string, WholeCampaign["sections"][number]["kept"], string]>([
  ["edited", there({ ...kept, byName: ["other"] }), there({ ...kept, byName: ["other"] }).hash.slice(0, 12)],
  ["gone", { kind: "absent" }, "nothing"],
  ["unreadable", { kind: "unreadable", words: "not JSON" }, "not JSON"],
])("sections that are not what the plan froze are told: %s", (_what, read, came) => {
  expect(failures(found(read))).toMatchObject({
    "sections-kept": `sections/tide.json: expected ${hash.slice(0, 12)}, as the plan froze it, came ${came}`,
  });
});
