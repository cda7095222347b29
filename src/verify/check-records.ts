import { markOf } from "../artefacts/evidence.ts";
import { type PlannedTrial, trialName } from "../artefacts/trial.ts";
import { canonicalJson } from "../hash.ts";
import { type Chain, placeOf, type PlacedNote } from "./chain.ts";
import { type CampaignFound, type Read, type TrialFound, valueOf } from "./found.ts";
import type { Difference } from "../artefacts/verification.ts";
import { short } from "./look.ts";
import type { Check } from "./observer.ts";
import { isAboutTrial, restsOn, type TrialNoteKind } from "./trial-notes.ts";

/** Every record is what its line of evidence says, and no line is without its record, no record without its line. */
export const checkRecords: Check = (found) => {
  const { chain } = found;
  const told: Told = { trial: [], verdict: [], claim: [], planned: [], odd: [] };
  const counts = { trial: 0, verdict: 0, claim: 0 };
  const vanished: string[] = [];
  return {
    see: (one) => {
      for (const kind of kinds) {
        if (one[kind].kind !== "absent") counts[kind]++;
        if (kind !== "claim" || !isOfEarlier(one, chain)) told[kind].push(...recordOf(one, kind, chain));
      }
      told.planned.push(...asPlanned(one));
      told.odd.push(...regularOnly(one));
      if (isPaidForNothing(one, found)) vanished.push(trialName(one.planned));
    },
    look: () => ({
      differences: [
        ...[...told.trial, ...told.verdict, ...told.claim, ...told.planned, ...told.odd],
        ...besideTrials(found),
        ...chain.again,
      ],
      partial: vanished.length > 0,
      words: wordsOf(found, counts, vanished),
    }),
  };
};

const kinds = ["trial", "verdict", "claim"] as const;

/** Apart, because what is told of one kind comes before what is told of the next. */
type Told = Readonly<Record<TrialNoteKind | "planned" | "odd", Difference[]>>;

/** What is not planned, canaries, and lines about what is neither planned nor there. */
function besideTrials(found: CampaignFound): readonly Difference[] {
  const { canaries, chain } = found;
  return [
    ...found.unplanned.map((place) => ({
      place,
      expected: "only what is planned",
      came: "what is not in plan.json",
    })),
    ...canaries.flatMap(({ name, canary }) =>
      held(`canaries/${name}.json`, canary, chain.latest.get(markOf({ kind: "canary", canary: name }))),
    ),
    ...withoutRecord(found),
  ];
}

function wordsOf(
  { plan, canaries, chain }: CampaignFound,
  counts: Readonly<Record<TrialNoteKind, number>>,
  vanished: readonly string[],
): string {
  const { repeated, setAside } = chain;
  const aside = setAside.map(({ trial, reason }) => `${trial} (${reason})`).join(", ");
  const again =
    repeated === 0
      ? ""
      : `; ${repeated} trial(s) were done again after they had been set aside: ${aside === "" ? "none" : aside}`;
  const claims = counts.claim === 0 ? "" : `, and ${counts.claim} claims`;
  const gone =
    vanished.length === 0
      ? ""
      : `; under way, killed or taken away, since answered by a model and left nothing: ${vanished.join(", ")}`;
  return (
    `${counts.trial} trials of ${plan.trials.length} planned, ${counts.verdict} verdicts and ${canaries.length} ` +
    `canaries, with transcripts and graders' logs${claims}, against their lines of evidence${again}${gone}`
  );
}

/** Without any trace but in the ledger: nothing tells a kill from a hand. */
function isPaidForNothing(
  { planned, trial, voids, stopped }: TrialFound,
  { ledger }: CampaignFound,
): boolean {
  if (trial.kind !== "absent" || voids + stopped > 0) return false;
  return (valueOf(ledger)?.answered(trialName(planned)).answers ?? 0) > 0;
}

