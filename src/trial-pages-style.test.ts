import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, test, vi } from "vitest";
import { viewedCampaign } from "./testing/viewed-campaign.ts";
import { bundlesInMemory, compareTrialPages, writeTrialPages } from "./trial-pages.ts";

test("pages of another style than today's are made anew, so that verify and report agree", async () => {
  const { folder, plan, bundle } = await viewedCampaign();
  const known = bundlesInMemory(plan.inputs.skills.map(({ id }) => ({ skill: id, bundle })));
  try {
    vi.resetModules();
    vi.doMock("./report/html/style.ts", () => ({ style: "body { color: red }" }));
    const earlier = await import("./trial-pages.ts");
    expect(await earlier.writeTrialPages(folder, known)).toEqual({ made: plan.trials.length, unchanged: 0 });
    expect(await writeTrialPages(folder, known)).toEqual({ made: plan.trials.length, unchanged: 0 });
    expect((await compareTrialPages(folder, known)).found?.differences).toEqual([]);
  } finally {
    vi.doUnmock("./report/html/style.ts");
    await rm(dirname(folder), { recursive: true });
  }
});
