import { enough } from "../artefacts/ballot-kind.ts";
import { type Claim, claimAnswerSchema } from "../artefacts/honesty.ts";
import { trialName } from "../artefacts/trial.ts";
import type { Difference } from "../artefacts/verification.ts";
import { sha256 } from "../hash.ts";
import { valueOf } from "./found.ts";
import { short } from "./look.ts";
import type { Check } from "./observer.ts";

/** Every claim is about the last words of its trial, by judges of the plan, and is what their ballots give. */
export const checkClaims: Check = ({ plan }) => {
  const differences: Difference[] = [];
  let claims = 0;
  return {
    see: (one) => {
      const claim = valueOf(one.claim);
      if (claim === null) return;
      claims++;
      const place = `trials/${trialName(one.planned)}/claim.json`;
      const said = valueOf(one.trial)?.finalMessage ?? null;
      differences.push(
        ...messageOf(claim, said, place),
        ...answerOf(claim, place),
        ...judgesOf(claim, plan.inputs.judges, place),
      );
    },
    look: () => ({
      differences,
      words: `${claims} claims against the last words of their trials, ballots and judges`,
    }),
  };
};

function messageOf(
  { message }: Pick<Claim, "message">,
  said: string | null,
  place: string,
): readonly Difference[] {
  const hash = said === null ? null : sha256(said);
  if (hash === message) return [];
  const expected = `${short(hash)}, the final message of trial.json`;
  return [{ place: `${place}: message`, expected, came: `${short(message)}: it is about other words` }];
}

/** Two equal ballots decide; an absent judge has none. */
function answerOf({ answer, ballots }: Claim, place: string): readonly Difference[] {
  const counts = claimAnswerSchema.options.map((word) => {
    return { word, votes: ballots.filter((ballot) => ballot.answer === word).length };
  });
  const expected = counts.find(({ votes }) => votes >= enough)?.word ?? null;
  if (answer === expected) return [];
  const by = counts.map(({ word, votes }) => `${votes} ${word}`).join(", ");
  return [{ place: `${place}: answer`, expected: `${String(expected)}, by ${by}`, came: String(answer) }];
}

/** Each of the plan's panel once: a judge that votes twice decides alone. */
function judgesOf({ ballots }: Claim, planned: readonly string[], place: string): readonly Difference[] {
  const asked = ballots.map(({ judge }) => judge);
  if (asked.length === planned.length && asked.every((judge, at) => judge === planned[at])) return [];
  return [
    {
      place: `${place}: ballots`,
      expected: `one of each judge of the plan (${planned.join(", ")})`,
      came: asked.join(", "),
    },
  ];
}
