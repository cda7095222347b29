import type { KeptSections } from "../artefacts/section-map.ts";
import type { Difference } from "../artefacts/verification.ts";
import type { CampaignFound } from "./found.ts";
import { type Look, short } from "./look.ts";

/** Those that are what the plan froze. */
export function frozenSections({ plan, sections }: CampaignFound): readonly KeptSections[] {
  return plan.sections.flatMap(({ skill, hash }) => {
    const kept = sections.find((one) => one.skill === skill)?.kept;
    return kept?.kind === "there" && kept.hash === hash ? kept.value : [];
  });
}

/** What was kept of each skill's sections is what the plan froze: section maps and the words of decisions rest on it. */
export function checkSections({ plan, sections }: CampaignFound): Look {
  const frozen = plan.sections.filter(({ hash }) => hash !== null);
  const differences = frozen.flatMap(({ skill, hash }): readonly Difference[] => {
    const kept = sections.find((one) => one.skill === skill)?.kept ?? { kind: "absent" };
    const came = kept.kind === "there" ? short(kept.hash) : kept.kind === "absent" ? "nothing" : kept.words;
    if (kept.kind === "there" && kept.hash === hash) return [];
    return [{ place: `sections/${skill}.json`, expected: `${short(hash)}, as the plan froze it`, came }];
  });
  const none = plan.sections.length - frozen.length;
  const rest = none === 0 ? "" : `; ${none} of ${plan.sections.length} had none when it was planned`;
  return { differences, words: `sections of ${frozen.length} skill(s) against the plan${rest}` };
}