function recordOf(one: TrialFound, kind: TrialNoteKind, chain: Chain): readonly Difference[] {
  const trial = trialName(one.planned);
  const folder = `trials/${trial}`;
  const placed = chain.latestOf(kind, trial);
  const record = held(`${folder}/${kind}.json`, one[kind], placed);
  const note = placed?.note;
  if (record.length > 0 || note === undefined || !isAboutTrial(note)) return record;
  const key: readonly Difference[] =
    note.key === one.planned.key
      ? []
      : [
          {
            place: placeOf(placed?.line ?? 0),
            expected: `the planned key ${short(one.planned.key)}`,
            came: short(note.key),
          },
        ];
  const names = [...new Set([...restsOn[kind], ...Object.keys(note.files)])];
  const files = names.flatMap((name) => {
    const [expected, came] = [note.files[name] ?? null, one.files[name] ?? null];
    if (expected === came) return [];
    return [changed(`${folder}/${name}`, expected, came, placed)];
  });
  return [...key, ...files];
}

/** A trial that is done again need not fail again, and then nobody is asked what it claims. */
function isOfEarlier({ planned, claim }: TrialFound, { lineOf }: Chain): boolean {
  if (claim.kind !== "absent") return false;
  const trial = trialName(planned);
  return lineOf("claim", trial) < lineOf("trial", trial);
}

function held(place: string, read: Read<unknown>, placed: PlacedNote | undefined): readonly Difference[] {
  const hash = placed === undefined || !("hash" in placed.note) ? null : placed.note.hash;
  switch (read.kind) {
    case "unreadable":
      return [{ place, expected: "a record that can be read", came: read.words }];
    case "absent":
      return hash === null ? [] : [changed(place, hash, null, placed)];
    case "there":
      return read.hash === hash ? [] : [changed(place, hash, read.hash, placed)];
  }
}

function changed(
  place: string,
  expected: string | null,
  came: string | null,
  placed: PlacedNote | undefined,
): Difference {
  const line = placed === undefined ? "" : `, as line ${placed.line} of evidence.jsonl says`;
  return {
    place,
    expected: expected === null ? "a line of evidence that names it" : `${short(expected)}${line}`,
    came:
      came === null
        ? "nothing: it was taken away"
        : expected === null
          ? `none: it was put there, or a kill came between (skillproof eval writes the line)`
          : `${short(came)}: it was changed`,
  };
}

/** trial.json says itself what it is the record of; void attempts lie beside it. */
function asPlanned({ planned, trial, voids }: TrialFound): readonly Difference[] {
  if (trial.kind !== "there") return [];
  const folder = `trials/${trialName(planned)}`;
  const differences: Difference[] = [];
  if (!isSame(trial.value.trial, planned)) {
    differences.push({
      place: `${folder}/trial.json: trial`,
      expected: `the planned trial, key ${short(planned.key)}`,
      came: `${trialName(trial.value.trial)}, key ${short(trial.value.trial.key)}`,
    });
  }
  if (trial.value.voids !== voids) {
    differences.push({
      place: `${folder}/voids`,
      expected: `${trial.value.voids} void attempt(s), as trial.json says`,
      came: String(voids),
    });
  }
  return differences;
}

/** Of anything else nothing was read. */
function regularOnly({ planned, odd }: TrialFound): readonly Difference[] {
  return odd.map((name) => ({
    place: `trials/${trialName(planned)}/${name}`,
    expected: "a regular file",
    came: "not a regular file: a link, pipe, device or socket, which was not read",
  }));
}

/** Mostly in one order of members, which is quicker to see. */
function isSame(one: PlannedTrial, other: PlannedTrial): boolean {
  return JSON.stringify(one) === JSON.stringify(other) || canonicalJson(one) === canonicalJson(other);
}

/** Lines about what is neither planned nor there. */
function withoutRecord({ canaries, chain }: CampaignFound): readonly Difference[] {
  const probed = new Set(canaries.map(({ name }) => name));
  return [...chain.latest.values()].flatMap(({ note, line }): readonly Difference[] => {
    if (isAboutTrial(note)) {
      return [
        {
          place: placeOf(line),
          expected: "a planned trial",
          came: `${note.trial}, which is not in plan.json`,
        },
      ];
    }
    if (note.kind === "canary" && !probed.has(note.canary)) {
      const expected = `canaries/${note.canary}.json with ${short(note.hash)}`;
      return [{ place: placeOf(line), expected, came: "nothing: it was taken away" }];
    }
    return [];
  });
}
