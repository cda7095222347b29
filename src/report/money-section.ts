import { knownNanoUsd, type RequestRole, type Spending } from "../artefacts/ledger.ts";
import type { Money } from "../artefacts/money.ts";
import { dollars } from "../artefacts/nano-usd.ts";

/** A Markdown table whose cells are made harmless. */
type Table = (header: readonly string[], rows: readonly (readonly string[])[]) => string;

const purposes: Readonly<Record<RequestRole, string>> = {
  agent: "agents",
  judge: "judges",
  author: "authors",
  embedding: "embedding",
  probe: "probes before the trials",
};

/** The section "Money" of report.md: what is known to be spent, where the figures come from, and what is not known. */
export function moneySection(
  { all, roles, arms }: Money,
  replayed: boolean,
  { table }: { readonly table: Table },
): string {
  if (all.attempts === 0) return "## Money\n\nNo request was made to a model that could cost anything.";
  const rows = [
    ...roles.map(({ role, spending }) => [purposes[role], ...columns(spending)]),
    ...arms.map(({ arm, spending }) => [`agents, ${arm}`, ...columns(spending)]),
  ];
  const header = ["for", "requests", "spent", "of it estimated", "not known"];
  const words = [...(replayed ? [replayWords] : []), ...sentences(all)].join(" ");
  return ["## Money", words, table(header, rows)].join("\n\n");
}

const replayWords = "Paid when this was recorded; its replay cost nothing:";

function sentences(all: Spending): readonly string[] {
  const { attempts, reportedNanoUsd, generationNanoUsd, estimatedNanoUsd, notCharged, unknown } = all;
  const sources = [
    ...(reportedNanoUsd === 0 ? [] : [`${dollars(reportedNanoUsd)} as the servers told with their answers`]),
    ...(generationNanoUsd === 0 ? [] : [`${dollars(generationNanoUsd)} as they told when asked afterwards`]),
    ...(estimatedNanoUsd === 0 ? [] : [`${dollars(estimatedNanoUsd)} estimated from tokens and list prices`]),
  ];
  const priced = unknown.attempts - unknown.unpriced;
  return [
    `${dollars(knownNanoUsd(all))} spent on ${attempts} request(s), repeated ones and those of void trials included` +
      `${sources.length === 0 ? "" : `: ${sources.join(", ")}`}.`,
    ...(notCharged === 0 ? [] : [`Refused before any work, and free: ${notCharged}.`]),
    ...(priced === 0
      ? []
      : [
          `What ${priced} of them cost is unknown: up to ${dollars(unknown.upToNanoUsd)} more, which is not in the sum.`,
        ]),
    ...(unknown.unpriced === 0
      ? []
      : [
          `What ${unknown.unpriced} of them cost is unknown, and without a price nothing can be said about it.`,
        ]),
  ];
}

function columns(spending: Spending): readonly string[] {
  const known = spending.attempts - spending.unknown.attempts;
  return [
    String(spending.attempts),
    // With no figure at all, 0 would be a lie.
    known === 0 ? "unknown" : dollars(knownNanoUsd(spending)),
    dollars(spending.estimatedNanoUsd),
    unknownWords(spending.unknown),
  ];
}

function unknownWords({ attempts, upToNanoUsd, unpriced }: Spending["unknown"]): string {
  if (attempts === 0) return "nothing";
  const most = unpriced > 0 ? `${unpriced} of them without a price` : `up to ${dollars(upToNanoUsd)}`;
  const both = unpriced > 0 && unpriced < attempts ? `up to ${dollars(upToNanoUsd)}, ${most}` : most;
  return `${attempts} request(s): ${both}`;
}
