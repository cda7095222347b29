import type { Report } from "../../artefacts/report.ts";
import type { Timings } from "../../artefacts/timings.ts";
import { type Anchors, anchorsOf } from "./anchors.ts";
import { answerSection } from "./answer.ts";
import { costSection } from "./cost-section.ts";
import { foreign } from "./foreign.ts";
import { funnelSection } from "./funnel-section.ts";
import { html, type Markup } from "./markup.ts";
import { noticesOf } from "./notices.ts";
import { page, type Place } from "./page.ts";
import { passGrid } from "./pass-grid.ts";
import { tokensSection } from "./tokens-section.ts";
import { trialList } from "./trial-list.ts";
import type { TrialRow } from "./trial-row.ts";
import { equalArmsSection } from "../equal-arms.ts";
import { activationSection } from "../activation.ts";
import { furtherSection } from "../further/section.ts";
import { honestySection } from "../honesty/honesty-section.ts";
import { judgesSection } from "../judges-section.ts";
import { leaksSection } from "../leaks.ts";
import { looksSection } from "../looks-section.ts";
import { moneySection } from "../money-section.ts";
import { deviationsSection } from "./deviations-section.ts";
import { isolationSection } from "./isolation-section.ts";
import { linksTo } from "./row-links.ts";
import { planSection } from "./plan-section.ts";
import { secondsSection } from "./seconds-section.ts";
import { sectionsPart } from "./sections-part.ts";
import { toldSection } from "./told.ts";
import { upliftSection } from "./uplift-section.ts";

export type PageSource = {
  readonly report: Report;
  readonly timings: Timings;
  readonly trials: readonly TrialRow[];
  readonly anchors: Anchors;
};

/** The order in which a reader meets them; null leaves one out. Each heads itself with the id of its place. */
const sections: readonly (Place & { readonly of: (source: PageSource) => Markup | null })[] = [
  { id: "answer", words: "Conclusions", of: ({ report, anchors }) => answerSection(report, anchors) },
  { id: "uplift", words: "Uplift", of: ({ report, anchors }) => upliftSection(report, anchors) },
  {
    id: "equal-arms",
    words: "Equal arms",
    of: ({ report, anchors }) =>
      toldSection("equal-arms", ({ table }) => equalArmsSection(report, table), { link: linksTo(anchors) }),
  },
  { id: "grid", words: "Pass grid", of: ({ report, anchors }) => passGrid(report, anchors) },
  { id: "tokens", words: "Tokens", of: ({ report, anchors }) => tokensSection(report, anchors) },
  { id: "cost", words: "Cost", of: ({ report, anchors }) => costSection(report, anchors) },
  {
    id: "sections",
    words: "Sections of the skill",
    of: ({ report, anchors }) => sectionsPart(report, anchors),
  },
  { id: "funnel", words: "Funnel", of: ({ report, anchors }) => funnelSection(report, anchors) },
  {
    id: "honesty",
    words: "Honesty and damage",
    of: ({ report, anchors }) =>
      toldSection("honesty", ({ table }) => honestySection(report.honesty, table), {
        link: linksTo(anchors),
      }),
  },
  {
    id: "activation",
    words: "Activation",
    of: ({ report, anchors }) =>
      toldSection("activation", ({ table }) => activationSection(report, table), { link: linksTo(anchors) }),
  },
  {
    id: "looks",
    words: "Looks",
    of: ({ report }) => toldSection("looks", (told) => looksSection(report, told)),
  },
  {
    id: "leaks",
    words: "Leaks",
    of: ({ report, anchors }) =>
      toldSection("leaks", (told) => leaksSection(report, told), { link: linksTo(anchors) }),
  },
  {
    id: "further",
    words: "Further figures",
    of: ({ report, anchors }) =>
      toldSection("further", ({ table }) => furtherSection(report.further, table), {
        folded: true,
        link: linksTo(anchors),
      }),
  },
  { id: "isolation", words: "Isolation", of: ({ report, timings }) => isolationSection(report, timings) },
  { id: "plan", words: "Plan", of: ({ report, timings }) => planSection(report, timings) },
  {
    id: "deviations",
    words: "Deviations",
    of: ({ report, timings, trials, anchors }) => deviationsSection(report, timings, { trials, anchors }),
  },
  {
    id: "judges",
    words: "Judges",
    of: ({ report }) => toldSection("judges", (told) => judgesSection(report.judges, told)),
  },
  {
    id: "money",
    words: "Money",
    of: ({ timings: { money, replayed } }) =>
      toldSection("money", (told) => moneySection(money, replayed, told)),
  },
  { id: "seconds", words: "Times", of: ({ timings, anchors }) => secondsSection(timings, anchors) },
  {
    id: "trials",
    words: "All trials",
    of: ({ report, trials, anchors }) => trialList(report, trials, anchors),
  },
];

/**
 * report/index.html: everything a campaign comes to, on one page that needs nothing beside it. `trials` may be fewer than
 * are planned; figures link to those that are listed.
 */
export function renderReportPage(report: Report, timings: Timings, trials: readonly TrialRow[]): string {
  const source = { report, timings, trials, anchors: anchorsOf(report, trials) };
  const made = sections.flatMap(({ id, words, of }) => {
    const body = of(source);
    return body === null ? [] : [{ id, words, body }];
  });
  const name = foreign(report.campaign, 120);
  return page({
    title: `${name} · skillproof`,
    depth: 0,
    contents: made,
    body: html`
      <p class="kicker">${name}</p>
      <h1>${report.perSkill.length > 1 ? "Do the skills help?" : "Does the skill help?"}</h1>
      ${noticesOf(report, timings)}
      <p class="lead">${foreign(report.headline, 900)}</p>
      ${made.map(({ body }) => body)}
    `,
  });
}
