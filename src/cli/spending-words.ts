import { knownNanoUsd, type Spending } from "../artefacts/ledger.ts";
import { dollars } from "../artefacts/nano-usd.ts";

/** `$0.0123`, and what may come on top; what nobody told is said as such. */
export function spendingWords(spending: Spending): string {
  const { estimatedNanoUsd, unknown } = spending;
  const known = dollars(knownNanoUsd(spending));
  const parts = [
    ...(estimatedNanoUsd === 0 ? [] : [`${dollars(estimatedNanoUsd)} of it estimated`]),
    ...(unknown.attempts === 0 ? [] : [unknownWords(unknown)]),
  ];
  return parts.length === 0 ? known : `${known} (${parts.join("; ")})`;
}

function unknownWords({ attempts, upToNanoUsd, unpriced }: Spending["unknown"]): string {
  const priced = attempts - unpriced;
  const parts = [
    ...(priced === 0 ? [] : [`${priced} attempt(s) of unknown cost, at most ${dollars(upToNanoUsd)} more`]),
    ...(unpriced === 0 ? [] : [`${unpriced} attempt(s) without a price`]),
  ];
  return parts.join(", ");
}
