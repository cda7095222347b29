import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hashJson } from "../hash.ts";
import { CampaignStore } from "../store/campaign.ts";
import { keepSections } from "../store/sections.ts";
import { keptOf, sectionedSkill } from "../testing/sectioned-skill.ts";
import { viewIn } from "../testing/view-command.ts";
import { viewedCampaign } from "../testing/viewed-campaign.ts";

test("every link from the list of campaigns on leads to a page, the annotated skills included", async () => {
  const out = await mkdtemp(join(tmpdir(), "view-links-"));
  const { folder, plan } = await viewedCampaign(() => ({}), {}, out);
  const kept = keptOf(sectionedSkill({ "SKILL.md": "# Tide\n\nWait for it.\n\n## Low\n\nWalk.\n" }));
  await keepSections(folder, kept);
  const sections = [{ skill: kept.skill, hash: hashJson(kept), missing: null }];
  await new CampaignStore(folder).writePlan({ ...plan, sections });
  const viewing = await viewIn(out, "--out", ".");
  try {
    const status = new Map<string, number>();
    const todo = ["/"];
    for (let path = todo.pop(); path !== undefined; path = todo.pop()) {
      if (status.has(path)) continue;
      const got = await viewing.get(path);
      status.set(path, got.status);
      if (got.headers["content-type"] !== "text/html; charset=utf-8") continue;
      for (const [, href = ""] of got.body.matchAll(/href="([^"#][^"]*)"/g)) {
        const target = new URL(href, new URL(path, viewing.url));
        if (target.protocol === "http:") todo.push(`${target.pathname}${target.search}`);
      }
    }
    expect([...status].filter(([, code]) => code !== 200)).toEqual([]);
    const paths = [...status.keys()];
    expect(paths.filter((path) => path.endsWith("/sections/tide.html"))).toHaveLength(1);
    expect(paths.filter((path) => path.includes("/trials/") && path.endsWith(".html"))).toHaveLength(
      plan.trials.length,
    );
    const copy = paths.find((path) => path.endsWith("/sections/tide.html"))?.replace(/html$/, "md") ?? "";
    expect((await viewing.get(copy)).headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect((await viewing.get(copy.replace("tide", "other"))).status).toBe(404);
  } finally {
    expect(await viewing.end()).toBe(0);
    await rm(out, { recursive: true });
  }
});
